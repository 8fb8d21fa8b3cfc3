# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# For the tests through ssh: a real sshd on the loopback, with keys, a port and a configuration of its own in $TMP. Its
# sessions see what the test sees: its mounts, its /run. To be read after tests/lib.sh.

# free_port: a port of the loopback that nobody listens on, most likely
free_port()
{
	ssh_port=$((20000 + $$ % 20000))
	while ss -Hltn "sport = :$ssh_port" 2>/dev/null | grep -q .; do
		ssh_port=$((ssh_port + 1))
	done
	echo "$ssh_port"
}

# need_sshd: the file is skipped where there is none
need_sshd()
{
	[ "$(id -u)" -eq 0 ] || skip_all 'needs root'
	SSHD=$(command -v sshd) && command -v ssh >/dev/null && command -v ssh-keygen >/dev/null ||
		skip_all 'no openssh-server, or no ssh'
	command -v ss >/dev/null || skip_all 'no ss (iproute2)'
	mkdir -p -m 755 /run/sshd
	ssh-keygen -q -t ed25519 -N '' -f "$TMP/ssh-key" && ssh-keygen -q -t ed25519 -N '' -f "$TMP/ssh-host-key" ||
		skip_all 'no keys for ssh'
}

# start_sshd NAME [COMMAND..]: one called NAME, begun by COMMAND (to be in other namespaces); $TMP/NAME.ssh is then the
# configuration of ssh with which NAME can be reached. False: nobody can log in.
start_sshd()
{
	ssh_name=$1
	shift
	ssh_port=$(free_port)
	cat >"$TMP/$ssh_name.sshd" <<-CONFIG
		ListenAddress 127.0.0.1
		Port $ssh_port
		HostKey $TMP/ssh-host-key
		AuthorizedKeysFile $TMP/ssh-key.pub
		PidFile $TMP/$ssh_name.pid
		PermitRootLogin prohibit-password
		PasswordAuthentication no
		KbdInteractiveAuthentication no
		StrictModes no
		UsePAM no
		PrintMotd no
		PrintLastLog no
		SetEnv LC_ALL=$LC_ALL TZ=$TZ HOME=$HOME XDG_STATE_HOME=$XDG_STATE_HOME "ASAN_OPTIONS=$ASAN_OPTIONS" "UBSAN_OPTIONS=$UBSAN_OPTIONS"
	CONFIG
	cat >>"$TMP/ssh.config" <<-CONFIG
		Host $ssh_name
			HostName 127.0.0.1
			Port $ssh_port
			User root
			IdentityFile $TMP/ssh-key
			IdentitiesOnly yes
			IdentityAgent none
			StrictHostKeyChecking no
			UserKnownHostsFile /dev/null
			GlobalKnownHostsFile /dev/null
			LogLevel ERROR
			ConnectTimeout 20
	CONFIG
	at_exit "[ ! -s '$TMP/$ssh_name.pid' ] || kill \"\$(cat '$TMP/$ssh_name.pid')\" || :"
	"$@" "$SSHD" -f "$TMP/$ssh_name.sshd" -E "$TMP/$ssh_name.log" || return 1
	ssh_tries=0
	until s "$ssh_name" true 2>"$TMP/ssh.err"; do
		ssh_tries=$((ssh_tries + 1))
		[ $ssh_tries -lt 50 ] || return 1
		sleep 0.1
	done
}

# s NAME COMMAND..: ssh, with the test's own configuration
s()
{
	ssh -F "$TMP/ssh.config" "$@"
}

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Linux: an event of trace_marker_raw is longer than what was written: one byte is read back as 16, the rest of older events.
#
# Versions: Linux 6.1.0-57-amd64 (Debian 12's linux-image-6.1.0-57-amd64 6.1.192-3), busybox-static 1:1.35.0-4+deb12u1+b1,
# QEMU 7.2. The same lengths were seen with 6.12.117+deb13-amd64; 7.2.13+deb14-amd64 only fills up to the next four bytes.
#
# A program writes a number and bytes of its own to trace_marker_raw, for a reader that knows them by the number.
#
# Expected: the bytes that were written, or their number beside them.
# Seen: neither. The format file says buf with size 0, so a reader takes the length of the record, and that is never less than
# 16 bytes of data, and four more than was written, rounded up to four. What was in the ring buffer there before follows the
# data, here the text of overwritten markers (x). A writer has to put the length into its data.
#
# Output seen, with a buffer full of markers "xxx..":
#   written 1 bytes, read 16
#   written 8 bytes, read 16
#   written 16 bytes, read 20
#   written 22 bytes, read 28
#   x among them: yes
#
# Needs apt-get, dpkg, cpio, gzip, qemu-system-x86_64. Runs without root, and without this machine's tracefs.
set -eu
self=$(realpath "$0")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 2' HUP INT TERM
cd "$tmp"
apt-get -qq -o APT::Sandbox::User=root download linux-image-6.1.0-57-amd64=6.1.192-3 busybox-static=1:1.35.0-4+deb12u1+b1 || exit 2
for deb in *.deb; do dpkg -x "$deb" .; done

mkdir -p root/bin root/dev root/tracing
cp "$(find . -path ./root -prune -o -type f -path '*bin/busybox' -print | head -n 1)" root/bin/busybox
cat >root/init <<'INIT'
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin
mount -t devtmpfs none /dev
mount -t tracefs none /tracing
cd /tracing
echo 8 >buffer_size_kb
for round in 1 2 3 4 5 6 7 8; do
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx >trace_marker
	done
done
left=no
for data in A ABCDEFGH ABCDEFGHIJKLMNOP ABCDEFGHIJKLMNOPQRSTUV; do
	printf '\001\000\000\000%s' $data >trace_marker_raw
	set -- $(sed -n 's/.* # 1 buf: //p' trace | tail -n 1)
	echo "seen: written ${#data} bytes, read $#"
	case " $* " in
	*' 78 '*) left=yes ;;
	esac
done
echo "seen: x among them: $left"
echo seen: end
poweroff -f
INIT
chmod 755 root/init
(cd root && find . | cpio -o -H newc --quiet | gzip -1) >initramfs
timeout 300 qemu-system-x86_64 -accel tcg,thread=single -cpu max -m 512 -nographic -no-reboot -kernel boot/vmlinuz-* \
	-initrd initramfs -append 'console=ttyS0 quiet panic=-1' </dev/null >console 2>&1 || exit 2
tr -d '\r' <console | sed -n 's/.*seen: //p' >seen
grep -q '^end$' seen || exit 2
sed -i '/^end$/d' seen
cat seen
sed -n '/^# Output seen/,/^#$/s/^#   //p' "$self" | cmp -s - seen || { echo 'it is no longer so' >&2; exit 1; }

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pipes and other ways between processes, and the network on the loopback. */
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "workload.h"

/* ---- pipes and other ways between processes ---- */

static void ipc_sysv(void)
{
	struct {
		long type;
		char text[16];
	} message = { 1, "hello" };
	struct sembuf up = { .sem_op = 1 };
	int id = shmget(IPC_PRIVATE, 4096, 0600);
	void *at = shmat(id, NULL, 0);

	if (at != (void *)-1) {
		memset(at, 1, 4096);
		shmdt(at);
	}
	shmctl(id, IPC_RMID, NULL);
	id = semget(IPC_PRIVATE, 1, 0600);
	semop(id, &up, 1);
	semctl(id, 0, IPC_RMID);
	id = msgget(IPC_PRIVATE, 0600);
	msgsnd(id, &message, sizeof(message.text), 0);
	try(msgrcv(id, &message, sizeof(message.text), 0, IPC_NOWAIT) < 0);
	msgctl(id, IPC_RMID, NULL);
}

static void ipc_mqueue(void)
{
	char name[64], text[8192 + 1];
	mqd_t queue;

	snprintf(name, sizeof(name), "/workload-%d", getpid());
	queue = mq_open(name, O_RDWR | O_CREAT | O_NONBLOCK, 0600, NULL);
	if (queue == (mqd_t)-1)
		return;
	mq_send(queue, "x", 1, 0);
	try(mq_receive(queue, text, sizeof(text), NULL) < 0);
	mq_unlink(name);
	mq_close(queue);
}

static void ipc_pipes(void)
{
	int a[2], b[2], memory = memfd_create("memory", 0);
	struct iovec piece = { .iov_base = (void *)"pieces", .iov_len = 6 };
	loff_t zero = 0;

	if (pipe(a) || pipe2(b, O_NONBLOCK))
		return;
	try(write(a[1], "some text", 9) < 0);
	try(vmsplice(a[1], &piece, 1, 0) < 0);
	try(tee(a[0], b[1], 15, SPLICE_F_NONBLOCK) < 0);
	try(splice(b[0], NULL, memory, &zero, 15, SPLICE_F_NONBLOCK) < 0);
	lseek(memory, 0, SEEK_SET);
	try(sendfile(b[1], memory, NULL, 9) < 0);
	fcntl(a[1], F_SETPIPE_SZ, 65536);
	try(writev(a[1], &piece, 1) < 0);
	signal(SIGPIPE, SIG_IGN);
	close(a[0]);
	try(write(a[1], "x", 1) < 0);
	close(a[1]);
	close(b[0]);
	close(b[1]);
	close(memory);
}

void workload_ipc(const struct options *o)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLWAKEUP };
	int wake = eventfd(1, EFD_NONBLOCK), poll_fd = epoll_create1(0);

	(void)o;
	epoll_ctl(poll_fd, EPOLL_CTL_ADD, wake, &event);
	epoll_wait(poll_fd, &event, 1, 1);
	close(wake);
	epoll_wait(poll_fd, &event, 1, 1);
	close(poll_fd);
	ipc_pipes();
	ipc_sysv();
	ipc_mqueue();
}

/* ---- the network, on the loopback ---- */

static socklen_t loopback(int family, struct sockaddr_storage *address)
{
	memset(address, 0, sizeof(*address));
	if (family == AF_INET) {
		struct sockaddr_in *in = (struct sockaddr_in *)address;

		in->sin_family = AF_INET;
		in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		return sizeof(*in);
	} else {
		struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)address;

		in6->sin6_family = AF_INET6;
		in6->sin6_addr = in6addr_loopback;
		return sizeof(*in6);
	}
}

static void net_tcp(int family, int protocol)
{
	struct sockaddr_storage address;
	socklen_t size = loopback(family, &address);
	int listener = socket(family, SOCK_STREAM, protocol),
	    client = socket(family, SOCK_STREAM, protocol), server;
	struct linger reset = { .l_onoff = 1 };
	char text[4096] = "some text";

	if (bind(listener, (void *)&address, size) || listen(listener, 1) ||
	    getsockname(listener, (void *)&address, &size) ||
	    connect(client, (void *)&address, size) ||
	    (server = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) < 0) {
		close(listener);
		close(client);
		return;
	}
	setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int));
	for (int i = 0; i < 20; i++)
		try(send(client, text, sizeof(text), MSG_DONTWAIT) < 0);
	for (int i = 0; i < 10; i++)
		try(recv(server, text, sizeof(text), MSG_DONTWAIT) < 0);
	shutdown(client, SHUT_WR);
	setsockopt(server, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	close(server);
	try(recv(client, text, sizeof(text), MSG_DONTWAIT) < 0);
	close(client);
	close(listener);
	/* nobody listens there any more */
	client = socket(family, SOCK_STREAM, protocol);
	connect(client, (void *)&address, size);
	close(client);
}

/* More connections than the listener takes: they are tried again, and given up. */
static void net_backlog(int family)
{
	struct sockaddr_storage address;
	socklen_t size = loopback(family, &address);
	int listener = socket(family, SOCK_STREAM, 0), clients[4];

	bind(listener, (void *)&address, size);
	listen(listener, 0);
	getsockname(listener, (void *)&address, &size);
	for (size_t i = 0; i < ARRAY_SIZE(clients); i++) {
		clients[i] = socket(family, SOCK_STREAM | SOCK_NONBLOCK, 0);
		connect(clients[i], (void *)&address, size);
	}
	pause_ns(999999999);
	pause_ns(500000000);
	for (size_t i = 0; i < ARRAY_SIZE(clients); i++)
		close(clients[i]);
	close(listener);
}

static void net_udp(int family)
{
	struct sockaddr_storage address;
	socklen_t size = loopback(family, &address);
	int server = socket(family, SOCK_DGRAM, 0), client = socket(family, SOCK_DGRAM, 0);
	int listening = socket(family, SOCK_RAW, IPPROTO_UDP);
	char text[16384] = "a datagram";

	setsockopt(server, SOL_SOCKET, SO_RCVBUF, &(int){ 4096 }, sizeof(int));
	setsockopt(listening, SOL_SOCKET, SO_RCVBUF, &(int){ 4096 }, sizeof(int));
	bind(server, (void *)&address, size);
	getsockname(server, (void *)&address, &size);
	for (int i = 0; i < 30; i++)
		try(sendto(client, text, i % 3 ? 1000 : sizeof(text), 0, (void *)&address, size) <
		    0);
	try(recv(server, text, sizeof(text), MSG_DONTWAIT) < 0);
	close(server);
	connect(client, (void *)&address, size);
	try(send(client, text, 5, 0) < 0);
	try(recv(client, text, 5, MSG_DONTWAIT) < 0);
	close(client);
	close(listening);
}

static void net_unix(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int pair[2], named = socket(AF_UNIX, SOCK_STREAM, 0);
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {
		.head = { .cmsg_len = CMSG_LEN(sizeof(int)),
			  .cmsg_level = SOL_SOCKET,
			  .cmsg_type = SCM_RIGHTS },
	};
	struct iovec piece = { .iov_base = (void *)"x", .iov_len = 1 };
	struct msghdr message = {
		.msg_iov = &piece,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};

	snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "workload-%d", getpid());
	bind(named, (void *)&address, sizeof(address));
	listen(named, 1);
	if (!socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair)) {
		memcpy(CMSG_DATA(&control.head), &named, sizeof(int));
		try(sendmsg(pair[0], &message, 0) < 0);
		try(recvmsg(pair[1], &message, MSG_DONTWAIT) < 0);
		close(pair[0]);
		close(pair[1]);
	}
	close(named);
}

/* A request with an unknown attribute: refused, with the reason as text. */
static void net_netlink(void)
{
	struct {
		struct nlmsghdr head;
		struct ifinfomsg info;
		struct nlattr bad;
	} request = {
		.head = { sizeof(request), RTM_NEWLINK, NLM_F_REQUEST | NLM_F_ACK, 1, 0 },
		.info = { .ifi_index = 0x7fffffff },
		.bad = { sizeof(struct nlattr), IFLA_ADDRESS },
	};
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);

	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &(int){ 1 }, sizeof(int));
	setsockopt(fd, SOL_NETLINK, NETLINK_GET_STRICT_CHK, &(int){ 1 }, sizeof(int));
	try(send(fd, &request, sizeof(request), 0) < 0);
	close(fd);
}

void workload_net(const struct options *o)
{
	static const int protocols[] = { 0, 262 /* MPTCP */, 132 /* SCTP */ };

	(void)o;
	signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; i < ARRAY_SIZE(protocols); i++) {
		net_tcp(AF_INET, protocols[i]);
		net_tcp(AF_INET6, protocols[i]);
	}
	net_udp(AF_INET);
	net_udp(AF_INET6);
	net_backlog(AF_INET);
	net_unix();
	net_netlink();
	close(socket(AF_VSOCK, SOCK_STREAM, 0));
}

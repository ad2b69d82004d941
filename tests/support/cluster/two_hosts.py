#!/usr/bin/env python3
"""Two hosts on one machine, for trials: node1 and node2, each a network namespace of its own with
an sshd, and between them a link with a delay and a rate. Needs root, /dev/net/tun, iproute2 and
openssh-server; the file system is shared, as by NFS.

    tests/support/cluster/two_hosts.py [--delay MS] [--rate MBIT] [--slots N] COMMAND ...

The command runs on node1; an Open MPI that it starts finds both hosts and the way between them:

    tests/support/cluster/two_hosts.py --delay 1 mpirun -n 2 --map-by node build/release/bin/...
"""

from __future__ import annotations

import argparse
import ctypes
import fcntl
import os
import selectors
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections import deque
from pathlib import Path

HOSTS = {"node1": "10.77.0.1", "node2": "10.77.0.2"}
PORT = 2222
MTU = 65000  # of the link: whole messages, so that this program is not what limits the rate
# After how many seconds of silence mpirun asks whether the other host lives, how often, how many
# times; Open MPI's own numbers make that eight minutes.
KEEPALIVE = (("time", 5), ("intvl", 2), ("probes", 5))
TUNSETIFF, IFF_TUN_WITHOUT_HEADER, CLONE_NEWNET = 0x400454ca, 0x1001, 0x40000000


class Missing(Exception):
    """What is not here."""


def run(*words) -> None:
    subprocess.run([str(word) for word in words], check=True, stdout=subprocess.DEVNULL)


def needed() -> None:
    for name in ("ip", "tc", "ssh", "ssh-keygen", "unshare"):
        if not shutil.which(name):
            raise Missing(f"there is no {name}")
    if not Path("/usr/sbin/sshd").exists():
        raise Missing("there is no sshd (Debian's package openssh-server)")
    if os.geteuid() != 0:
        raise Missing("only root may make a network namespace")
    if not os.access("/dev/net/tun", os.W_OK):
        raise Missing("there is no /dev/net/tun")


def link_of(host: str) -> int:
    """A network interface of this host whose packets are read and written here."""
    libc = ctypes.CDLL(None, use_errno=True)
    own, there = os.open("/proc/self/ns/net", os.O_RDONLY), os.open(f"/run/netns/{host}", 0)
    libc.setns(there, CLONE_NEWNET)
    link = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(link, TUNSETIFF, struct.pack("16sH", b"wire", IFF_TUN_WITHOUT_HEADER))
    libc.setns(own, CLONE_NEWNET)
    for descriptor in (own, there):
        os.close(descriptor)
    return link


def carry(links: list[int], seconds: float, bytes_per_second: float) -> None:
    """Every packet arrives so much later than it was sent, one after the other at this rate."""
    underway: dict[int, deque] = {link: deque() for link in links}  # to this link
    free = {link: 0.0 for link in links}  # when the last packet has left the sender
    ready = selectors.DefaultSelector()
    for link in links:
        ready.register(link, selectors.EVENT_READ)
    while True:
        now = time.monotonic()
        due = [queue[0][0] for queue in underway.values() if queue]
        for key, _ in ready.select(max(0.0, min(due) - now) if due else None):
            try:
                packet = os.read(key.fd, MTU + 100)
            except OSError:
                continue  # there was none after all
            now = time.monotonic()
            free[key.fd] = max(free[key.fd], now) + len(packet) / bytes_per_second
            other = links[1 - links.index(key.fd)]
            underway[other].append((free[key.fd] + seconds, packet))
        now = time.monotonic()
        for link, queue in underway.items():
            while queue and queue[0][0] <= now:
                try:
                    os.write(link, queue.popleft()[1])
                except OSError:
                    pass  # the link is down: a packet is lost


def at(host: str, *words) -> list[str]:
    """The command line that runs words on this host."""
    return ["ip", "netns", "exec", host, "unshare", "--uts", "sh", "-c",
            f'hostname {host} && exec "$@"', "sh", *[str(word) for word in words]]


def hosts_up(folder: Path, delay: float, rate: float, started: list) -> None:
    names = "".join(f"{address} {host}\n" for host, address in HOSTS.items())
    for host in HOSTS:
        run("ip", "netns", "add", host)
        hosts = Path("/etc/netns") / host
        hosts.mkdir(parents=True, exist_ok=True)
        (hosts / "hosts").write_text("127.0.0.1 localhost\n" + names)
    links = [link_of(host) for host in HOSTS]
    carrier = os.fork()
    if carrier == 0:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))  # for the delay to be this one
        carry(links, delay / 1000, rate * 1e6 / 8)
    started.append(carrier)
    for host, address in HOSTS.items():
        run("ip", "-n", host, "link", "set", "lo", "up")
        run("ip", "-n", host, "addr", "add", address + "/24", "dev", "wire")
        run("ip", "-n", host, "link", "set", "wire", "mtu", MTU, "up")
    run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / "key")
    Path("/run/sshd").mkdir(exist_ok=True)
    for host in HOSTS:
        settings = {"Port": PORT, "HostKey": folder / "key", "PidFile": "none", "UsePAM": "no",
                    "AuthorizedKeysFile": folder / "key.pub", "StrictModes": "no",
                    "PermitRootLogin": "prohibit-password"}
        options = [word for setting in settings.items() for word in ("-o", "=".join(
            str(part) for part in setting))]
        started.append(subprocess.Popen(at(host, "/usr/sbin/sshd", "-D", "-f", "/dev/null",
                                           *options), stderr=subprocess.DEVNULL).pid)


def wait_for_sshd() -> None:
    for host in HOSTS:
        for _ in range(100):
            if subprocess.run(at(host, "sh", "-c", f"ss -ltn | grep -q :{PORT}")).returncode == 0:
                break
            time.sleep(0.05)


def hosts_down(started: list) -> None:
    for process in started:
        os.kill(process, signal.SIGTERM)
    for host in HOSTS:
        subprocess.run(["ip", "netns", "del", host], stderr=subprocess.DEVNULL)
        shutil.rmtree(Path("/etc/netns") / host, ignore_errors=True)


def for_open_mpi(folder: Path, slots: int) -> dict[str, str]:
    """How its mpirun starts processes on both hosts, and which way their messages go."""
    (folder / "hosts").write_text("".join(f"{host} slots={slots}\n" for host in HOSTS))
    ssh = f"-i {folder}/key -p {PORT} -o StrictHostKeyChecking=no -o LogLevel=ERROR " \
          "-o UserKnownHostsFile=/dev/null"
    return {"OMPI_MCA_orte_default_hostfile": str(folder / "hosts"),
            "OMPI_MCA_plm_rsh_args": ssh, "OMPI_MCA_btl": "tcp,self", "OMPI_MCA_pml": "ob1",
            "OMPI_MCA_btl_tcp_if_include": "wire", "OMPI_MCA_oob_tcp_if_include": "wire",
            **{f"OMPI_MCA_oob_tcp_keepalive_{name}": str(value) for name, value in KEEPALIVE},
            "OMPI_MCA_mpi_yield_when_idle": "1",  # both hosts share the cores of one machine
            "OMPI_MCA_hwloc_base_binding_policy": "none",  # each would take the first core
            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="two_hosts.py", description=__doc__.split("\n\n")[0])
    parser.add_argument("--delay", type=float, default=0.1, help="ms from one to the other")
    parser.add_argument("--rate", type=float, default=1000, help="Mbit a second each way")
    parser.add_argument("--slots", type=int, default=2, help="processes that a host takes")
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND ...")
    options = parser.parse_args(arguments)
    if not options.command:
        parser.error("COMMAND is missing")
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    started: list[int] = []
    folder = Path(tempfile.mkdtemp(prefix="two-hosts-"))
    try:
        needed()
        hosts_up(folder, options.delay, options.rate, started)
        wait_for_sshd()
        return subprocess.run(at("node1", *options.command),
                              env=os.environ | for_open_mpi(folder, options.slots)).returncode
    except Missing as error:
        print(f"two_hosts.py: {error}", file=sys.stderr)
        return 77
    except subprocess.CalledProcessError as error:
        print(f"two_hosts.py: {' '.join(error.cmd)} failed", file=sys.stderr)
        return 2
    finally:
        hosts_down(started)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

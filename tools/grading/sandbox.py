"""Where hand-ins are compiled and run: bubblewrap gives them a read-only view of the system and one
folder, no devices, no other processes, and no sockets except between their own processes. If the
grader is root, they run as nobody, so that the process limit applies and they own no outside file.
"""

from __future__ import annotations

import errno
import os
import platform
import re
import shutil
import socket
import struct
from dataclasses import dataclass, replace
from pathlib import Path

from tools import setup
from tools.exercises.build import COMPILER
from tools.exercises.run import Limits, Ran, run_limited
from tools.exercises.supervisor import own_processes
from tools.terminal import Stop

KINDS = ("auto", "bwrap", "none")
SYSTEM = ("/usr", "/bin", "/lib", "/lib32", "/lib64", "/etc/alternatives", "/etc/ld.so.cache")
SPACES = ("ipc", "pid", "net", "uts", "cgroup-try")
NOBODY = 65534
IS_ROOT = os.geteuid() == 0
PROBE_LIMITS = Limits(wall=20, cpu=10, processes=8)

# Per architecture: its AUDIT_ARCH_* constant, the numbers of the system calls that are filtered by
# their arguments or reported as missing (clone3), and those of the calls that are always refused:
# calls that can create sockets indirectly (io_uring_setup), that reach state no namespace isolates
# (add_key, request_key, keyctl, bpf, perf_event_open, userfaultfd), that create or enter
# namespaces, where the process would be root again (unshare, setns, mount), and ptrace.
MACHINES = {
    "x86_64": (0xC000003E, {"socket": 41, "socketpair": 53, "clone": 56, "clone3": 435},
               (425, 248, 249, 250, 321, 298, 323, 272, 308, 165, 101)),
    "aarch64": (0xC00000B7, {"socket": 198, "socketpair": 199, "clone": 220, "clone3": 435},
                (425, 217, 218, 219, 280, 241, 282, 97, 268, 40, 117))}
LOAD, EQUAL, AT_LEAST, HAS, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06  # of classic BPF
NUMBER, MACHINE, FIRST_ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data
ALLOWED, KILLED, ERROR = 0x7FFF0000, 0x80000000, 0x00050000
OTHER_TABLE = 0x40000000  # from here on, x86-64 call numbers are those of x32
CLONE_NEWUSER = 0x10000000


def seccomp(machine: str) -> bytes:
    """The system call filter that bubblewrap passes to the kernel. A jump has two step counts: one
    if its test holds, one if it does not."""
    code, numbers, refused = MACHINES[machine]
    steps = [(LOAD, 0, 0, MACHINE), (EQUAL, 1, 0, code), (RETURN, 0, 0, KILLED),
             (LOAD, 0, 0, NUMBER), (AT_LEAST, 0, 1, OTHER_TABLE), (RETURN, 0, 0, KILLED)]
    for number in refused:
        steps += [(EQUAL, 0, 1, number), (RETURN, 0, 0, ERROR | errno.EPERM)]
    # clone3's flags are in memory, hidden from a filter; programs then fall back to clone().
    steps += [(EQUAL, 0, 1, numbers["clone3"]), (RETURN, 0, 0, ERROR | errno.ENOSYS)]
    steps += [(EQUAL, 0, 4, numbers["clone"]), (LOAD, 0, 0, FIRST_ARGUMENT),
              (HAS, 0, 1, CLONE_NEWUSER), (RETURN, 0, 0, ERROR | errno.EPERM),
              (RETURN, 0, 0, ALLOWED)]
    for name in ("socket", "socketpair"):
        steps += [(EQUAL, 0, 4, numbers[name]), (LOAD, 0, 0, FIRST_ARGUMENT),
                  (EQUAL, 1, 0, int(socket.AF_UNIX)),
                  (RETURN, 0, 0, ERROR | errno.EAFNOSUPPORT), (RETURN, 0, 0, ALLOWED)]
    return b"".join(struct.pack("<HBBI", *step) for step in (*steps, (RETURN, 0, 0, ALLOWED)))


@dataclass
class Sandbox:
    kind: str
    place: Path  # the folder of the filter file

    def command(self, command: list[str], folder: Path, writable: bool, readable: list[Path],
                calls: int) -> list[str]:
        """The bwrap command: shows only the system, `readable`, and `folder`, where it starts."""
        shown = [*system_paths(), *readable]
        above = sorted({parent for path in (*shown, folder) for parent in path.parents[:-1]})
        places = [word for path in above for word in ("--dir", str(path))]  # which all may enter
        binds = [word for path in shown for word in ("--ro-bind", str(path), str(path))]
        who = ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"] if IS_ROOT else \
            ["--unshare-user", "--uid", str(NOBODY), "--gid", str(NOBODY)]
        becomes = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups",
                   "--inh-caps=-all"] if IS_ROOT else []
        return ["bwrap", *(f"--unshare-{space}" for space in SPACES), "--die-with-parent",
                "--new-session", "--cap-drop", "ALL", *who, "--seccomp", str(calls), *places,
                *binds, "--bind" if writable else "--ro-bind", str(folder), str(folder),
                "--remount-ro", "/", "--chdir", str(folder), "--", *becomes, *command]

    def run(self, command: list[str], limits: Limits, folder: Path, environment: dict[str, str],
            readable: list[Path] = (), writable: bool = False, reports: bool = False) -> Ran:
        if self.kind == "none":
            return run_limited(command, limits, folder, environment, reports)
        if limits.processes:
            most = counted_already() + limits.processes
            command, limits = ["prlimit", f"--nproc={most}", *command], replace(limits, processes=0)
        if IS_ROOT:
            show_to_nobody(folder, writable, readable)
        with self.filter().open("rb") as calls:
            inside = self.command(command, folder, writable, readable, calls.fileno())
            ran = run_limited(inside, limits, folder, environment, reports, [calls.fileno()])
        if ran.status > 128:  # as a shell reports a signal
            ran.status = 128 - ran.status
        return ran

    def filter(self) -> Path:
        path = self.place / "system-calls"
        if not path.exists():
            path.write_bytes(seccomp(platform.machine()))
        return path


def counted_already() -> int:
    """How many processes count towards the limit before the command starts: all of its user's.
    Since Linux 5.14, none in a new user namespace, in which all users but root run it."""
    kernel = tuple(map(int, re.findall(r"\d+", platform.release())[:2]))
    if not IS_ROOT and kernel >= (5, 14):
        return 0
    return own_processes(NOBODY if IS_ROOT else os.geteuid())


def show_to_nobody(folder: Path, writable: bool, readable: list[Path]) -> None:
    """Makes readable what root's umask may have hidden. A writable folder is given to nobody."""
    for path in (folder, *readable, *(part for path in readable for part in path.rglob("*"))):
        path.chmod(0o755)
    for path in (folder, *folder.iterdir()) if writable else ():
        os.chown(path, NOBODY, NOBODY, follow_symlinks=False)


def system_paths() -> list[Path]:
    """The system folders that a compiler and a program need."""
    found = [Path(name) for name in SYSTEM if Path(name).exists()]
    compiler = Path(shutil.which(COMPILER) or COMPILER).resolve()
    if not compiler.is_relative_to("/usr") and len(compiler.parents) > 2:
        found.append(compiler.parents[1])
    return found


def chosen(kind: str, place: Path) -> Sandbox:
    """The sandbox that was asked for; for `auto`, bubblewrap if it is available."""
    if kind != "none" and setup.offered("bubblewrap", ("bwrap",), "hand-ins run without a sandbox"):
        sandbox = Sandbox("bwrap", place)
        if works(sandbox):
            return sandbox
    if kind == "bwrap":
        raise Stop("grade: --sandbox bwrap does not work here (is it installed, and are user "
                   "namespaces allowed?)\n  next      ./learn grade FOLDER --sandbox auto", 2)
    return Sandbox("none", place)


def works(sandbox: Sandbox) -> bool:
    if platform.machine() not in MACHINES:
        return False
    folder = sandbox.place / "probe"
    folder.mkdir(exist_ok=True)
    environment = {"PATH": os.environ.get("PATH", os.defpath)}
    return sandbox.run([COMPILER, "--version"], PROBE_LIMITS, folder, environment).status == 0

"""Runs one untrusted command, and leaves none of its processes behind.

    python3 -I -S supervisor.py WALL CPU MEMORY FILE PROCESSES COMMAND...

WALL and CPU are seconds, MEMORY (of one process) and FILE (the largest one written) are bytes,
PROCESSES is how many its user may have in addition to those of now; 0 means no limit. The command
gets a session of its own. All its processes are killed when it ends, when WALL is over, when this
program is asked to end, and when the program that started this one is gone. Ends with the status of
the command, or with SIGALRM if WALL was over.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
import time

LINUX = sys.platform.startswith("linux")
POLL_SECONDS = 0.005
LAST_SECONDS = 5  # for killing processes that keep starting others
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


def ask_kernel(option: int, value: int) -> None:
    if LINUX:
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def own_processes(user: int) -> int:
    """The number of processes and threads of the user."""
    count = 0
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and os.stat(f"/proc/{name}").st_uid == user:
                count += len(os.listdir(f"/proc/{name}/task"))
        except OSError:
            pass
    return count


def at_most(kind: int, value: int) -> None:
    hard = resource.getrlimit(kind)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    # One second after the signal that a program may ignore (SIGXCPU), SIGKILL follows.
    most = value + 1 if kind == resource.RLIMIT_CPU else value
    resource.setrlimit(kind, (value, most if hard == resource.RLIM_INFINITY else min(most, hard)))


def limit(cpu: int, memory: int, largest_file: int, processes: int) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if cpu:
        at_most(resource.RLIMIT_CPU, cpu)
    if memory and LINUX:
        at_most(resource.RLIMIT_AS, memory)
    if largest_file:
        at_most(resource.RLIMIT_FSIZE, largest_file)
    if processes and LINUX:
        at_most(resource.RLIMIT_NPROC, own_processes(os.getuid()) + processes)


def start(command: list[str], limits: list[int]) -> int:
    child = os.fork()
    if child:
        return child
    try:
        os.setsid()
        ask_kernel(PR_SET_PDEATHSIG, signal.SIGKILL)  # in case this program is killed first
        for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        limit(*limits)
        os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"{command[0]}: cannot be started: {error.strerror}\n".encode())
    finally:
        os._exit(127)


def children() -> list[int]:
    found = []
    for name in os.listdir("/proc") if LINUX else []:
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                parent = int(file.read().rpartition(b")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            continue
        if parent == os.getpid():
            found.append(int(name))
    return found


def kill(target: int, group: bool = False) -> None:
    try:
        (os.killpg if group else os.kill)(target, signal.SIGKILL)
    except OSError:
        pass


def clear_away(child: int) -> None:
    """Kills the session, then any process that left it, until no child is left."""
    kill(child, group=True)
    end = time.monotonic() + LAST_SECONDS
    while time.monotonic() < end:
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return  # at once, as a rule: then the list of all processes is not read
        for other in children():
            kill(other)
        time.sleep(0.001)


def watch(child: int, wall: int, wanted_by: int) -> int:
    """The child's status as returned by waitpid, or that of SIGALRM after a timeout."""
    end = time.monotonic() + wall
    while time.monotonic() < end and os.getppid() == wanted_by:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == child:
            return status
        if not pid:
            time.sleep(POLL_SECONDS)
    return signal.SIGALRM


def end_like(status: int) -> None:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.WEXITSTATUS(status))


def main(arguments: list[str]) -> None:
    wanted_by = os.getppid()
    wall, *limits = map(int, arguments[:5])

    def asked_to_end(_number, _frame):
        raise SystemExit(1)

    signal.signal(signal.SIGTERM, asked_to_end)
    ask_kernel(PR_SET_CHILD_SUBREAPER, 1)  # orphaned descendants become our children
    child, status = start(arguments[5:], limits), 1 << 8
    try:
        os.closerange(3, 1024)
        status = watch(child, wall, wanted_by)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        clear_away(child)
    end_like(status)


if __name__ == "__main__":
    main(sys.argv[1:])

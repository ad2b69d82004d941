"""Setting up: Debian packages, configuring, building."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Callable, Iterator

from tools.terminal import (BUILD, ROOT, Stop, end, in_turn, quoted, said, say, say_seconds, shown,
                            start_logged, timed, watch)

PACKAGES = [
    "build-essential", "cmake", "ninja-build", "pkg-config", "libxtensor-dev",
    "libxtensor-blas-dev", "libopenblas-dev", "doctest-dev", "libsentencepiece-dev",
    "nlohmann-json3-dev", "libcli11-dev", "libonig-dev", "libutf8proc-dev",
]
SITE_PACKAGES = ["python3-venv", "libjs-katex", "fonts-katex", "fonts-wqy-zenhei", "fonttools"]
TEST_PACKAGES = PACKAGES + ["clang-format", "bubblewrap"] + SITE_PACKAGES
BROWSERS = ("chromium", "chromium-browser", "google-chrome")  # for the tests of pages

GIGABYTES_PER_COMPILER = 1.5
LEAST_ROOM = 1 << 20  # bytes; below this, the disk is the cause of a failure
LINES_SHOWN = 14  # of a log
FIRST_ERROR = re.compile(r"error:|\bError\b|undefined reference|No space left|Killed")


# ---- the machine ---------------------------------------------------------------------------------


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def memory_gigabytes() -> float:
    """Memory available to programs, or a container's limit if that is less."""
    return min(free_memory(), container_limit()) / 2**30


def free_memory() -> float:
    try:
        text = Path("/proc/meminfo").read_text()
    except OSError:
        return float("inf")
    found = re.search(r"MemAvailable:\s+(\d+) kB", text)
    return int(found.group(1)) * 1024 if found else float("inf")


def container_limit() -> float:
    try:
        return float(Path("/sys/fs/cgroup/memory.max").read_text())
    except (OSError, ValueError):  # no such file, or "max"
        return float("inf")


def parallel_jobs() -> int:
    return int(max(1, min(cores(), memory_gigabytes() / GIGABYTES_PER_COMPILER)))


def is_debian_like() -> bool:
    return bool(shutil.which("dpkg-query") and shutil.which("apt-get"))


# ---- packages ------------------------------------------------------------------------------------


def versions(packages: list[str]) -> dict[str, str]:
    """The versions of the packages that are installed."""
    form = "${binary:Package}\t${db:Status-Status}\t${Version}\n"
    answer = subprocess.run(["dpkg-query", "-W", "-f", form, *packages],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    rows = (line.split("\t") for line in answer.stdout.splitlines())
    return {name.split(":")[0]: version for name, status, version in rows if status == "installed"}


def missing(packages: list[str]) -> list[str]:
    installed = versions(packages)
    return [name for name in packages if name not in installed]


def as_root() -> list[str]:
    """The prefix that runs a command as root."""
    if os.geteuid() == 0:
        return []
    if not shutil.which("sudo"):
        return ["?"]
    return ["sudo"] if sys.stdin.isatty() else ["sudo", "-n"]


def install(packages: list[str]) -> None:
    """Installs missing packages with apt-get."""
    if not is_debian_like():
        if not shutil.which("cmake"):
            raise Stop("This is not Debian or Ubuntu, so install the equivalents of these Debian "
                       "packages, then type ./learn again:\n  " + " ".join(packages))
        return
    wanted = missing(packages)
    if not wanted:
        return
    prefix = as_root()
    if prefix == ["?"]:
        raise Stop("Packages are missing, you are not root, and there is no sudo. As root, type\n  "
                   "apt-get install -y " + " ".join(wanted) +
                   "\nthen ./learn again.")
    say(f"  installing {' '.join(wanted)}")
    if prefix and subprocess.call([*prefix, "true"]) != 0:
        raise Stop("sudo was refused. It was needed for:\n  sudo apt-get install -y " +
                   " ".join(wanted))
    environment = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q",
                   "-o", "Dpkg::Use-Pty=0", "-o", "DPkg::Lock::Timeout=300"]
    apt("package lists", [*environment, "update"], wanted)
    apt("packages", [*environment, "install", "-y", "--no-install-recommends", *wanted], wanted)


# How to test that a program works, if its --version does not tell.
PROBES = {"em++": ["-E", "-x", "c++", os.devnull]}


def works(program: str) -> bool:
    """Does the program exist and run? One that is half installed, or that only says what to
    install, does not count."""
    path = shutil.which(program)
    try:
        return path is not None and subprocess.run(
            [path, *PROBES.get(program, ["--version"])], stdin=subprocess.DEVNULL, timeout=60,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def offered(package: str, programs: tuple[str, ...], without: str) -> bool:
    """Does one of the programs work here, after trying to install the package? If not, says so."""
    if any(map(works, programs)):
        return True
    try:
        install([package])
    except Stop as stop:
        say(f"  {str(stop).splitlines()[0]}")
    if any(map(works, programs)):
        return True
    say(f"  there is no working {package} here: {said(without)}")
    return False


def apt(title: str, command: list[str], wanted: list[str]) -> None:
    log = BUILD.parent / "apt.log"
    status, seconds = timed(title, command, log, append=title != "package lists")
    if status != 0:
        tail = "\n".join("  " + line for line in log.read_text(errors="replace").splitlines()[-12:])
        raise Stop(f"apt-get failed ({title}). Its last lines, from {shown(log)}:\n{tail}\n"
                   f"To try it by hand, as root: apt-get install -y {' '.join(wanted)}")
    say_seconds(title, seconds)


# ---- configure and build -------------------------------------------------------------------------


def alone_in(folder: Path) -> contextlib.AbstractContextManager:
    """A lock: two builds in one folder would compile everything twice, or mix their files."""
    return in_turn(folder.parent / f"{folder.name}.lock")


def set_up(packages: list[str], programs: list[str] | None = None, folder: Path = BUILD,
           title: str = "building") -> bool:
    """Installs packages, configures and builds whatever is missing. Was anything built?

    `programs` names what to build below build/release/bin; None builds everything. The last part
    of `folder` is the name of the preset.
    """
    with alone_in(folder):
        install(packages)
        configure(programs or [], folder)
        return build(programs, folder, title)


def configure(programs: list[str], folder: Path) -> None:
    """Configures unless build.ninja has the programs; ninja reacts to a changed CMakeLists.txt."""
    if re.search(r'[][;|#$"<>\\\t\n]', str(ROOT)):  # as in CMakeLists.txt
        place = quoted(str(ROOT))
        raise Stop(f"CMake cannot work below a path with any of ; | # $ \" < > [ ] \\: {place}\n  "
                   "move or rename the folder, then type ./learn again", 2)
    forget_a_moved_build(folder)
    plan, launcher = folder / "build.ninja", lost_launcher(folder)
    if not launcher and plan.exists() and all(
            f"build bin/{name}:" in plan.read_text(errors="replace") for name in programs):
        return
    log, command = folder / "configure.log", ["cmake", "--preset", folder.name]
    if launcher:
        say(f"  {launcher}, which CMAKE_CXX_COMPILER_LAUNCHER names, is not here; building without "
            "it")
        command.append("-DCMAKE_CXX_COMPILER_LAUNCHER=")
    status, seconds = timed("configuring", command, log)
    if status != 0:
        plan.unlink(missing_ok=True)
        refuse_a_full_disk(folder)
        hint = "" if is_debian_like() else (
            "\nThis is not Debian or Ubuntu, so you need the equivalents of these Debian "
            "packages:\n  " +
            " ".join(PACKAGES))
        raise Stop(f"Configuring failed. From {shown(log)}:\n{first_error(log)}{hint}")
    say_seconds("configured", seconds)
    if "\n-- MPI: " in log.read_text(errors="replace"):
        say("  MPI is installed without its headers: built for one process")


def lost_launcher(folder: Path) -> str:
    """A compiler launcher such as ccache, set in the build folder or the environment, that no
    longer exists: with it, every file would fail to compile."""
    cache = folder / "CMakeCache.txt"
    text = cache.read_text(errors="replace") if cache.exists() else ""
    kept = re.search(r"^CMAKE_CXX_COMPILER_LAUNCHER:\w+=(.*)$", text, re.M)
    named = kept[1] if kept else os.environ.get("CMAKE_CXX_COMPILER_LAUNCHER", "")
    program = named.split(";")[0]
    return program if program and not shutil.which(program) else ""


def refuse_a_full_disk(folder: Path) -> None:
    """On a full disk, the log is empty, too."""
    if shutil.disk_usage(folder).free < LEAST_ROOM:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))


def forget_a_moved_build(folder: Path) -> None:
    """A build folder records where it was made; after a move it has to be recreated."""
    cache = folder / "CMakeCache.txt"
    if not cache.exists():
        return
    text = cache.read_text(errors="replace")
    home = re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", text, re.M)
    if home and Path(home.group(1)).resolve() != ROOT:
        say(f"  {shown(folder)} was created in another folder, so it is made anew")
        shutil.rmtree(folder)


def build(programs: list[str] | None, folder: Path, title: str = "building") -> bool:
    if programs == []:
        return False
    log = folder / "build.log"
    status, seconds = timed(title, building(programs, folder), log)
    return was_built(status, log, seconds, "built" if title == "building" else title)


def building(programs: list[str] | None, folder: Path) -> list[str]:
    command = ["cmake", "--build", str(folder), "--parallel", str(parallel_jobs())]
    if programs is not None:
        command += ["--target", *(f"bin/{name}" for name in programs)]
    return command


def was_built(status: int, log: Path, seconds: float, title: str = "built") -> bool:
    """Was there anything to build? Reports how long it took, or what failed."""
    if status != 0:
        refuse_a_full_disk(log.parent)
        raise Stop(f"The build failed. The first error, from {shown(log)}:\n{first_error(log)}")
    anything = "no work to do" not in log.read_text(errors="replace")
    if anything:
        say_seconds(title, seconds)
    return anything


@contextlib.contextmanager
def built_meanwhile(programs: list[str], folder: Path = BUILD) -> Iterator[Callable[[str], bool]]:
    """Builds the programs in the background. Yields a function that waits for one of them, until it
    is linked or, if it was linked before, until all are built; it returns whether others are still
    being built."""
    with alone_in(folder):
        configure(programs, folder)
        log, start = folder / "build.log", time.monotonic()
        process = start_logged(building(programs, folder), log)
        is_told = False

        def is_linked(name: str) -> bool:
            line = rf"^\[\d+/\d+\] Linking CXX executable bin/{re.escape(name)}$"
            return bool(re.search(line, log.read_text(errors="replace"), re.M))

        def wait_for(name: str) -> bool:
            nonlocal is_told
            watch(process, "building", log, lambda: is_linked(name))
            if process.returncode is not None and not is_told:
                is_told = True
                was_built(process.returncode, log, time.monotonic() - start)
            return process.returncode is None

        try:
            yield wait_for
        finally:
            if process.poll() is None:
                end(process)


def first_error(log: Path) -> str:
    """What failed, with the log from the line before its first error; else the log's last lines."""
    lines = log.read_text(errors="replace").splitlines()
    first = next((i for i, line in enumerate(lines) if FIRST_ERROR.search(line)), None)
    if first is None:
        chosen = lines[-LINES_SHOWN:]
    else:
        failed = [i for i in range(first) if lines[i].startswith("FAILED:")][-1:]
        before = first if failed == [first - 2] or first == 0 else first - 1  # not the command
        chosen = [lines[i] for i in failed] + lines[before:first + LINES_SHOWN]
    return "\n".join("  " + line for line in chosen)

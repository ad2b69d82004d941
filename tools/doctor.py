"""`./learn doctor`: what is in place, what is missing, and which command fixes it."""

from __future__ import annotations

import ctypes
import os
import platform
import re
import shutil
import subprocess
from pathlib import Path

from tools import lessons, setup
from tools.corpora import catalogue
from tools.terminal import BIN, SLOWING, Flags, column, said, say, shown, visible

# Homebrew's names for the packages of setup.PACKAGES; clang comes with Apple's command line tools.
HOMEBREW = ("cmake ninja pkgconf openblas doctest sentencepiece nlohmann-json cli11 oniguruma "
            "utf8proc")


def main(arguments: list[str]) -> int:
    """Prints the report; returns 1 if something is missing, else 0."""
    Flags("doctor").parse_args(arguments)
    problems = dict(tools())
    problems.update(packages())
    if platform.system() == "Darwin":
        macos()
    machine()
    gpu()
    openblas()
    mpi()
    programs()
    data()
    say()
    if not problems:
        say("Everything that is needed is here. Next: ./learn")
        return 0
    say("Missing, and what to type:")
    for problem, command in problems.items():
        say(f"  {problem:<20} {command}")
    if setup.is_debian_like():
        say("All of it at once: ./learn test")
    return 1


def how_to_install(package: str) -> str:
    if not setup.is_debian_like():
        return f"install the equivalent of Debian's {package}"
    return ("" if os.geteuid() == 0 else "sudo ") + f"apt-get install -y {package}"


def row(mark: str, name: str, text: str) -> None:
    say(f"  {column(mark, 5)} {column(name, 20)} {said(text)}")


def version_of(program: str) -> list[str]:
    """The lines of its --version output; none if it is only partly installed."""
    try:
        answer = subprocess.run([program, "--version"], stdout=subprocess.PIPE, timeout=60,
                                stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return []
    lines = answer.stdout.decode("utf-8", "replace").splitlines()
    return [visible(line) for line in lines] if answer.returncode == 0 else []


def tools() -> list[tuple[str, str]]:
    """The build tools; like `packages`, returns (package, command) for each missing one."""
    problems = []
    for name, package in (("g++", "build-essential"), ("cmake", "cmake"), ("ninja", "ninja-build")):
        lines = version_of(name)
        if lines:
            row("ok", name, lines[0])
        else:
            row("MISS", name, "found, but it does not run" if shutil.which(name) else "not found")
            problems.append((package, how_to_install(package)))
    return problems


def packages() -> list[tuple[str, str]]:
    if not setup.is_debian_like():
        row("?", "packages", "not Debian or Ubuntu: cannot look them up")
        return []
    installed = setup.versions(setup.TEST_PACKAGES)
    problems = []
    for name in setup.TEST_PACKAGES:
        row("ok" if name in installed else "MISS", name, installed.get(name, "not installed"))
        if name not in installed:
            problems.append((name, how_to_install(name)))
    return problems


def macos() -> None:
    """What is known about macOS, which is untested."""
    row("?", "macOS", "untested: nothing has ever been built there. It would need:")
    row("", "", "xcode-select --install")
    row("", "", f"brew install {HOMEBREW}")
    row("", "", "xtensor and xtensor-blas, in matching versions: Homebrew has no")
    row("", "", "xtensor-blas, but conda-forge has both")


def machine() -> None:
    row("", "cores", f"{setup.cores()}, of which the build uses {setup.parallel_jobs()}")
    row("", "memory", f"{setup.memory_gigabytes():.1f} GiB free")


def gpu() -> None:
    """What the preset `cuda` needs, and nothing else does."""
    if not shutil.which("nvcc"):
        row("", "nvcc", "not found, so no GPU; --device cuda-emulated runs its kernels all the "
                        "same")
        return
    release = next((line for line in version_of("nvcc") if "release" in line), "")
    if not release:
        row("?", "nvcc", "found, but it does not run; --device cuda-emulated does not need it")
        return
    row("ok", "nvcc", release.strip())
    major = (re.search(r"release (\d+)", release) or ("", "13"))[1]
    toolkits = [Path(os.path.realpath(shutil.which("nvcc"))).parent.parent, Path("/usr/local/cuda")]
    if any((toolkit / "include" / "cublas_v2.h").exists() for toolkit in toolkits):
        row("ok", "cuBLAS", "comes with the toolkit")
    else:
        row("?", "cuBLAS", "not in the toolkit: matrix products on a GPU would be slow. To get it:")
        row("", "", "pip download --no-deps nvidia-cublas; unzip nvidia_cublas-*.whl -d FOLDER")
        row("", "", "cmake --preset cuda -DXF_CUBLAS_ROOT=FOLDER/nvidia/cu13")
    nccl(major)


def nccl(major: str) -> None:
    """NCCL, which adds up the gradients of several GPUs; never run on one."""
    cache = BIN.parent.parent / "cuda" / "CMakeCache.txt"
    found = re.search(r"^XF_NCCL_LIBRARY:.*=(/.*)$", cache.read_text(), re.M) \
        if cache.exists() else None
    if found or Path("/usr/include/nccl.h").exists():
        row("ok", "NCCL", "compiled, linked and run with the emulator's stand-in, but never on a "
                          "GPU")
        return
    row("", "NCCL", "not found: gradients of several GPUs would be added on the host. To install "
                    "it:")
    row("", "", f"pip download --no-deps nvidia-nccl-cu{major}; unzip nvidia_nccl_*.whl -d FOLDER")
    row("", "", "cmake --preset cuda -DXF_NCCL_ROOT=FOLDER/nvidia/nccl")


def openblas() -> None:
    """The kernel that OpenBLAS chooses here by itself, and a warning if one is forced."""
    forced = {name: os.environ.pop(name) for name in SLOWING if name in os.environ}
    try:
        library = ctypes.CDLL("libopenblas.so.0")
    except OSError:
        row("?", "OpenBLAS", "libopenblas.so.0 does not load")
        return
    for name in ("openblas_get_corename", "openblas_get_config"):
        getattr(library, name).restype = ctypes.c_char_p
    row("", "OpenBLAS kernel", library.openblas_get_corename().decode())
    row("", "OpenBLAS build", library.openblas_get_config().decode())
    if forced:
        names = " ".join(forced)
        row("slow", "OpenBLAS", f"{names} is set, which can halve the speed of matrix products;")
        row("", "", f"./learn unsets it; before you start programs yourself: unset {names}")


def mpi() -> None:
    """MPI, which runs with several processes need, and nothing else does."""
    cache = BIN.parent / "CMakeCache.txt"
    text = cache.read_text(errors="replace") if cache.exists() else ""
    lines = version_of("mpirun")
    if lines and "\nXF_PROCESSES:INTERNAL=several\n" in text:
        row("ok", "MPI", lines[0])
        return
    row("", "MPI", "not found: one machine, one process. For more:" if not lines
        else "not all of it is here: the programs were built for one process. For more:" if text
        else "the build will say whether all of it is here. If not:")
    row("", "", how_to_install("libopenmpi-dev openmpi-bin") if setup.is_debian_like()
        else "install Open MPI or MPICH")
    row("", "", "cmake --preset release; ./learn")


def programs() -> None:
    names = lessons.chapters()
    built = [name for name in names if (BIN / name).exists()]
    state = f"{len(built)} of {len(names)} chapters are built"
    row("", "programs", state if len(built) == len(names)
        else f"{state}; to build and run them all: ./learn")


def data() -> None:
    found = [corpus.name for corpus in catalogue.CORPORA if corpus.place()]
    row("", "corpora", ", ".join(found) or "none (only training on real text needs a corpus)")
    row("", "", f"in {shown(catalogue.folder())}; more: ./learn data")

"""Programs for arm64, compiled and run on a machine with another processor.

The libraries of Debian's arm64 packages are unpacked into a folder, with package
lists of their own: the system is not changed, and root is not needed.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from tools.terminal import Stop, shown, timed

EMULATOR = "qemu-aarch64"
PACKAGES = ["libopenblas-pthread-dev", "libsentencepiece-dev", "libonig-dev", "libutf8proc-dev",
            "libstdc++6"]
TRIPLE = "aarch64-linux-gnu"


def cmake_arguments(folder: Path) -> list[str]:
    """The arguments for CMake; downloads the packages into `folder` unless they are there."""
    root = folder / "root"
    libraries = root / "usr" / "lib" / TRIPLE
    blas = libraries / "openblas-pthread"
    if not (blas / "libopenblas.so").exists():
        fetch(folder, root)
    linked = f"-Wl,-rpath-link,{libraries}:{blas}"
    return ["-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=aarch64",
            f"-DCMAKE_CROSSCOMPILING_EMULATOR={EMULATOR};-L;{root};-E;"
            f"LD_LIBRARY_PATH={libraries}:{blas}",
            f"-DXF_BLAS={blas / 'libopenblas.so'}",
            f"-DXF_SENTENCEPIECE={libraries / 'libsentencepiece.so'}",
            f"-DXF_SENTENCEPIECE_TRAIN={libraries / 'libsentencepiece_train.so'}",
            f"-DXF_ONIGURUMA={libraries / 'libonig.so'}",
            f"-DXF_UTF8PROC={libraries / 'libutf8proc.so'}",
            # Header-only, and the same for every processor.
            *(f"-D{name}_DIR={found}" for name, found in headers().items()),
            f"-DCMAKE_CXX_FLAGS=-isystem {root / 'usr' / 'include' / TRIPLE / 'openblas-pthread'}",
            f"-DCMAKE_EXE_LINKER_FLAGS={linked}"]


def headers() -> dict[str, Path]:
    """The folder of xtensor's CMake files: Debian keeps them next to the libraries."""
    return {"xtensor": found for found in Path("/usr/lib").glob("*/cmake/xtensor")}


def fetch(folder: Path, root: Path) -> None:
    """Downloads the packages with their dependencies, and unpacks them into `root`."""
    state, cache = folder / "apt", folder / "cache"
    for made in (state / "lists" / "partial", cache / "archives" / "partial", root):
        made.mkdir(parents=True, exist_ok=True)
    (state / "status").touch()
    apt = ["apt-get", "-q", "-o", "APT::Architecture=arm64", "-o", "APT::Architectures=arm64",
           "-o", f"Dir::State={state}", "-o", f"Dir::State::status={state / 'status'}",
           "-o", f"Dir::Cache={cache}", "-o", "Debug::NoLocking=true"]
    log = folder / "apt.log"
    wanted = ["install", "-y", "--download-only", "--no-install-recommends", *PACKAGES]
    for title, words in (("package lists", ["update"]), ("packages", wanted)):
        status, _ = timed(title, [*apt, *words], log, append=title == "packages")
        if status != 0:
            raise Stop(f"apt-get failed ({title}); see {shown(log)}")
    for package in sorted((cache / "archives").glob("*.deb")):
        subprocess.run(["dpkg-deb", "-x", str(package), str(root)], check=True)

"""One folder to carry to a machine that has a GPU, but no toolkit: see tools/gpu_check.py."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from tools.gpu_report import PAGES, Problem

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ("test_cuda", "07_transformer", "08_transformer_xl", "bench", "bench_gpu")
MARK = "carried.txt"  # marks a folder as one of these
FILES = ("tools/__init__.py", "tools/gpu_check.py", "tools/gpu_pack.py", "tools/gpu_report.py",
         "bench/torch_mt.py", "bench/torch_xl.py")
# Every Linux has these; another machine's would fit its kernel and loader worse than its own.
# cuBLAS is too large to carry: Python's packages have it there.
OF_THE_SYSTEM = re.compile(r"(ld-linux|libc|libm|libdl|librt|libpthread|libcublas\w*|libcuda)"
                           r"[-.\w]*\.so")


def is_packed(folder: Path) -> bool:
    return (folder / MARK).exists()


def run(words: list) -> None:
    print("$ " + " ".join(str(word).replace(str(ROOT), ".") for word in words), flush=True)
    if not shutil.which(words[0]):
        raise Problem(f"there is no {words[0]} in the path, which builds the programs")
    if subprocess.run([str(word) for word in words], cwd=ROOT).returncode != 0:
        raise Problem(f"{words[0]} has failed")


def build(folder: Path, cublas: Path | None, anywhere: bool) -> None:
    """The preset `cuda`; with `anywhere` for every x86-64 processor, not for this one alone."""
    words: list = ["cmake", "--preset", "cuda", "-B", folder, "-DXF_MPI=OFF"]
    if cublas:
        words.append(f"-DXF_CUBLAS_ROOT={cublas}")
    if anywhere:
        words += ["-DXF_HAS_NATIVE=OFF", "-DXF_HAS_VECTOR_WIDTH=OFF"]
    run(words)
    run(["ninja", "-C", folder, *PROGRAMS])


def libraries(program: Path) -> dict[str, Path]:
    """The shared libraries that the program loads here, by the names it asks for."""
    listed = subprocess.run(["ldd", str(program)], stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, text=True).stdout
    found = re.findall(r"^\s*(\S+) => (/\S+)", listed, re.M)
    return {name: Path(path) for name, path in found if not OF_THE_SYSTEM.match(name)}


def pack(built: Path, folder: Path, root: Path) -> None:
    """Programs, their libraries, the check and the pages that it fills in."""
    if folder.exists() and any(folder.iterdir()):
        raise Problem(f"--pack: {folder} is not empty")
    needed: dict[str, Path] = {}
    for name in PROGRAMS:
        program = built / "bin" / name
        if not program.exists():
            raise Problem(f"--pack: there is no {program}")
        copy(program, folder / "bin" / name)
        needed.update(libraries(program))
    for name, path in needed.items():
        copy(path, folder / "lib" / name)
    for name in FILES:
        copy(root / name, folder / name)
    for name in PAGES.values():
        copy(root / "docs/results" / name, folder / "results" / name)
    (folder / MARK).write_text("On a machine with a GPU: python3 tools/gpu_check.py\n")
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    print(f"{folder}: {size / 2**20:.0f} MiB; there, `python3 {folder.name}/tools/gpu_check.py`")


def copy(path: Path, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(path, to)

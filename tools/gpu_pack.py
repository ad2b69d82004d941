"""An archive to carry to a machine that has a GPU, but no toolkit: see tools/gpu_check.py."""

from __future__ import annotations

import hashlib
import lzma
import re
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

from tools.gpu_report import PAGES, Problem

ROOT = Path(__file__).resolve().parent.parent
LESSONS = ("01_embedding", "02_attention", "03_layer_norm", "04_feed_forward", "05_encoder",
           "06_decoder", "07_transformer", "08_transformer_xl", "09_since_2017")
PROGRAMS = ("test_cuda", "bench", "bench_gpu", *LESSONS)
ARCHITECTURE = "90"  # of what is carried: code for an H100, and PTX for what came later
MARK = "carried.txt"  # marks a folder as one of these
FILES = ("tools/__init__.py", "tools/gpu_check.py", "tools/gpu_pack.py", "tools/gpu_report.py",
         "bench/torch_mt.py", "bench/torch_xl.py",
         "tests/device_test.py", "tests/device_lessons_test.py", "tests/runs_test.py")
# Machine code is packed better when jumps name where they lead, not how far away that is.
FILTERS = [{"id": lzma.FILTER_X86}, {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME}]
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
        words += ["-DXF_HAS_NATIVE=OFF", "-DXF_HAS_VECTOR_WIDTH=OFF",
                  f"-DCMAKE_CUDA_ARCHITECTURES={ARCHITECTURE}"]
    run(words)
    run(["ninja", "-C", folder, *PROGRAMS])


def libraries(program: Path) -> dict[str, Path]:
    """The shared libraries that the program loads here, by the names it asks for."""
    listed = subprocess.run(["ldd", str(program)], stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, text=True).stdout
    found = re.findall(r"^\s*(\S+) => (/\S+)", listed, re.M)
    return {name: Path(path) for name, path in found if not OF_THE_SYSTEM.match(name)}


def refuse(archive: Path) -> None:
    """Before anything is built: an archive that could not be written."""
    if not archive.name.endswith(".tar.xz"):
        raise Problem(f"--pack: a name that ends in .tar.xz, not {archive}")
    if archive.exists():
        raise Problem(f"--pack: {archive} is there already")


def pack(built: Path, archive: Path, root: Path) -> None:
    """Programs, their libraries, the check and the pages that it fills in."""
    name = archive.name[:-len(".tar.xz")]
    with tempfile.TemporaryDirectory() as above:
        folder = Path(above) / name
        gather(built, folder, root)
        with lzma.open(archive, "wb", filters=FILTERS) as packed, \
                tarfile.open(fileobj=packed, mode="w") as tar:
            tar.add(folder, name)
    print(f"{archive}: {archive.stat().st_size / 2**20:.0f} MiB; there, `tar xf {archive.name} && "
          f"python3 {name}/tools/gpu_check.py`")


def gather(built: Path, folder: Path, root: Path) -> None:
    needed: dict[str, Path] = {}
    for name in PROGRAMS:
        program = built / "bin" / name
        if not program.exists():
            raise Problem(f"--pack: there is no {program}")
        copy(program, folder / "bin" / name)
        needed.update(libraries(program))
    for name, path in needed.items():
        copy(path, folder / "lib" / name)
    for path in [*(folder / "bin").iterdir(), *(folder / "lib").glob("*")]:
        if path.read_bytes()[:4] == b"\x7fELF":
            run(["strip", "--strip-unneeded", path])
    for name in FILES:
        copy(root / name, folder / name)
    for name in PAGES.values():
        copy(root / "docs/results" / name, folder / "results" / name)
    (folder / MARK).write_text("On a machine with a GPU: python3 tools/gpu_check.py\n")


def fingerprint(programs: Path) -> str:
    """Of the programs, as they are."""
    known = hashlib.sha256()
    for name in PROGRAMS:
        known.update((programs / name).read_bytes())
    return known.hexdigest()[:16]


def copy(path: Path, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(path, to)

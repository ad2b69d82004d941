#!/usr/bin/env python3
"""Matrix products of the engine's own kernel: WebAssembly in node against native code without AVX,
on one thread, in turns. Compiles both, and prints for each the best of the rounds and their ratio.

  python3 bench/live/products.py [ROUNDS]
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from tools.speed.bench_report import cpu_name  # noqa: E402

ENGINE = ROOT / "common"
SOURCES = [Path(__file__).with_suffix(".cpp"),
           *(ENGINE / "ops/matmul" / f"{name}.cpp" for name in ("cpu", "panels_cpu", "skinny_cpu")),
           *(ENGINE / "tensor" / f"{name}.cpp" for name in
             ("cpu", "no_openblas", "parallel", "storage", "tensor"))]
FLAGS = ["-std=c++20", "-O3", "-DNDEBUG", "-fno-math-errno", "-fno-trapping-math", f"-I{ENGINE}"]


def compiled(compiler: str, flags: list[str], target: Path) -> Path:
    objects = []
    for number, source in enumerate(SOURCES):
        objects.append(target.with_suffix(f".{number}.o"))
        subprocess.run([compiler, *FLAGS, *flags, "-c", source, "-o", objects[-1]], check=True)
    link = ["-O1", "-fexceptions", "-sALLOW_MEMORY_GROWTH=1", "-sSINGLE_FILE=1"]
    command = [compiler, *(link if compiler == "em++" else []), *objects, "-o", target]
    subprocess.run(command, check=True)
    return target


def speeds(command: list) -> dict[tuple[str, int], float]:
    text = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    rows = (line.split() for line in text.splitlines())
    return {(product, int(n)): float(speed) for n, *three in rows
            for product, speed in zip(("A B", "A B^T", "A^T B"), three)}


def version() -> str:
    return subprocess.run(["node", "--version"], stdout=subprocess.PIPE, text=True).stdout.strip()


def main(rounds: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        native = compiled("g++", ["-march=x86-64"], Path(folder) / "native")
        module = compiled("em++", ["-msimd128", "-fexceptions"], Path(folder) / "module.js")
        runs = [(speeds([native]), speeds(["node", module])) for _ in range(rounds)]
    print(f"{cpu_name()}, node {version()}; the best of {rounds} rounds, in turns, GFLOP/s")
    print(f"{'product':<8} {'n':>4} {'native':>8} {'wasm':>8} {'ratio':>6}")
    for product, n in runs[0][0]:
        fast, page = (max(run[side][product, n] for run in runs) for side in (0, 1))
        print(f"{product:<8} {n:>4} {fast:8.1f} {page:8.1f} {page / fast:6.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)

#!/usr/bin/env python3
"""On a machine with a GPU: builds the preset `cuda`, tests it, measures it, and writes it down.

    tools/gpu_check.py [--cublas FOLDER] [--build FOLDER]

One call, under ten minutes on 16 cores. Every step's output goes into docs/results/logs/gpu.txt,
with the machine and the time it took; a step that fails is named, and the others still run. Exits
with 0 when all of them passed.
"""

from __future__ import annotations

import argparse
import platform
import shutil
import site
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOG = ROOT / "docs" / "results" / "logs" / "gpu.txt"
TARGETS = ["test_cuda", "07_transformer", "08_transformer_xl", "bench", "bench_gpu"]
TOOLS = ("memcheck", "racecheck", "initcheck")  # of compute-sanitizer


class Log:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.failed: list[str] = []

    def say(self, text: str) -> None:
        print(text, flush=True)
        self.lines.append(text)

    def run(self, name: str, words: list, seconds: int, tail: int = 60) -> bool:
        """One step; the last lines of what it prints are kept."""
        self.say(f"\n## {name}\n$ {' '.join(Path(str(word)).name for word in words[:1])} "
                 + " ".join(str(word).replace(str(ROOT), ".") for word in words[1:]))
        before = time.monotonic()
        try:
            answer = subprocess.run([str(word) for word in words], cwd=ROOT, text=True,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                    timeout=seconds)
            output, code = answer.stdout, answer.returncode
        except subprocess.TimeoutExpired as late:
            output, code = (late.stdout or b"").decode(errors="replace"), -1
        except OSError as error:
            output, code = str(error), -1
        for line in output.splitlines()[-tail:]:
            self.say(line.rstrip())
        self.say(f"-> {'passed' if code == 0 else f'FAILED ({code})'}, "
                 f"{time.monotonic() - before:.0f} s")
        if code != 0:
            self.failed.append(name)
        return code == 0


def cublas_of_python() -> Path | None:
    """cuBLAS as Python's packages bring it, PyTorch's among them."""
    folders = [Path(folder) for folder in [*site.getsitepackages(), site.getusersitepackages()]]
    for folder in folders:
        for found in sorted(folder.glob("nvidia/cu*")):
            if (found / "include" / "cublas_v2.h").exists():
                return found
    return None


def device(log: Log) -> bool:
    log.say(f"{platform.platform()}, {platform.processor() or platform.machine()}")
    return log.run("the device", ["nvidia-smi", "--query-gpu=name,driver_version,memory.total",
                                  "--format=csv"], 60)


def build(log: Log, folder: Path, cublas: Path | None) -> bool:
    configure = ["cmake", "--preset", "cuda", "-B", folder]
    if cublas:
        configure.append(f"-DXF_CUBLAS_ROOT={cublas}")
    return (log.run("configuring", configure, 120)
            and log.run("building", ["ninja", "-C", folder, *TARGETS], 420, tail=5))


def check(log: Log, programs: Path) -> None:
    log.run("tests on the device", [programs / "test_cuda"], 300)
    checker = shutil.which("compute-sanitizer")
    if not checker:
        log.say("\ncompute-sanitizer is not installed: left out")
        return
    for tool in TOOLS:
        log.run(f"compute-sanitizer {tool}",
                [checker, "--tool", tool, "--error-exitcode", "1", programs / "test_cuda",
                 "-tce=*ten updates*,*same words*"], 180, tail=12)


def measure(log: Log, programs: Path) -> None:
    log.run("kernels", [programs / "bench_gpu", "--device", "cuda"], 120)
    for command, more in (("train", ["--preset", "base"]), ("xl", [])):
        log.run(f"bench {command}", [programs / "bench", command, *more, "--device", "cuda"], 120)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cublas", type=Path, default=cublas_of_python(),
                        help="the folder with cuBLAS's include/ and lib/")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "cuda")
    options = parser.parse_args()
    if not shutil.which("nvcc"):
        print("gpu_check: there is no nvcc in the path; NVIDIA's CUDA toolkit brings it",
              file=sys.stderr)
        return 2
    log = Log()
    log.say(f"# tools/gpu_check.py, {time.strftime('%Y-%m-%d %H:%M')}")
    there = device(log)
    if build(log, options.build, options.cublas) and there:
        check(log, options.build / "bin")
        measure(log, options.build / "bin")
    log.say(f"\n{'all passed' if not log.failed else 'failed: ' + ', '.join(log.failed)}")
    if there:
        LOG.write_text("\n".join(log.lines) + "\n", encoding="utf-8")
        print(f"written: {LOG.relative_to(ROOT)}")
    return 1 if log.failed else 0


if __name__ == "__main__":
    sys.exit(main())

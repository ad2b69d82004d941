#!/usr/bin/env python3
"""Builds, tests and measures on a machine with a GPU, and writes the page of the results.

    tools/gpu_check.py [--cublas FOLDER] [--build FOLDER]
    tools/gpu_check.py --pack FOLDER     # builds here what a machine without a toolkit runs
    FOLDER/tools/gpu_check.py            # there; the results come to FOLDER/results
    tools/gpu_check.py --take FOLDER/results/logs/gpu.json    # back here: writes the page

One call, under ten minutes on 16 cores: the preset `cuda` is built, its tests run on the device,
also under compute-sanitizer where that is installed, kernels and whole steps are measured, beside
PyTorch's (eager and compiled) where it is installed and finds the GPU. docs/results/gpu.md and
gpu.zh.md are written from what was found, with the record and the log in docs/results/logs. A step
that fails is named, and the others still run. Exits with 0 when all of them passed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import signal
import site
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools import gpu_pack, gpu_report  # noqa: E402

TOOLS = ("memcheck", "racecheck", "initcheck")  # of compute-sanitizer
SECONDS = 580  # of the whole call; what would come later is left out
BEGIN = time.monotonic()
BASE = ["--preset", "base", "--batch", "128"]  # of 32 tokens each: 4,096
XL = ["--layers", "12", "--d-model", "512", "--d-ff", "2048", "--heads", "8", "--tgt-len", "512",
      "--mem-len", "512", "--batch", "8", "--vocab", "204"]
STEPS = ["--warmup", "5", "--steps", "30"]
ALL = ("float32", "tf32", "bf16")
# What is measured beside PyTorch: its name, bench's words, PyTorch's script and more for it.
MEASURED = (
    ("train", ["train", *BASE, *STEPS], "torch_mt.py", ["--adam", "fused"], ALL),
    ("xl", ["xl", *XL, *STEPS], "torch_xl.py", ["--adam", "fused"], ALL),
    ("decode", ["decode", "--preset", "base", "--batch", "64"], "torch_mt.py",
     ["--kv", "preallocated"], ("float32",)))


class Check:
    """What is found, step by step: for the log, and for the record."""

    def __init__(self, programs: Path, environment: dict[str, str]) -> None:
        self.programs, self.environment = programs, environment
        self.lines: list[str] = []
        self.record: dict = {"date": time.strftime("%Y-%m-%d"), "failed": [], "left_out": []}
        self.end = BEGIN + SECONDS

    def say(self, text: str) -> None:
        print(text, flush=True)
        self.lines.append(text)

    def run(self, name: str, words: list, seconds: float, tail: int = 40,
            environment: dict[str, str] | None = None) -> str | None:
        """One step; the last lines of what it prints are kept. Returns all of it, or None when it
        has failed, or was left out: it lacks something (77), or the whole call's time is over."""
        words = [str(word) for word in words]
        shown = " ".join(word.replace(str(ROOT), ".") for word in [Path(words[0]).name, *words[1:]])
        rest = self.end - time.monotonic()
        if rest < 1:
            self.say(f"\n## {name}\n-> left out: the {SECONDS} seconds are over")
            self.record["left_out"].append(name)
            return None
        self.say(f"\n## {name}\n$ {shown}")
        before = time.monotonic()
        output, code = answer(words, min(seconds, rest), environment or self.environment)
        for line in output.splitlines()[-tail:]:
            self.say(line.rstrip())
        left_out = code == 77 or code == LATE and rest < seconds
        self.say(f"-> {'passed' if code == 0 else 'left out' if left_out else f'FAILED ({code})'}, "
                 f"{time.monotonic() - before:.0f} s")
        if code == 0:
            return output
        self.record["left_out" if left_out else "failed"].append(name)
        return None

    # ---- the steps -------------------------------------------------------------------------------

    def machine(self) -> bool:
        found = self.run("the device", ["nvidia-smi", "--format=csv,noheader",
                                        "--query-gpu=name,driver_version,memory.total"], 60)
        cells = [cell.strip() for cell in (found or "").splitlines()[0].split(",")] if found else []
        self.record["machine"] = {"gpu": cells[0] if cells else None,
                                  "driver": cells[1] if cells else None,
                                  "memory": cells[2] if cells else None,
                                  "system": platform.platform(), "cores": os.cpu_count()}
        return bool(cells)

    def test(self) -> None:
        found = self.run("tests on the device", [self.programs / "test_cuda"], 300)
        self.record["tests"] = doctest_counts(found) if found else None

    def sanitize(self) -> None:
        self.record["sanitizers"] = {}
        checker = shutil.which("compute-sanitizer")
        if not checker:
            self.say("\ncompute-sanitizer is not installed: left out")
            return
        for tool in TOOLS:
            name = f"compute-sanitizer {tool}"
            passed = self.run(name, [checker, "--tool", tool, "--error-exitcode", "1",
                                     self.programs / "test_cuda", "-tce=*same way*,*same words*"],
                              SECONDS, tail=12)
            if name not in self.record["left_out"]:
                self.record["sanitizers"][tool] = passed is not None

    def measure(self) -> None:
        found = self.run("kernels", [self.programs / "bench_gpu", "--device", "cuda"], 120)
        self.record["kernels"] = last_json(found).get("rows", []) if found else []
        self.record["speed"] = []
        for what, words, script, theirs, precision in (
                (*one[:4], precision) for one in MEASURED for precision in one[4]):
            row = {"what": what, "precision": precision}
            how = [] if what == "decode" else ["--precision", precision]
            row["ours"] = self.speed(f"{what} {precision}", [
                self.programs / "bench", *words, *how, "--device", "cuda", "--peak-size", "0"])
            for name, more in (("eager", []), ("compile", ["--compile"])):
                row[name] = self.speed(f"{what} {precision} PyTorch {name}", [
                    sys.executable, ROOT / "bench" / script, *words, *theirs, *how,
                    *more, "--sdpa", "--device", "cuda"], dict(os.environ))  # its own libraries
            self.record["speed"].append(row)

    def speed(self, name: str, words: list, environment: dict[str, str] | None = None):
        found = last_json(self.run(name, words, 120, tail=6, environment=environment) or "")
        kept = ("tokens_per_s", "ms_per_step", "torch", "cuda")
        return {key: found[key] for key in kept if key in found} or None


LATE = "too late"


def answer(words: list[str], seconds: float, environment: dict[str, str]) -> tuple:
    """What a program prints, and its exit code, or why there is none. Whatever it has started ends
    with it: a profiler's program, a compiler's workers."""
    try:
        program = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, env=environment,
                                   stderr=subprocess.STDOUT, start_new_session=True)
    except OSError as error:
        return f"{words[0]}: {error.strerror}", "not started"
    try:
        output, code = program.communicate(timeout=seconds)[0], program.returncode
    except subprocess.TimeoutExpired:
        os.killpg(program.pid, signal.SIGKILL)
        output, code = program.communicate()[0], LATE
    return output.decode(errors="replace"), code


def last_json(output: str) -> dict:
    """The object in the last line that is one."""
    for line in reversed(output.splitlines()):
        if line.startswith("{"):
            try:
                return json.loads(line)
            except ValueError:
                continue
    return {}


def doctest_counts(output: str) -> dict:
    found = {}
    for name, key in (("test cases", "cases"), ("assertions", "assertions")):
        match = re.search(rf"\[doctest\] {name}:\s*(\d+)", output)
        found[key] = int(match[1]) if match else None
    return found


# ---- where things are ----------------------------------------------------------------------------


def cublas_of_python() -> Path | None:
    """cuBLAS as Python's packages bring it, PyTorch's among them, to build with: that of nvcc's
    version."""
    said = answer(["nvcc", "--version"], 60, dict(os.environ))[0]
    version = re.search(r"release (\d+)", said)
    return next((folder for folder in nvidia_folders()
                 if version and (folder / "include" / "cublas_v2.h").exists()
                 and (folder / "lib" / f"libcublas.so.{version[1]}").exists()), None)


def nvidia_folders() -> list[Path]:
    folders = [Path(folder) for folder in [*site.getsitepackages(), site.getusersitepackages()]]
    return [found for folder in folders
            for found in [*sorted(folder.glob("nvidia/cu*"), reverse=True)]]


def library_path(cublas: Path | None) -> str:
    """Where the programs find libraries: those beside them, and cuBLAS."""
    named = [ROOT / "lib"] + ([cublas / "lib"] if cublas else [])
    packages = [folder / "lib" for folder in nvidia_folders()]
    before = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    return ":".join([str(path) for path in [*named, *packages] if path.is_dir()]
                    + [path for path in before if path])


def libraries(program: Path, environment: dict[str, str]) -> str:
    """What it loads, a line each; nothing where that cannot be listed."""
    listed, code = answer(["ldd", str(program)], 60, environment)
    return listed if code == 0 else ""


def stop(problem: str) -> int:
    print(f"gpu_check: {problem}", file=sys.stderr)
    return 2


def check(known: Check, results: Path) -> int:
    programs = known.programs
    listed = libraries(programs / "test_cuda", known.environment)
    missing = re.findall(r"^\s*(\S+) => not found", listed, re.M)
    if missing:
        return stop(f"{programs / 'test_cuda'} needs {', '.join(missing)}; name the folder above "
                    "its lib/ with --cublas (`pip download nvidia-cublas` brings cuBLAS)")
    known.record["cublas"] = "libcublas" in listed or not listed
    if not known.record["cublas"]:
        known.say("\nbuilt without cuBLAS: the matrix products are this project's own, and slow")
    known.test()
    known.measure()
    known.sanitize()  # last: it may take all the time that is left
    failed = known.record["failed"]
    known.say(f"\n{'all passed' if not failed else 'failed: ' + ', '.join(failed)}")
    gpu_report.write(results, known.record, known.lines)
    print(f"written: {results}")
    return 1 if failed else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cublas", type=Path, help="the folder with cuBLAS's include/ and lib/")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "cuda")
    parser.add_argument("--pack", type=Path, metavar="FOLDER",
                        help="build, and put what another machine needs into this new folder")
    parser.add_argument("--take", type=Path, metavar="RECORD",
                        help="write the page from a record that was made elsewhere")
    options = parser.parse_args()
    carried = gpu_pack.is_packed(ROOT)
    results = ROOT / "results" if carried else ROOT / "docs" / "results"
    try:
        if options.take:
            gpu_report.take(results, options.take)
            return 0
        if not carried and not shutil.which("nvcc"):
            return stop("there is no nvcc in the path; NVIDIA's CUDA toolkit brings it")
        if options.cublas and not (options.cublas / "lib").is_dir():
            return stop(f"--cublas {options.cublas}: there is no lib/ in it")
        cublas = options.cublas.resolve() if options.cublas else \
            None if carried else cublas_of_python()
        options.build = options.build.resolve()  # cmake is started elsewhere
        known = Check(ROOT / "bin" if carried else options.build / "bin",
                      {**os.environ, "LD_LIBRARY_PATH": library_path(cublas)})
        known.say(f"# tools/gpu_check.py, {time.strftime('%Y-%m-%d %H:%M')}")
        if not options.pack and not known.machine():
            return stop("nvidia-smi finds no GPU; nothing was built or written")
        if not carried:
            gpu_pack.build(options.build, cublas, anywhere=options.pack is not None)
        if options.pack:
            gpu_pack.pack(options.build, options.pack, ROOT)
            return 0
        return check(known, results)
    except gpu_report.Problem as problem:
        return stop(str(problem))


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Builds, tests and measures on a machine with a GPU, and writes the page of the results.

    tools/gpu_check.py [--only PHASE ...] [--seconds N] [--cublas FOLDER] [--build FOLDER]
    tools/gpu_check.py --pack FILE.tar.xz   # builds here what a machine without a toolkit runs
    tar xf FILE.tar.xz && FILE/tools/gpu_check.py     # there; results come to FILE/results
    tools/gpu_check.py --take FILE/results/logs/gpu.json    # back here: writes the page

Six phases, each under ten minutes: `tests` (test_cuda on the device), `kernels` (bench_gpu),
`speed` (whole steps, beside PyTorch's, eager and compiled, where it is installed and finds the
GPU), `profile` (where the time of a step goes, kernel by kernel, where NVIDIA's ncu is installed),
`lessons` (every chapter's, on the device) and `sanitize` (a part of the tests under
compute-sanitizer, where that is installed). docs/results/gpu.md and gpu.zh.md are written from what
was found, after each step, with the record and the log in docs/results/logs; a later call with
other phases adds to the record of the same GPU and the same programs. A step that fails is named,
and the others still run. Exits with 0 when all of them passed and none was cut off.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
import re
import shutil
import signal
import site
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools import gpu_pack, gpu_report  # noqa: E402

TOOLS = ("memcheck", "racecheck", "initcheck")  # of compute-sanitizer
SECONDS = 580  # of a phase, at most; what would come later is cut off
BASE = ["--preset", "base", "--batch", "128"]  # of 32 tokens each: 4,096
LARGE = ["--preset", "base", "--batch", "784"]  # 25,088
XL = ["--layers", "12", "--d-model", "512", "--d-ff", "2048", "--heads", "8", "--tgt-len", "512",
      "--mem-len", "512", "--batch", "8", "--vocab", "204"]
STEPS = ["--warmup", "5", "--steps", "30"]
ALL = ("float32", "tf32", "bf16")
# What is measured beside PyTorch: its name, bench's words, PyTorch's script and more for it.
FUSED = ["--adam", "fused"]
MEASURED = (
    ("train", ["train", *BASE], "torch_mt.py", FUSED, ALL),
    ("large", ["train", *LARGE], "torch_mt.py", FUSED, ALL),
    ("multi30k", ["train", "--preset", "multi30k"], "torch_mt.py", FUSED, ALL),
    ("xl", ["xl", *XL], "torch_xl.py", FUSED, ALL),
    ("medium", ["xl", "--preset", "medium"], "torch_xl.py", FUSED, ALL),
    ("decode", ["decode", "--preset", "base", "--batch", "64"], "torch_mt.py",
     ["--kv", "preallocated"], ("float32",)))
PROFILED = (("train", "float32"), ("train", "tf32"), ("train", "bf16"), ("xl", "tf32"),
            ("medium", "tf32"), ("decode", "float32"))


class Check:
    """What is found, step by step: for the log, and for the record."""

    def __init__(self, programs: Path, environment: dict[str, str], results: Path | None = None,
                 seconds: int = SECONDS):
        self.programs, self.environment, self.results = programs, environment, results
        self.seconds = seconds
        self.lines: list[str] = []
        self.record: dict = {"date": time.strftime("%Y-%m-%d"), "phases": {}}
        self.begin("start")

    def begin(self, phase: str) -> None:
        self.phase, self.end = phase, time.monotonic() + self.seconds
        self.lines = []
        self.found = {"failed": [], "left_out": [], "cut": [], "log": self.lines}
        if phase != "start":
            self.record["phases"][phase] = self.found

    def joined(self, earlier: dict) -> None:
        """What another call has found, on the same GPU with the same programs, stays."""
        same = all(earlier.get(key) == self.record[key] for key in ("machine", "programs"))
        if same:
            self.record = {**earlier, "date": self.record["date"]}
        print("joined to the record that is there" if same else
              "the record that is there is of another GPU or of other programs: begun anew")

    def say(self, text: str) -> None:
        print(text, flush=True)
        self.lines.append(text)

    def write(self) -> None:
        if self.results and self.record["phases"]:
            gpu_report.write(self.results, self.record)

    def run(self, name: str, words: list, seconds: float, tail: int = 40,
            environment: dict[str, str] | None = None) -> str | None:
        """One step; the last lines of what it prints are kept. Returns all of it, or None when it
        has failed, was left out as it lacks something (77), or was cut off by the phase's end."""
        words = [str(word) for word in words]
        rest = self.end - time.monotonic()
        if rest < 1:
            self.say(f"\n## {name}\n-> cut off: the {self.seconds} s of {self.phase} are over")
            self.found["cut"].append(name)
            return None
        self.say(f"\n## {name}\n$ {shown(words)}")
        before = time.monotonic()
        output, code = answer(words, min(seconds, rest), environment or self.environment)
        return self.note(name, output, code, time.monotonic() - before, rest < seconds, tail)

    def note(self, name: str, output: str, code: int | str, seconds: float, to_the_end: bool,
             tail: int) -> str | None:
        lines = output.splitlines()
        for line in lines[max(len(lines) - tail, 0):]:
            self.say(line.rstrip())
        became = "passed" if code == 0 else "left_out" if code == 77 else \
            "cut" if code == LATE and to_the_end else "failed"
        said = {"left_out": "left out", "cut": "cut off", "failed": f"FAILED ({code})"}
        self.say(f"-> {said.get(became, became)}, {seconds:.0f} s")
        if became != "passed":
            self.found[became].append(name)
        self.write()
        return output if code == 0 else None

    def run_all(self, commands: dict[str, list], seconds: float, tail: int) -> list[bool]:
        """Several at once, of which none is measured. Returns which of them passed."""
        rest = self.end - time.monotonic()
        before = time.monotonic()

        def work(words: list) -> tuple:
            found = answer([str(word) for word in words], max(1, min(seconds, rest)),
                           self.environment)
            return *found, time.monotonic() - before

        with ThreadPoolExecutor(len(commands)) as pool:
            found = list(pool.map(work, commands.values()))
        passed = []
        for (name, words), (output, code, taken) in zip(commands.items(), found):
            self.say(f"\n## {name}, beside others\n$ {shown([str(word) for word in words])}")
            passed.append(self.note(name, output, code, taken, rest < seconds, tail) is not None)
        return passed

    # ---- the phases ------------------------------------------------------------------------------

    def machine(self) -> bool:
        found = self.run("the device", ["nvidia-smi", "--format=csv,noheader",
                                        "--query-gpu=name,driver_version,memory.total"], 60)
        cells = [cell.strip() for cell in (found or "").splitlines()[0].split(",")] if found else []
        self.record["machine"] = {"gpu": cells[0] if cells else None,
                                  "driver": cells[1] if cells else None,
                                  "memory": cells[2] if cells else None,
                                  "system": platform.platform(), "cores": os.cpu_count()}
        return bool(cells)

    def tests(self) -> None:
        with tempfile.NamedTemporaryFile("r", encoding="utf-8") as measured:
            found = self.run("tests on the device", [self.programs / "test_cuda"], 300,
                             environment={**self.environment, "XF_MEASURED": measured.name})
            nearest = nearest_to_bounds(measured.read())
        if nearest:
            self.say("\nof each test what came nearest to its bound, of the largest number")
        for row in nearest:
            self.say(f"{row['gap']:10.2g} of {row['bound']:.2g}  {row['case']}: {row['check']}")
        self.record["tests"] = {**doctest_counts(found), "nearest": nearest} if found else None
        self.python_test("trainings on the device", "device_test.py")
        self.write()

    def lessons(self) -> None:
        """Their numbers beside the processor's, and then each of them whole: what it claims."""
        self.python_test("lessons beside the processor's", "device_lessons_test.py")
        held = self.run_all({f"lesson {name}": [
            self.programs / name, "--device", "cuda", "--language", "en", "--out",
            ROOT / "out" / name] for name in gpu_pack.LESSONS}, 400, tail=3)
        self.record["lessons"] = {"count": sum(held), "all": len(held)}

    def python_test(self, name: str, file: str) -> None:
        self.run(name, [sys.executable, ROOT / "tests" / file], 300, environment={
            **self.environment, "XF_BIN": str(self.programs), "XF_DEVICE": "cuda"})

    def sanitize(self) -> None:
        self.record["sanitizers"] = {}
        checker = shutil.which("compute-sanitizer")
        if not checker:
            self.say("\ncompute-sanitizer is not installed: left out")
            self.found["left_out"].append("compute-sanitizer")
            return
        passed = self.run_all({f"compute-sanitizer {tool}": [
            checker, "--tool", tool, "--error-exitcode", "1", self.programs / "test_cuda",
            "-tce=*same way*,*same words*"] for tool in TOOLS}, self.seconds, tail=12)
        for tool, clean in zip(TOOLS, passed):
            if f"compute-sanitizer {tool}" not in self.found["cut"]:
                self.record["sanitizers"][tool] = clean
        self.write()

    def kernels(self) -> None:
        found = self.run("kernels", [self.programs / "bench_gpu", "--device", "cuda"], 120)
        self.record["kernels"] = last_json(found).get("rows", []) if found else []
        self.write()

    def speed(self) -> None:
        """Ours and PyTorch's eager first; compiling takes most of the time; bf16 is first."""
        rows = self.record["speed"] = [
            {"what": what, "precision": precision, "ours": None, "eager": None, "compile": None}
            for what, *_, precisions in MEASURED for precision in precisions]
        installed = answer([sys.executable, "-c", "import torch"], 60, dict(os.environ))[1] == 0
        if not installed:
            self.say(f"\nthere is no PyTorch for {sys.executable}: left out")
            self.found["left_out"].append("PyTorch")
        for row in rows:
            for side in ("ours", "eager") if installed else ("ours",):
                row[side] = self.step(row["what"], row["precision"], side)
        for row in sorted(rows, key=lambda row: ALL.index(row["precision"]), reverse=True):
            if installed:
                row["compile"] = self.step(row["what"], row["precision"], "compile")
        self.write()

    def profile(self) -> None:
        """Of one step, counted by the emulator: as many launches, from the middle of a training."""
        self.record["profile"] = []
        profiler = shutil.which("ncu")
        if not profiler:
            self.say("\nncu is not installed: left out")
            self.found["left_out"].append("ncu")
            return
        for what, precision in PROFILED:
            words = next(words for name, words, *_ in MEASURED if name == what)
            words = [*words, *(["--runs", "1", "--warmup", "1"] if what == "decode" else
                               ["--precision", precision, "--warmup", "1", "--steps", "3"])]
            output = self.run(f"profile {what} {precision}", [
                profiler, "--clock-control", "none", "--cache-control", "none", "--csv",
                "--print-units", "base", "--metrics", "gpu__time_duration.sum,dram__bytes.sum",
                "--launch-skip", "2000", "--launch-count", "700", self.programs / "bench",
                *words, "--device", "cuda", "--peak-size", "0"], 120, tail=0)
            rows = by_kernel(output or "")
            for row in rows:
                self.say(f"{row['microseconds']:10.1f} us {row['launches']:5} launches "
                         f"{row['mb']:9.1f} MB  {row['kernel']}")
            self.record["profile"].append({"what": what, "precision": precision, "rows": rows})
        self.write()

    def step(self, what: str, precision: str, side: str) -> dict | None:
        words, script, theirs = next((words, script, theirs)
                                     for name, words, script, theirs, _ in MEASURED if name == what)
        words = [*words, *([] if what == "decode" else ["--precision", precision, *STEPS]),
                 "--device", "cuda"]
        if side == "ours":
            words = [self.programs / "bench", *words, "--peak-size", "0"]
        else:
            words = [sys.executable, ROOT / "bench" / script, *words, *theirs, "--sdpa",
                     *(["--compile"] if side == "compile" else [])]
        found = last_json(self.run(
            f"{what} {precision}" + ("" if side == "ours" else f" PyTorch {side}"), words, 120,
            tail=6, environment=None if side == "ours" else dict(os.environ)) or "")
        kept = ("tokens_per_s", "ms_per_step", "torch", "cuda")
        return {key: found[key] for key in kept if key in found} or None


PHASES = ("tests", "kernels", "speed", "profile", "lessons", "sanitize")
LATE = "too late"


def shown(words: list[str]) -> str:
    return " ".join(word.replace(str(ROOT), ".") for word in [Path(words[0]).name, *words[1:]])


def kernel_name(signature: str) -> str:
    """`void xf::cuda::for_each_number<xf::kernel::<unnamed>::Drop, float>(...)` is Drop."""
    found = re.match(r"(?:void )?([\w:]+)(?:<([\w:]+))?", signature.replace("<unnamed>::", ""))
    name, first = (part.split("::")[-1] if part else "" for part in found.groups())
    return first if name == "for_each_number" else name


def by_kernel(output: str) -> list[dict]:
    """What ncu --csv prints, a line for each metric of each launch, summed by kernel."""
    lines = output.splitlines()
    begin = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), len(lines))
    sums: dict[str, dict] = {}
    for cell in csv.DictReader(lines[begin:]):
        name = kernel_name(cell["Kernel Name"])
        row = sums.setdefault(name, {"kernel": name, "launches": 0, "microseconds": 0.0, "mb": 0.0})
        value = float(cell["Metric Value"].replace(",", ""))
        if cell["Metric Name"] == "gpu__time_duration.sum":
            row["launches"] += 1
            row["microseconds"] += value / 1e3
        else:
            row["mb"] += value / 1e6
    return sorted(sums.values(), key=lambda row: -row["microseconds"])


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


def nearest_to_bounds(lines: str) -> list[dict]:
    """What tests/support/close.cpp writes, the nearest first."""
    rows = [dict(zip(("case", "check", "gap", "bound"), line.split("\t")))
            for line in lines.splitlines()]
    for row in rows:
        row.update(gap=float(row["gap"]), bound=float(row["bound"]))
    return sorted(rows, key=lambda row: row["gap"] / row["bound"], reverse=True)


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


def check(known: Check, phases: list[str]) -> int:
    programs = known.programs
    listed = libraries(programs / "test_cuda", known.environment)
    missing = re.findall(r"^\s*(\S+) => not found", listed, re.M)
    if missing:
        return stop(f"{programs / 'test_cuda'} needs {', '.join(missing)}; name the folder above "
                    "its lib/ with --cublas (`pip download nvidia-cublas` brings cuBLAS)")
    known.record["cublas"] = "libcublas" in listed or not listed
    known.record["programs"] = gpu_pack.fingerprint(programs)
    if not known.record["cublas"]:
        known.say("\nbuilt without cuBLAS: the matrix products are this project's own, and slow")
    record = known.results / "logs/gpu.json"
    if record.exists():
        known.joined(gpu_report.read(record))
    for phase in phases:
        known.begin(phase)
        known.say(f"# {phase}, {time.strftime('%Y-%m-%d %H:%M')}")
        getattr(known, phase)()
        known.write()
    bad = [f"{name} ({'failed' if how == 'failed' else 'cut off'})"
           for phase in phases for how in ("failed", "cut")
           for name in known.record["phases"][phase][how]]
    print(f"\n{'; '.join(bad) if bad else 'all passed: ' + ', '.join(phases)}")
    print(f"written: {known.results}")
    return 1 if bad else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="+", choices=PHASES, metavar="PHASE", default=list(PHASES),
                        help=f"these phases alone: {', '.join(PHASES)}")
    parser.add_argument("--seconds", type=int, choices=range(1, SECONDS + 1), default=SECONDS,
                        metavar="N", help=f"how long a phase may take, {SECONDS} at most")
    parser.add_argument("--cublas", type=Path, help="the folder with cuBLAS's include/ and lib/")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "cuda")
    parser.add_argument("--pack", type=Path, metavar="FILE.tar.xz",
                        help="build, and put what another machine needs into this archive")
    parser.add_argument("--take", type=Path, metavar="RECORD",
                        help="write the page from a record that was made elsewhere")
    options = parser.parse_args()
    carried = gpu_pack.is_packed(ROOT)
    results = ROOT / "results" if carried else ROOT / "docs" / "results"
    try:
        if options.take:
            gpu_report.take(results, options.take)
            return 0
        if options.pack:
            gpu_pack.refuse(options.pack)
        if not carried and not shutil.which("nvcc"):
            return stop("there is no nvcc in the path; NVIDIA's CUDA toolkit brings it")
        if options.cublas and not (options.cublas / "lib").is_dir():
            return stop(f"--cublas {options.cublas}: there is no lib/ in it")
        cublas = options.cublas.resolve() if options.cublas else \
            None if carried else cublas_of_python()
        options.build = options.build.resolve()  # cmake is started elsewhere
        known = Check(ROOT / "bin" if carried else options.build / "bin",
                      {**os.environ, "LD_LIBRARY_PATH": library_path(cublas)}, results,
                      options.seconds)
        if not options.pack and not known.machine():
            return stop("nvidia-smi finds no GPU; nothing was built or written")
        if not carried:
            gpu_pack.build(options.build, cublas, anywhere=options.pack is not None)
        if options.pack:
            gpu_pack.pack(options.build, options.pack, ROOT)
            return 0
        return check(known, options.only)
    except gpu_report.Problem as problem:
        return stop(str(problem))


if __name__ == "__main__":
    sys.exit(main())

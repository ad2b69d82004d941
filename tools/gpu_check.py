#!/usr/bin/env python3
"""Builds the preset `cuda` on a machine with a GPU, tests and measures it, and writes the page.

    tools/gpu_check.py [--only PHASE ...] [--cublas FOLDER] [--build FOLDER]

Five phases: `tests` (test_cuda on the device), `kernels` (bench_gpu), `speed` (whole steps, beside
PyTorch's, eager and compiled, where it is installed and finds the GPU), `lessons` (every chapter's,
on the device) and `sanitize` (a part of the tests under compute-sanitizer, where that is
installed). In docs/results/gpu.md and gpu.zh.md, a record fills two parts, between `<!-- gpu: NAME
-->` and `<!-- /gpu -->`: the summary and the figures; the record and the log are in
docs/results/logs. A call with other phases adds to the record of the same GPU and programs. A step
that fails is reported, and the others still run. Exits with 0 if all of them passed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.catalogue import named  # noqa: E402

LESSONS = ("00_foundations", "01_embedding", "02_attention", "03_layer_norm", "04_feed_forward",
           "05_encoder", "06_decoder", "07_transformer", "08_transformer_xl", "09_since_2017")
PROGRAMS = ("test_cuda", "bench", "bench_gpu", *LESSONS)
PAGES = {"en": "gpu.md", "zh": "gpu.zh.md"}
TEXTS = ROOT / "tools" / "gpu_check.po"

TOOLS = ("memcheck", "racecheck", "initcheck")  # of compute-sanitizer
BASE = ["--preset", "base", "--batch", "128"]  # with 32 tokens each: 4,096
LARGE = ["--preset", "base", "--batch", "784"]  # 25,088
XL = ["--layers", "12", "--d-model", "512", "--d-ff", "2048", "--heads", "8", "--tgt-len", "512",
      "--mem-len", "512", "--batch", "8", "--vocab", "204"]
STEPS = ["--warmup", "5", "--steps", "30"]
ALL = ("float32", "tf32", "bf16")
# What is compared with PyTorch: name, arguments of bench, PyTorch's script and its extra arguments.
FUSED = ["--adam", "fused"]
MEASURED = (
    ("train", ["train", *BASE], "torch_mt.py", FUSED, ALL),
    ("large", ["train", *LARGE], "torch_mt.py", FUSED, ALL),
    ("multi30k", ["train", "--preset", "multi30k"], "torch_mt.py", FUSED, ALL),
    ("xl", ["xl", *XL], "torch_xl.py", FUSED, ALL),
    ("medium", ["xl", "--preset", "medium"], "torch_xl.py", FUSED, ALL),
    ("decode", ["decode", "--preset", "base", "--batch", "64"], "torch_mt.py",
     ["--kv", "preallocated"], ("float32",)))
PHASES = ("tests", "kernels", "speed", "lessons", "sanitize")
LATE = "too late"


class Problem(Exception):
    """What was asked for cannot be done here; the message is one line."""


class Check:
    """Collects the results, step by step, for the log and for the record."""

    def __init__(self, programs: Path, environment: dict[str, str]):
        self.programs, self.environment = programs, environment
        self.record: dict = {"date": time.strftime("%Y-%m-%d"), "phases": {}}
        self.begin("start")

    def begin(self, phase: str) -> None:
        self.lines: list[str] = []
        self.found = {"failed": [], "left_out": [], "log": self.lines}
        if phase != "start":
            self.record["phases"][phase] = self.found

    def say(self, text: str) -> None:
        print(text, flush=True)
        self.lines.append(text)

    def leave_out(self, name: str) -> None:
        self.say(f"\n{name} is not installed: left out")
        self.found["left_out"].append(name)

    def run(self, name: str, words: list, seconds: float, tail: int = 40,
            environment: dict[str, str] | None = None) -> str | None:
        """Runs one step and logs the last lines of its output. Returns all of the output, or None
        if the step failed or was skipped because it lacks something (77)."""
        words = [str(word) for word in words]
        self.say(f"\n## {name}\n$ {shown(words)}")
        before = time.monotonic()
        output, code = answer(words, seconds, environment or self.environment)
        lines = output.splitlines()
        for line in lines[max(len(lines) - tail, 0):]:
            self.say(line.rstrip())
        became = {0: "passed", 77: "left_out"}.get(code, "failed")
        self.say(f"-> {became if became != 'failed' else f'FAILED ({code})'}, "
                 f"{time.monotonic() - before:.0f} s")
        if became != "passed":
            self.found[became].append(name)
        return output if code == 0 else None

    # ---- the phases ------------------------------------------------------------------------------

    def machine(self) -> bool:
        found = self.run("the device", ["nvidia-smi", "--format=csv,noheader",
                                        "--query-gpu=name,driver_version,memory.total"], 60)
        cells = [cell.strip() for cell in (found or "").splitlines()[0].split(",")] if found else []
        self.record["machine"] = {**dict(zip(("gpu", "driver", "memory"), cells)),
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

    def lessons(self) -> None:
        """Compares their numbers with the processor's, then runs each in full, with its claims."""
        self.python_test("lessons beside the processor's", "device_lessons_test.py")
        held = [self.run(f"lesson {name}", [
            self.programs / name, "--device", "cuda", "--language", "en", "--out",
            ROOT / "out" / name], 400, tail=3) is not None for name in LESSONS]
        self.record["lessons"] = {"count": sum(held), "all": len(held)}

    def python_test(self, name: str, file: str) -> None:
        self.run(name, [sys.executable, ROOT / "tests" / file], 300, environment={
            **self.environment, "XF_BIN": str(self.programs), "XF_DEVICE": "cuda"})

    def sanitize(self) -> None:
        self.record["sanitizers"] = {}
        checker = shutil.which("compute-sanitizer")
        if not checker:
            self.leave_out("compute-sanitizer")
            return
        for tool in TOOLS:
            self.record["sanitizers"][tool] = self.run(f"compute-sanitizer {tool}", [
                checker, "--tool", tool, "--error-exitcode", "1", self.programs / "test_cuda",
                "-tce=*same way*,*same words*"], 580, tail=12) is not None

    def kernels(self) -> None:
        found = self.run("kernels", [self.programs / "bench_gpu", "--device", "cuda"], 120)
        self.record["kernels"] = last_json(found).get("rows", []) if found else []

    def speed(self) -> None:
        """Ours and PyTorch's eager mode first; compiling takes most of the time; bf16 first."""
        rows = self.record["speed"] = [
            {"what": what, "precision": precision, "ours": None, "eager": None, "compile": None}
            for what, *_, precisions in MEASURED for precision in precisions]
        installed = answer([sys.executable, "-c", "import torch"], 60, dict(os.environ))[1] == 0
        if not installed:
            self.leave_out("PyTorch")
        for row in rows:
            for side in ("ours", "eager") if installed else ("ours",):
                row[side] = self.step(row["what"], row["precision"], side)
        for row in sorted(rows, key=lambda row: ALL.index(row["precision"]), reverse=True):
            if installed:
                row["compile"] = self.step(row["what"], row["precision"], "compile")

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


def shown(words: list[str]) -> str:
    return " ".join(word.replace(str(ROOT), ".") for word in [Path(words[0]).name, *words[1:]])


def answer(words: list[str], seconds: float, environment: dict[str, str]) -> tuple:
    """The output of a program, and its exit code, or why there is none. All processes it started
    end with it, such as a profiler's program or a compiler's workers."""
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
    """The JSON object in the last line that has one."""
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
    """The output of tests/support/close.cpp, those closest to their bound first."""
    rows = [dict(zip(("case", "check", "gap", "bound"), line.split("\t")))
            for line in lines.splitlines()]
    for row in rows:
        row.update(gap=float(row["gap"]), bound=float(row["bound"]))
    return sorted(rows, key=lambda row: row["gap"] / row["bound"], reverse=True)


# ---- the page ------------------------------------------------------------------------------------


def page(text: str, record: dict, language: str) -> str:
    """The page with this record filled into its two parts."""
    words = {name: texts[language == "zh"] for name, texts in named(TEXTS).items()}
    for name, content in (("summary", words["summary"].format(**fields(record))),
                          ("figures", figures(record, words))):
        place = re.compile(rf"(<!-- gpu: {name} -->\n).*?(<!-- /gpu -->\n)", re.S)
        if not place.search(text):
            raise Problem(f"{PAGES[language]}: there is no place <!-- gpu: {name} --> to fill")
        text = place.sub(lambda found: f"{found[1]}{content}\n{found[2]}", text, count=1)
    return text


def fields(record: dict) -> dict:
    return {**record["machine"], "date": record["date"]}


def figures(record: dict, words: dict) -> str:
    names = words["and"].join
    parts = [words["machine"].format(**fields(record)), checked(record, words)]
    if not record.get("cublas", True):
        parts.append(words["no_cublas"])
    for how in ("failed", "left_out"):
        if found := steps(record, how):
            parts.append(words[how].format(names=names(found)))
    if record.get("kernels"):
        parts += [words["kernels"], kernel_table(record["kernels"], words)]
    if any(row["ours"] for row in record.get("speed", [])):
        parts += speed(record["speed"], words)
    return "\n\n".join(parts)


def steps(record: dict, how: str) -> list[str]:
    """The steps of all phases that failed, or were left out."""
    return [name for phase in record["phases"].values() for name in phase[how]]


def checked(record: dict, words: dict) -> str:
    tests, sanitizers = record.get("tests"), record.get("sanitizers")
    said = words["tests"].format(cases=count(tests["cases"]),
                                 assertions=count(tests["assertions"])) if tests \
        else words["tests_failed"] if "tests" in record["phases"] else words["no_tests"]
    if tests and tests.get("nearest"):
        said += words["then"] + words["nearest"].format(**tests["nearest"][0])
    if lessons := record.get("lessons"):
        said += words["then"] + words["lessons"].format(**lessons)
    if not sanitizers:
        return said + words["then"] + words["no_sanitizers"]
    tools = words["and"].join(f"{tool} {words['clean' if clean else 'found']}"
                              for tool, clean in sanitizers.items())
    return said + words["then"] + words["sanitizers"].format(tools=tools)


def kernel_table(rows: list[dict], words: dict) -> str:
    lines = [words["kernel_head"], "|---|--:|--:|--:|--:|"]
    lines += [f"| {row['name']} | {row['microseconds']:,.1f} | {row['gb_per_s']:,.0f} | "
              f"{row['gflop_per_s']:,.0f} | {100 * row['share']:.0f} % |" for row in rows]
    return "\n".join(lines)


def speed(rows: list[dict], words: dict) -> list[str]:
    theirs = next((row[side] for row in rows for side in ("eager", "compile") if row[side]), None)
    said = words["speed"].format(**theirs) if theirs else words["speed_alone"]
    lines = [words["speed_head"], "|---|---|--:|--:|--:|--:|--:|--:|"]
    for row in rows:
        cells = [words[row["what"]], row["precision"]]
        ours = row["ours"]
        cells += [count(ours["tokens_per_s"]), f"{ours['ms_per_step']:.2f}"] if ours else ["-", "-"]
        for side in ("eager", "compile"):
            cells += against(ours, row[side])
        lines.append("| " + " | ".join(cells) + " |")
    return [said, "\n".join(lines)]


def against(ours: dict | None, theirs: dict | None) -> list[str]:
    """The other side's tokens per second, and our speed relative to it."""
    if not theirs:
        return ["-", "-"]
    ratio = f"{ours['tokens_per_s'] / theirs['tokens_per_s']:.2f}" if ours else "-"
    return [count(theirs["tokens_per_s"]), ratio]


def count(number: float | None) -> str:
    return "?" if number is None else f"{number:,.0f}"


def write(folder: Path, record: dict) -> None:
    """Writes pages, record and log to `folder`, or none of them if a page cannot be written."""
    pages = {folder / name: page((folder / name).read_text(encoding="utf-8"), record, language)
             for language, name in PAGES.items()}
    log = [line for phase in record["phases"].values() for line in phase["log"]]
    (folder / "logs").mkdir(exist_ok=True)
    (folder / "logs/gpu.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    (folder / "logs/gpu.txt").write_text("\n".join(log) + "\n", encoding="utf-8")
    for path, text in pages.items():
        path.write_text(text, encoding="utf-8")


# ---- one call ------------------------------------------------------------------------------------


def build(folder: Path, cublas: Path | None) -> None:
    configure = ["cmake", "--preset", "cuda", "-B", str(folder), "-DXF_MPI=OFF",
                 *([f"-DXF_CUBLAS_ROOT={cublas}"] if cublas else [])]
    for words in (configure, ["ninja", "-C", str(folder), *PROGRAMS]):
        print("$ " + shown(words), flush=True)
        if not shutil.which(words[0]):
            raise Problem(f"there is no {words[0]} in the path, which builds the programs")
        if subprocess.run(words, cwd=ROOT).returncode != 0:
            raise Problem(f"{words[0]} has failed")


def joined(record: dict, path: Path) -> dict:
    """Keeps the results of other calls on the same GPU with the same programs."""
    try:
        earlier = json.loads(path.read_text(encoding="utf-8"))
        steps(earlier, "failed")
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return record
    same = all(earlier.get(key) == record[key] for key in ("machine", "programs"))
    return {**earlier, "date": record["date"]} if same else record


def check(known: Check, phases: list[str], results: Path) -> int:
    listed, code = answer(["ldd", str(known.programs / "test_cuda")], 60, known.environment)
    if missing := re.findall(r"^\s*(\S+) => not found", listed, re.M):
        raise Problem(f"{known.programs / 'test_cuda'} needs {', '.join(missing)}; name the folder "
                      "above its lib/ with --cublas (`pip download nvidia-cublas` brings cuBLAS)")
    known.record["programs"] = hashlib.sha256(b"".join(
        (known.programs / name).read_bytes() for name in PROGRAMS)).hexdigest()[:16]
    known.record = joined(known.record, results / "logs/gpu.json")
    known.record["cublas"] = "libcublas" in listed or code != 0
    for phase in phases:
        known.begin(phase)
        known.say(f"# {phase}, {time.strftime('%Y-%m-%d %H:%M')}")
        getattr(known, phase)()
        write(results, known.record)
    bad = [name for phase in phases for name in known.record["phases"][phase]["failed"]]
    print(f"\n{'failed: ' + ', '.join(bad) if bad else 'all passed: ' + ', '.join(phases)}")
    print(f"written: {results}")
    return 1 if bad else 0


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="+", choices=PHASES, metavar="PHASE", default=list(PHASES),
                        help=f"these phases alone: {', '.join(PHASES)}")
    parser.add_argument("--cublas", type=Path, help="the folder with cuBLAS's include/ and lib/")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "cuda")
    options = parser.parse_args(arguments)
    try:
        if not shutil.which("nvcc"):
            raise Problem("there is no nvcc in the path; NVIDIA's CUDA toolkit brings it")
        if options.cublas and not (options.cublas / "lib").is_dir():
            raise Problem(f"--cublas {options.cublas}: there is no lib/ in it")
        cublas = options.cublas and options.cublas.resolve()
        folder = options.build.resolve()  # cmake runs in another folder
        libraries = [str(cublas / "lib")] if cublas else []
        libraries += filter(None, [os.environ.get("LD_LIBRARY_PATH")])
        known = Check(folder / "bin", {**os.environ, "LD_LIBRARY_PATH": ":".join(libraries)})
        if not known.machine():
            raise Problem("nvidia-smi finds no GPU; nothing was built or written")
        build(folder, cublas)
        return check(known, options.only, ROOT / "docs" / "results")
    except Problem as problem:
        print(f"gpu_check: {problem}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

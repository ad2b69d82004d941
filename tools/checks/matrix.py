"""`./learn test --long matrix`: build and tests with each supported compiler, a row each.

A row has its own folder, build/matrix/ROW, and its record in docs/results/logs/portability.json,
from which the tables of docs/results/portability*.md are written. A row whose record matches
the current sources is done, so that an interrupted run continues with the next one; within a row,
ninja continues where it was. A row that is named is always run.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import re
import shutil
import subprocess
import time
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tools import setup
from tools.checks import arm64
from tools.speed import bench_report
from tools.terminal import ROOT, Doing, Stop, say, say_seconds, shown, timed, write_file

FOLDER = ROOT / "build" / "matrix"
RECORDS = ROOT / "docs" / "results" / "logs" / "portability.json"
PAGES = {"en": ROOT / "docs" / "results" / "portability.md",
         "zh": ROOT / "docs" / "results" / "portability.zh.md"}

# What depends on the compiler: all C++ tests, the lessons and the commands of chapters 7 and 8.
TESTS = ("tensor_autograd_nn", "ops", "io_.*", "text", "plot", "train", "distributed", "chapters",
         "fuzz", "cuda(_few_addresses|_runtime|_races)?", "live_sessions",
         "lesson_.*", "capstones", "commands", "xl_commands", "runs", "processes", "bench")
WITH_MPI = r"meeting_\d"  # not available for every emulated processor
# Lessons that train a model: hours on an emulated processor.
TRAINING = "lesson_0[78]_.*"
TIDY = "clang-tidy-19"  # other versions have other checks


@dataclass(frozen=True)
class Row:
    name: str
    compiler: str
    package: str
    processor: str = "x86-64"

    @property
    def folder(self) -> Path:
        return FOLDER / self.name

    @property
    def is_foreign(self) -> bool:
        return self.processor != "x86-64"

    def missing(self) -> list[str]:
        """The packages of the programs that are not installed."""
        needed = {self.compiler: self.package}
        if self.is_foreign:
            needed[arm64.EMULATOR] = "qemu-user"
        return [package for program, package in needed.items() if not shutil.which(program)]


ROWS = [
    Row("g++-11", "g++-11", "g++-11"),
    Row("g++-12", "g++-12", "g++-12"),
    Row("clang-14", "clang++-14", "clang-14"),
    Row("clang-16", "clang++-16", "clang-16"),
    Row("clang-19", "clang++-19", "clang-19"),
    Row("aarch64", "aarch64-linux-gnu-g++", "g++-aarch64-linux-gnu", "aarch64"),
    Row("clang-tidy", TIDY, TIDY),
]


# ---- running -------------------------------------------------------------------------------------


def main(names: list[str]) -> int:
    """Runs the named rows, or all that are not done; returns 1 if one of them fails."""
    now = fingerprint()
    failed = False
    for row in ROWS:
        if names and row.name not in names:
            continue
        if not names and records().get(row.name, {}).get("sources") == now:
            say(f"{row.name}: done, the sources are as they were")
        elif row.missing():
            say(f"{row.name}: skipped, not installed: {' '.join(row.missing())}")
        else:
            failed |= not (read if row.compiler == TIDY else run)(row, now)
    return 1 if failed else 0


def run(row: Row, sources: str) -> bool:
    """Builds and tests one row and writes its record; returns False if a test fails."""
    say(f"{row.name}: {version_of(row.compiler)}")
    row.folder.mkdir(parents=True, exist_ok=True)
    step(row, "configuring", configuring(row))
    build = ["cmake", "--build", str(row.folder), "--parallel", str(setup.parallel_jobs())]
    build_seconds = step(row, "building", build)
    require_all_there(row)
    report = row.folder / "ctest.xml"
    report.unlink(missing_ok=True)
    _, seconds = timed("testing", testing(row, report), row.folder / "testing.log")
    if not report.exists():
        raise Stop(f"{row.name}: ctest wrote no report; see {shown(row.folder / 'testing.log')}")
    record = {**results(report), "build_seconds": round(build_seconds),
              "test_seconds": round(seconds)}
    keep(row, sources, record)
    say(f"  {record['passed']} of {record['programs']} test programs pass, "
        f"{record['cases']} cases" + "".join(f"\n  FAILED {name}" for name in record["failed"]))
    return not record["failed"]


def read(row: Row, sources: str) -> bool:
    """Runs clang-tidy on the engine and the chapters; nothing is compiled."""
    say(f"{row.name}: {version_of(row.compiler)}")
    row.folder.mkdir(parents=True, exist_ok=True)
    step(row, "configuring", configuring(row))
    commands = json.loads((row.folder / "compile_commands.json").read_text())
    files = sorted({command["file"] for command in commands if re.match(
        "(common|chapters)/(?!.*/exercises/)", shown(Path(command["file"])))})
    start = time.monotonic()
    found = {file: text for file, text in complaints(row.folder, files).items() if text}
    for text in found.values():
        say(text)
    keep(row, sources,
         {"programs": len(files), "passed": len(files) - len(found), "cases": 0,
          "failed": sorted(shown(Path(file)) for file in found), "build_seconds": 0,
          "test_seconds": round(time.monotonic() - start)})
    say(f"  {len(files) - len(found)} of {len(files)} files are clean")
    return not found


def complaints(build: Path, files: list[str]) -> dict[str, str]:
    """What clang-tidy finds in each file; a header's findings come with a file that includes it."""
    def one(file: str) -> str:
        answer = subprocess.run([TIDY, "--quiet", "-p", str(build), file], text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        doing.tick()
        return answer.stdout.replace(f"{ROOT}/", "")

    with Doing("clang-tidy reads", len(files)) as doing:
        with ThreadPoolExecutor(setup.parallel_jobs()) as pool:
            return dict(zip(files, pool.map(one, files)))


def step(row: Row, title: str, command: list[str]) -> float:
    """Runs one command of the build; returns the seconds. Compiler warnings are errors."""
    log = row.folder / f"{title}.log"
    status, seconds = timed(title, command, log)
    if status != 0:
        raise Stop(f"{row.name}: {title} failed. From {shown(log)}:\n{setup.first_error(log)}")
    say_seconds(title, seconds)
    return seconds


def configuring(row: Row) -> list[str]:
    compiler = "g++" if row.compiler == TIDY else row.compiler
    return ["cmake", "-S", str(ROOT), "-B", str(row.folder), "-G", "Ninja",
            "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_CXX_COMPILER={shutil.which(compiler)}",
            "-DXF_PRECOMPILED=OFF", "-DXF_JOINED=OFF",  # each source includes what it uses
            *(arm64.cmake_arguments(FOLDER / "arm64-packages") if row.is_foreign else [])]


def require_all_there(row: Row) -> None:
    """A test that was renamed would otherwise be left out unnoticed."""
    listed = subprocess.run(["ctest", "--test-dir", str(row.folder), "-N"], check=True,
                            stdout=subprocess.PIPE, text=True).stdout
    names = re.findall(r"Test +#\d+: (\S+)", listed)
    lost = [each for each in TESTS if not any(re.fullmatch(each, name) for name in names)]
    if lost:
        raise ValueError(f"TESTS of {__name__} names what is no test: {lost}")


def testing(row: Row, report: Path) -> list[str]:
    left_out = ["-E", f"^({TRAINING})$"] if row.is_foreign else []
    return ["ctest", "--test-dir", str(row.folder), "--output-on-failure",
            "--parallel", str(setup.parallel_jobs()), "--output-junit", str(report),
            "--test-output-size-passed", "1000000",
            "-R", f"^({'|'.join((*TESTS, WITH_MPI))})$", *left_out]


def results(report: Path) -> dict:
    """How many test programs ran and passed, which failed, and how many cases passed."""
    tests = [test for test in ElementTree.parse(report).getroot().iter("testcase")
             if test.find("skipped") is None]  # skipped itself, as it cannot run here
    passed = [test for test in tests if test.get("status") == "run"]
    text = "\n".join(test.findtext("system-out") or "" for test in passed)
    cases = (re.findall(r"test cases:\s+\d+ \|\s+(\d+) passed", text)
             + re.findall(r"^Ran (\d+) tests? in", text, re.M))
    return {"programs": len(tests), "passed": len(passed), "cases": sum(map(int, cases)),
            "failed": sorted(test.get("name") for test in tests if test.get("status") != "run")}


def version_of(program: str) -> str:
    """`g++ 11.3.0`, `clang 14.0.6`, `qemu-aarch64 7.2.22`."""
    answer = subprocess.run([program, "--version"], stdout=subprocess.PIPE, text=True).stdout
    found = re.search(r"\d+\.\d+\.\d+", re.sub(r"\(.*?\)", "", answer))
    name = re.search(r"g\+\+|clang-tidy|clang|qemu-\w+", program)
    return f"{name[0]} {found[0] if found else '?'}"


def machine(row: Row) -> str:
    here = bench_report.machine()
    return f"{version_of(arm64.EMULATOR)} on {here}" if row.is_foreign else here


# ---- records and pages ---------------------------------------------------------------------------


def fingerprint() -> str:
    """A hash of the files that a row is built from."""
    command = ["git", "-C", str(ROOT), "ls-files", "-z", "CMakeLists.txt", "common", "chapters",
               "bench", "tests"]
    names = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode().split("\0")
    digest = hashlib.sha256()
    for name in sorted(names):
        if name.endswith((".cpp", ".hpp", "CMakeLists.txt")) and "/exercises/" not in name:
            digest.update(name.encode() + b"\0" + (ROOT / name).read_bytes())
    return digest.hexdigest()[:16]


def records() -> dict[str, dict]:
    return json.loads(RECORDS.read_text(encoding="utf-8")) if RECORDS.exists() else {}


def keep(row: Row, sources: str, found: dict) -> None:
    """Adds the row's record to the file, in the order of ROWS, and rewrites the tables."""
    record = {"compiler": version_of(row.compiler), "processor": row.processor,
              "sources": sources, **found, "machine": machine(row),
              "date": datetime.date.today().isoformat()}
    all_of_them = {**records(), row.name: record}
    kept = {row.name: all_of_them[row.name] for row in ROWS if row.name in all_of_them}
    write_file(RECORDS, json.dumps(kept, indent=2) + "\n")
    for language, page in PAGES.items():
        write_file(page, with_table(page.read_text(encoding="utf-8"), language, kept))


HEADINGS = {
    "en": "| Compiler | Processor | Test programs | Test cases | Build, s | Tests, s | Machine "
          "| Date |",
    "zh": "| 编译器 | 处理器 | 测试程序 | 测试用例 | 编译（秒） | 测试（秒） | 机器 | 日期 |",
}


def table(language: str, kept: dict[str, dict]) -> str:
    lines = [HEADINGS[language], "|---|---|--:|--:|--:|--:|---|---|"]
    for r in kept.values():
        counted = [r[name] or "–" for name in ("cases", "build_seconds", "test_seconds")]
        lines.append(f"| {r['compiler']} | {r['processor']} | {r['passed']} / {r['programs']} "
                     f"| {counted[0]} | {counted[1]} | {counted[2]} "
                     f"| {r['machine']} | {r['date']} |")
    return "\n".join(lines) + "\n"


def with_table(page: str, language: str, kept: dict[str, dict]) -> str:
    """The page with a new table between its two comments."""
    return re.sub(r"(?<=<!-- matrix -->\n).*?(?=<!-- /matrix -->)",
                  lambda _: "\n" + table(language, kept) + "\n", page, flags=re.S)

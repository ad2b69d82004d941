"""`./learn test --long`: tests too slow for every commit. ITEMS is the list; each item says when it
was last run, and where its log is.

If a log has other text as well, the item's part is at its end and is rewritten by each run. The
rows of `matrix` and `digits` have records of their own and may be named alone. A skipped test
proves nothing, so a command that skips all its tests has failed.
"""

from __future__ import annotations

import datetime
import os
import re
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from tools import setup
from tools.book import recorded
from tools.checks import digits, matrix
from tools.speed import bench_report
from tools.terminal import ROOT, column, columns_of, said, say, shown, write_file

LOGS = ROOT / "docs" / "results" / "logs"
HEAD = "# ./learn test --long "
DATE = r"20\d\d-\d\d-\d\d"
MOST = 400  # number of last lines kept of a run


@dataclass(frozen=True)
class Item:
    name: str
    what: str
    log: Path
    commands: tuple[str, ...] = ()  # one after the other; an item with rows runs those instead
    rows: tuple[str, ...] = ()

    def last(self) -> str:
        """The date of the last run; for rows, that of the row last run longest ago."""
        text = self.log.read_text(encoding="utf-8") if self.log.exists() else ""
        own = re.search(rf"^{HEAD}{self.name}, ({DATE})", text, re.M)
        dates = re.findall(DATE, text.split(HEAD)[0])
        if own or not dates:
            return own[1] if own else said("never")
        return min(dates) if self.rows else max(dates)


ITEMS = (
    Item("mutants", "every exercise: fresh inputs, variants, and all of its known mistakes",
         LOGS / "mutants.txt", ("./learn verify",)),
    Item("parts", "`./learn mine`: the model with each part left out, and with known mistakes as "
                  "parts",
         LOGS / "parts.txt", ("tests/mine_test.py --whole",)),
    Item("seeds", "the claims of the lessons, with a hundred seeds, and in Chinese with three",
         LOGS / "claims.txt",
         (*(f"./learn chapter {name} --seeds 100" for name in recorded.LESSONS),
          "tests/language_test.py --seeds 3")),
    Item("whole", "every page of the site in a browser; every kernel by nvcc, for two processors",
         LOGS / "whole.txt", ("tests/site_test.py --whole", "tests/cuda_compile_test.py --whole")),
    Item("faults", "faults planted in the product, each of which must make a test fail",
         LOGS / "faults.txt", ("tests/planted/plant.py",)),
    Item("hosts", "several processes on two hosts, and the connection between them cut",
         LOGS / "hosts.txt", ("tests/processes_test.py --hosts",)),
    Item("fuzz", "ten minutes of libFuzzer for each reader of files", LOGS / "fuzz.txt",
         ("cmake --preset fuzz", "cmake --build --preset fuzz --target fuzz_readers",
          "tests/fuzz/long_run.py --seconds 600 build/fuzz/inputs")),
    Item("asan", "the tests with AddressSanitizer and UBSan", LOGS / "sanitizers.txt",
         ("./learn test --preset asan",)),
    Item("tsan", "the tests of threads with ThreadSanitizer", LOGS / "sanitizers.txt",
         ("./learn test --preset tsan",)),
    Item("digits", "the recorded bytes on other processors and with clang", digits.LOG,
         rows=tuple(row.name for row in digits.ROWS)),
    Item("matrix", "everything with other compilers, emulated arm64, and clang-tidy",
         matrix.RECORDS, rows=tuple(row.name for row in matrix.ROWS)),
)
NAMES = tuple(name for item in ITEMS for name in (item.name, *item.rows))


def main(names: list[str]) -> int:
    """Runs the named items or rows, or all of them; returns 1 if one of them fails."""
    show()
    failed = [item.name for item in ITEMS if is_wanted(item, names) and not run(item, names)]
    say(f"failed: {' '.join(failed)}" if failed else "nothing failed")
    return 1 if failed else 0


def show() -> None:
    """Lists the items, with the dates of their last runs."""
    width = max(columns_of(said(item.what)) for item in ITEMS) + 2
    for item in ITEMS:
        print(f"  {item.name:10}{column(item.what, width)}{column(item.last(), 12)}"
              f"{shown(item.log)}")
        if item.rows:
            print(" " * 12 + " ".join(item.rows))
    say()


def is_wanted(item: Item, names: list[str]) -> bool:
    return not names or bool({item.name, *item.rows} & set(names))


def run(item: Item, names: list[str]) -> bool:
    if item.rows:
        chosen = [] if item.name in names else [name for name in names if name in item.rows]
        return {"matrix": matrix, "digits": digits}[item.name].main(chosen) == 0
    if any(command.startswith("tests/") for command in item.commands):
        setup.set_up(setup.TEST_PACKAGES)  # all that tests start
    start, lines = time.monotonic(), []
    failed = [command for command in item.commands if not succeeds(command, lines)]
    keep(item, lines, time.monotonic() - start,
         f"failed: {'; '.join(failed)}" if failed else "nothing failed")
    return not failed


def succeeds(command: str, lines: list[str]) -> bool:
    """Runs it from the root of the checkout, and appends its output to the lines."""
    lines.append(f"$ {command}")
    print(lines[-1], flush=True)
    words, start = shlex.split(command), len(lines)
    python = [sys.executable] if words[0].endswith((".py", "learn")) else []
    with subprocess.Popen([*python, *words], cwd=ROOT, env={**os.environ, "LC_ALL": "C.UTF-8"},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace") as process:
        for line in process.stdout:
            lines.append(line.rstrip().replace(f"{ROOT}/", "").replace(str(ROOT), "."))
            print(lines[-1], flush=True)
    return process.returncode == 0 and not all_skipped(["", *lines[start:]])


def all_skipped(lines: list[str]) -> bool:
    """By what unittest says: it ended well and skipped tests, but none passed."""
    passed = any(line.endswith("... ok") or re.fullmatch(r"[.s]*[.][.s]*", line) for line in lines)
    return not passed and bool(re.fullmatch(r"OK \(skipped=\d+\)", lines[-1]))


def keep(item: Item, lines: list[str], seconds: float, verdict: str) -> None:
    """Replaces the item's part of the log."""
    old = item.log.read_text(encoding="utf-8") if item.log.exists() else ""
    first, *parts = re.split(rf"^(?={HEAD})", old, flags=re.M)
    others = [part for part in parts if not part.startswith(f"{HEAD}{item.name},")]
    head = (f"{HEAD}{item.name}, {datetime.date.today().isoformat()}, "
            f"{bench_report.commit()}, {bench_report.machine()}, {seconds:.0f} s: {verdict}\n")
    write_file(item.log,
               "".join([first, *others, head, *(line + "\n" for line in lines[-MOST:])]))

"""`./learn chapter N --seeds 100`: do the lesson's claims hold with other random numbers?

The lesson runs once for each seed, each run on one thread, as many at once as the machine has
threads. A lesson writes its claims to the file named by XF_CLAIMS (common/speech/claims.hpp).
"""

from __future__ import annotations

import concurrent.futures
import re
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from tools import setup
from tools.language import chinese, words
from tools.terminal import (BIN, Flags, Signs, Stop, columns_of, is_terminal, quiet_environment,
                            redraw, say, wait_a_moment)

FLAG = "--seeds"
ONE_IN = 100  # a claim may fail for one seed in a hundred; with fewer seeds, for none


@dataclass
class Tally:
    """A claim, and the seeds for which it was false."""

    section: int
    text: str
    failed: list[int] = field(default_factory=list)


@dataclass
class Run:
    """One seed: each claim's section and text, and whether it held; a message if the run failed."""

    seed: int
    claims: dict[tuple[int, str], bool]
    broken: str = ""


def asked_for(arguments: list[str]) -> bool:
    """Does --seeds belong to the lesson itself? A subcommand may have flags of its own."""
    return any(word.split("=")[0] == FLAG for word in arguments) and arguments[0].startswith("-")


def seeds_of(text: str, zh: bool) -> range:
    """100: the seeds 1 to 100; 21-40: just these."""
    match = re.fullmatch(r"(?:(\d{1,9})-)?(\d{1,9})", text)
    first, last = (int(match[1] or 1), int(match[2])) if match else (1, 0)
    if last < first:
        raise Stop(words("--seeds takes a number such as 100 or a range such as 21-40, not "
                         "'{text}'",
                         zh, text=text), 2)
    return range(first, last + 1)


def main(name: str, arguments: list[str]) -> int:
    """Runs the lesson for each seed and prints the table; returns 1 if a claim fails too often."""
    zh = chinese(arguments)
    parser = Flags("chapter", add_help=False)  # the lesson parses its own flags
    for flag, default in ((FLAG, None), ("--threads", "1"), ("--language", "zh" if zh else "en")):
        parser.add_argument(flag, default=default)
    typed, rest = parser.parse_known_args(arguments)
    zh = typed.language == "zh"
    seeds = seeds_of(typed.seeds, zh)
    jobs = max(1, setup.cores() // max(1, int(typed.threads) if typed.threads.isdecimal() else 1))
    say(words("{name}, {count} seeds from {first} to {last}, {jobs} at once", zh, name=name,
              count=len(seeds), first=seeds[0], last=seeds[-1], jobs=jobs))
    start = time.monotonic()
    command = [str(BIN / name), *rest, "--threads", typed.threads,
               "--language", typed.language]
    runs = run_all(command, seeds, jobs, zh)
    tallies = counted(runs)
    if not tallies:
        raise Stop(words("{name}: makes no claims with these arguments", zh, name=name), 2)
    for line in table(tallies, len(runs), zh):
        say(line)
    bad = sum(len(tally.failed) * ONE_IN > len(runs) for tally in tallies)
    holds = (", with {bad} of the claims holding for fewer than 99 of 100 seeds" if bad else
             ": each holds for at least 99 of 100 seeds")
    say(words("{claims} claims, {runs} runs in {seconds} s" + holds, zh, claims=len(tallies),
              runs=len(runs), bad=bad, seconds=round(time.monotonic() - start)))
    return 1 if bad else 0


# ---- running -------------------------------------------------------------------------------------


def run_all(command: list[str], seeds: range, jobs: int, zh: bool) -> list[Run]:
    """Returns the runs in the order of the seeds, while a line shows the progress."""
    start = time.monotonic()
    runs: list[Run] = []
    over = threading.Event()
    signs = Signs()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        waiting = {pool.submit(run, command, seed, over) for seed in seeds}
        try:
            while waiting:
                done, waiting = concurrent.futures.wait(
                    waiting, 0.2, concurrent.futures.FIRST_COMPLETED)
                runs += [future.result() for future in done]
                seconds = time.monotonic() - start
                signs.show("  " + words(
                    "{done} of {count} seeds, {seconds} s, false so far: {false}", zh,
                    done=len(runs), count=len(seeds), seconds=round(seconds),
                    false=sum(bool(tally.failed) for tally in counted(runs))), seconds)
        except BaseException:
            over.set()  # ends the running lessons; those that wait never start
            raise
        finally:
            if is_terminal():
                redraw("")
    return sorted(runs, key=lambda run: run.seed)


def run(command: list[str], seed: int, over: threading.Event) -> Run:
    """Runs the lesson with this seed; its pictures and its output are discarded."""
    if over.is_set():
        return Run(seed, {})
    with tempfile.TemporaryDirectory() as folder:
        file, errors = Path(folder) / "claims", Path(folder) / "errors"
        typed = [*command, "--seed", str(seed), "--out", str(Path(folder) / "out")]
        with open(errors, "wb") as said:
            try:
                process = subprocess.Popen(
                    typed, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said,
                    env={**quiet_environment(), "XF_CLAIMS": str(file)})
            except OSError as error:
                raise Stop(f"{command[0]}: {error.strerror}") from error
            while wait_a_moment(process) is None:
                if over.is_set():
                    process.terminate()
        return outcome(seed, process.returncode, read(file), read(errors))


def read(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""


def outcome(seed: int, status: int, claims: str, errors: str) -> Run:
    """The result of a run. A claim that is made several times holds if it holds each time."""
    held: dict[tuple[int, str], bool] = {}
    for line in claims.splitlines():
        holds, section, text = line.split("\t", 2)
        key = (int(section), text)
        held[key] = held.get(key, True) and holds == "true"
    failed = not all(held.values())
    if status == 0 or (status == 2 and failed):
        return Run(seed, held)
    messages = errors.strip().splitlines() or [f"exit {status}"]
    if not claims and status == 2:
        raise Stop("\n".join(messages), 2)  # a wrong flag, not the fault of a seed
    return Run(seed, held, messages[0] if status > 0 else f"signal {-status}")


# ---- counting ------------------------------------------------------------------------------------


def counted(runs: list[Run]) -> list[Tally]:
    """Every claim of any run, in the order of the lesson."""
    tallies: dict[tuple[int, str], Tally] = {}
    for one in sorted(runs, key=lambda run: run.seed):
        for (section, text), held in one.claims.items():
            tally = tallies.setdefault((section, text), Tally(section, text))
            if not held:
                tally.failed.append(one.seed)
    broken: dict[str, Tally] = {}
    for one in runs:
        if one.broken:
            broken.setdefault(one.broken, Tally(0, one.broken)).failed.append(one.seed)
    return [*sorted(tallies.values(), key=lambda tally: tally.section), *broken.values()]


def table(tallies: list[Tally], runs: int, zh: bool) -> list[str]:
    """A row for each claim: its section, how often it was false, its text, and those seeds."""
    rows = [[words(heading, zh) for heading in ("section", "false", "claim")]]
    for tally in tallies:
        text = tally.text if tally.section else words(
            "the lesson stopped before its end: {message}", zh, message=tally.text)
        if tally.failed:
            seeds = ", ".join(str(seed) for seed in tally.failed)
            text = words("{text}; seeds {seeds}", zh, text=text, seeds=seeds)
        rows.append([str(tally.section or "-"), f"{len(tally.failed)}/{runs}", text])
    widths = [max(columns_of(row[i]) for row in rows) for i in (0, 1)]
    return ["  " + " " * (widths[0] - columns_of(row[0])) + row[0]
            + "   " + " " * (widths[1] - columns_of(row[1])) + row[1] + "   " + row[2]
            for row in rows]

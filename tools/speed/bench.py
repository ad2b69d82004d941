"""`./learn bench`: this code against PyTorch, with alternating measurements on this machine."""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from tools import lessons, setup
from tools.speed import bench_report
from tools.speed.bench_torch import Torch
from tools.terminal import (BIN, OUT, Flags, Stop, column, quiet_environment, said, say,
                            say_what_is_unset, shown)

# The subcommands of bin/bench.
ALONE = ("train", "decode", "ops", "scaling", "xl", "roofline", "products", "steps")


@dataclass
class Case:
    name: str
    title: str
    arguments: list[str]  # the same for both sides


@dataclass
class Result:
    """The result of one case: a run of each side per pair, and the PyTorch settings used."""
    case: Case
    ours: list[dict] = field(default_factory=list)
    torch: list[dict] = field(default_factory=list)
    compiled: list[dict] = field(default_factory=list)
    setting: str = ""
    not_compiled: str = ""  # why there is no figure for torch.compile

    def ratios(self, others: list[dict]) -> list[float]:
        return [a["tokens_per_s"] / b["tokens_per_s"] for a, b in zip(self.ours, others)]

    def middle(self, side: list[dict], name: str) -> float:
        return statistics.median(run[name] for run in side)


def all_cases() -> list[Case]:
    cases = []
    for preset, ragged in (("multi30k", False), ("multi30k", True), ("base", False),
                           ("toy", False)):
        for dropout in ("0.1", "0"):
            name = f"train-{preset}{'-ragged' if ragged else ''}-dropout{dropout}"
            title = f"train {preset}{', ragged' if ragged else ''}, dropout {dropout}"
            arguments = ["train", "--preset", preset, "--dropout", dropout]
            cases.append(Case(name, title, arguments + (["--ragged"] if ragged else [])))
    for preset in ("small", "medium"):
        for dropout in ("0.1", "0"):
            cases.append(Case(f"xl-{preset}-dropout{dropout}",
                              f"train Transformer-XL {preset}, dropout {dropout}",
                              ["xl", "--preset", preset, "--dropout", dropout]))
    for batch in ("1", "64"):
        cases.append(Case(f"decode-batch{batch}", f"greedy, key/value cache, batch {batch}",
                          ["decode", "--preset", "multi30k", "--batch", batch]))
    return cases


def chosen(only: list[str]) -> list[Case]:
    cases = [case for case in all_cases() if not only or any(part in case.name for part in only)]
    if not cases:
        names = "\n  ".join(case.name for case in all_cases())
        raise Stop(f"bench: --only {' '.join(only)} matches none of these names:\n  {names}", 2)
    return cases


def run_json(command: list[str], environment: dict[str, str], seconds: float | None = None) -> dict:
    """The JSON in the command's last line of output; stops it after so many seconds."""
    try:
        answer = subprocess.run(command, env=environment, stdout=subprocess.PIPE, timeout=seconds,
                                stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired as error:
        raise Stop(f"bench: {' '.join(command)}: not done in {seconds:.0f} s") from error
    try:
        if answer.returncode != 0:
            raise ValueError(f"exit code {answer.returncode}")
        return json.loads(answer.stdout.splitlines()[-1])
    except (ValueError, IndexError) as error:
        tail = "\n  ".join((answer.stderr or answer.stdout).splitlines()[-8:])
        raise Stop(f"bench: {' '.join(command)}: {error}\n  {tail}") from error


def run_ours(case: Case, threads: int, extra: list[str]) -> dict:
    command = [str(BIN / "bench"), *case.arguments, *extra, "--threads", str(threads)]
    return run_json(command, quiet_environment())


def fewer_runs(case: Case, quick: bool) -> list[str]:
    """The flags that shorten a run of the quick comparison, on both sides."""
    count = "--runs" if case.arguments[0] == "decode" else "--steps"
    return [count, "4", "--warmup", "1"] if quick else []


def run_compiled(case: Case, torch: Torch, setting, options: argparse.Namespace,
                 result: Result) -> dict | None:
    """A run with torch.compile, or None, with the reason noted, if it fails or takes too long."""
    try:
        return torch.run(case.arguments, setting, ["--compile"], options.compile_seconds)
    except Stop as stop:
        lines = str(stop).splitlines()  # the command and the error, then its last output
        result.not_compiled = lines[-1].strip() if lines[1:] else lines[0].rsplit(": ", 1)[-1]
        say(f"  torch.compile gave nothing: {result.not_compiled}")
        return None


TRIAL_STEPS = 7  # in each trial of a PyTorch setting
QUICK_SECONDS = 240  # seconds; then only one pair per remaining case


def compare(case: Case, torch: Torch, options: argparse.Namespace, log, started: float) -> Result:
    result = Result(case)
    say(f"\n{case.title}")
    setting = torch.known_setting() if options.quick else torch.best_setting(
        case.arguments, TRIAL_STEPS if options.tune else 0)
    result.setting = setting.title()
    say(f"  PyTorch: {bench_report.setting_said(result.setting)}")
    short = fewer_runs(case, options.quick)
    for pair in range(1, options.pairs + 1):
        if options.quick and pair > 1 and time.monotonic() - started > QUICK_SECONDS:
            break
        sides = [("ours", result.ours, lambda: run_ours(case, options.threads, short)),
                 ("torch", result.torch, lambda: torch.run(case.arguments, setting, short))]
        if options.compile and not result.not_compiled:
            sides.append(("compiled", result.compiled,
                          lambda: run_compiled(case, torch, setting, options, result)))
        for side, runs, measure in sides:
            found = measure()
            if found is None:
                continue
            runs.append(found)
            log.write(json.dumps({"case": case.name, "pair": pair, "side": side,
                                  "setting": result.setting, **found}) + "\n")
            log.flush()
        check_equal_work(case, result)
        ratios = [f"{result.ratios(runs)[-1]:.2f}x {side}" for side, runs, _ in sides[1:] if runs]
        say(f"  pair {pair}: {result.ours[-1]['ms_per_step']:8.2f} ms a step; " + "; ".join(ratios))
    return result


def compare_arithmetics(cases: list[Case], options: argparse.Namespace) -> str:
    """The cases in `fast` and in `same` arithmetic, alternating: a table of what `same` costs."""
    rows = [said("| case | fast, tokens/s | same, tokens/s | same to fast |"), "|---|--:|--:|--:|"]
    for case in cases:
        runs: dict[str, list[float]] = {"fast": [], "same": []}
        say(f"\n{case.title}")
        for pair in range(1, options.pairs + 1):
            for arithmetic, speeds in runs.items():
                extra = [*fewer_runs(case, options.quick), "--arithmetic", arithmetic]
                speeds.append(run_ours(case, options.threads, extra)["tokens_per_s"])
            say(f"  pair {pair}: {runs['same'][-1] / runs['fast'][-1]:.2f}x")
        ratios = [same / fast for fast, same in zip(runs["fast"], runs["same"])]
        rows.append(f"| {said(case.title)} | {statistics.median(runs['fast']):.0f} "
                    f"| {statistics.median(runs['same']):.0f} | {bench_report.spread(ratios)} |")
    return "\n".join(rows)


def check_equal_work(case: Case, result: Result) -> None:
    """Both sides must have processed the same number of real tokens with the same sizes."""
    ours, theirs = result.ours[-1], result.torch[-1]
    for name in ("config", "src_tokens", "tgt_tokens", "out_tokens"):
        if ours.get(name) != theirs.get(name):
            raise Stop(f"bench: {case.name}: the two sides differ in {name}: {ours.get(name)} "
                       f"here, {theirs.get(name)} in PyTorch")


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = Flags(
        "bench",
        description="Trains and translates with this code and with PyTorch in turn, and compares "
        "tokens per second.\nFor this code only: ./learn bench " + "|".join(ALONE) + " [FLAG...]")
    parser.add_argument("--only", action="append", default=[], metavar="NAME",
                        help="only cases whose name contains NAME (may be repeated)")
    parser.add_argument("--list", action="store_true", help="print the names of the cases")
    parser.add_argument("--python", default=sys.executable, metavar="PATH",
                        help="a Python that has PyTorch (default: the one that runs this)")
    parser.add_argument("--threads", type=int, default=setup.cores(), help="threads of each side")
    parser.add_argument("--quick", action="store_true",
                        help="at most two pairs of 4 steps, PyTorch with settings known to be "
                        "fast, no torch.compile; meant to take under 6 minutes on 2 cores")
    parser.add_argument("--pairs", type=int, help="runs of each side (default 5, quick 2)")
    parser.add_argument("--no-tune", dest="tune", action="store_false",
                        help="take PyTorch as it comes, without looking for its best settings")
    parser.add_argument("--no-compile", dest="compile", action="store_false",
                        help="leave out the column for torch.compile")
    parser.add_argument("--compile-seconds", type=float, default=300, metavar="S",
                        help="give up on torch.compile after S seconds (default 300)")
    parser.add_argument("--arithmetic", action="store_true",
                        help="not against PyTorch: what `same` arithmetic costs against `fast`")
    parser.add_argument("--out", type=Path, default=OUT / "bench", metavar="DIR")
    options = parser.parse_args(arguments)
    options.compile = options.compile and not options.quick
    options.pairs = (2 if options.quick else 5) if options.pairs is None else options.pairs
    if min(options.threads, options.pairs) < 1:
        raise Stop("bench: --threads and --pairs must be at least 1", 2)
    return options


def main(arguments: list[str]) -> int:
    if arguments and arguments[0] in ALONE:
        setup.set_up(setup.PACKAGES, ["bench"])
        lessons.become("bench", arguments)
    options = parse(arguments)
    cases = chosen(options.only)
    if options.list:
        for case in cases:
            say(case.name)
        return 0
    if options.arithmetic:
        setup.set_up(setup.PACKAGES, ["bench"])
        say_what_is_unset()
        say("\n" + compare_arithmetics(cases, options))
        return 0
    torch = Torch(options.python, options.threads, run_json)
    torch.require()
    setup.set_up(setup.PACKAGES, ["bench"])
    say_what_is_unset()
    about = bench_report.environment(torch, options.threads)
    for name, value in about.items():
        say(f"  {column(name, 10)} {said(value)}")
    options.out.mkdir(parents=True, exist_ok=True)
    results, started = [], time.monotonic()
    with open(options.out / "runs.jsonl", "w", encoding="utf-8") as log:
        for case in cases:
            results.append(compare(case, torch, options, log, started))
            bench_report.write(options.out, about, results)  # what there is so far
    say("\n" + bench_report.table(results))
    say("\nIn " + shown(options.out) + ": speed.md, runs.jsonl")
    return 0

#!/usr/bin/env python3
"""One process of two threads against two of one, here and in PyTorch: docs/results/processes.md.

    bench/processes.py --measure    runs all in turns, writes the logs, then the tables; needs
                                    mpirun, PyTorch and an otherwise idle machine
                                    (10 minutes)
    bench/processes.py --check      do the tables match the logs? (exit code 1 if not)
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys

import results_page
from results_page import RESULTS, ROOT

LOG = RESULTS / "logs" / "processes.jsonl"
MESSAGES = RESULTS / "logs" / "processes-messages.txt"
BENCH = ROOT / "build" / "release" / "bin" / "bench"
LESSON = ROOT / "build" / "release" / "bin" / "12_many_machines"
TORCH = [sys.executable, ROOT / "bench" / "torch_mt.py"]
ROUNDS = 3
MPIRUN = ["mpirun", "--oversubscribe", "-n", "2"]
OURS = ["train", "--preset", "multi30k", "--ragged", "--peak-size", "0", "--steps", "21"]
THEIRS = ["train", "--preset", "multi30k", "--ragged", "--steps", "9"]
ONE, TWO = ["--threads", "1"], ["--threads", "2"]

# (side, form): the command
CASES = {
    ("fast", "1 x 1"): [BENCH, *OURS, *ONE],
    ("fast", "1 x 2"): [BENCH, *OURS, *TWO],
    ("fast", "2 x 1"): [*MPIRUN, BENCH, *OURS, *ONE],
    ("fast", "2 x 1, shared state"): [*MPIRUN, BENCH, *OURS, *ONE, "--shared-state"],
    ("same", "1 x 1"): [BENCH, *OURS, *ONE, "--arithmetic", "same"],
    ("same", "1 x 2"): [BENCH, *OURS, *TWO, "--arithmetic", "same"],
    ("same", "2 x 1"): [*MPIRUN, BENCH, *OURS, *ONE, "--arithmetic", "same"],
    ("same", "2 x 1, shared state"):
        [*MPIRUN, BENCH, *OURS, *ONE, "--shared-state", "--arithmetic", "same"],
    ("PyTorch", "1 x 1"): [*TORCH, *THEIRS, *ONE],
    ("PyTorch", "1 x 2"): [*TORCH, *THEIRS, *TWO],
    ("PyTorch", "2 x 1"): [*TORCH, *THEIRS, *ONE, "--processes", "2"],
    ("PyTorch", "2 x 1, shared state"): [*TORCH, *THEIRS, *ONE, "--processes", "2", "--zero"],
}
WORDS = {
    False: {"head": ["", "processes x threads", "updates/s", "ratio to 1 x 1",
                     "memory per process, MB"],
            "sums": ["processes", "numbers", "tree", "doubling", "ring", "MPI_Allreduce"],
            "line": "With {} processes, alpha = {} us and beta = {} ns per byte ({} GB/s).",
            "fast": "ours, `fast`", "same": "ours, `same`",
            "PyTorch": "PyTorch 2.13, DDP over gloo", ", shared state": ", moments shared out"},
    True: {"head": ["", "进程 x 线程", "每秒更新", "与 1 x 1 相比", "每个进程的内存，MB"],
           "sums": ["进程", "元素个数", "树", "加倍", "环", "MPI_Allreduce"],
           "line": "{} 个进程时，alpha = {} us，beta = 每字节 {} ns（{} GB/s）。",
           "fast": "本项目，`fast`", "same": "本项目，`same`",
           "PyTorch": "PyTorch 2.13，DDP（gloo）", ", shared state": "，矩分摊"},
}


def measure_messages(environment: dict[str, str]) -> None:
    """Logs the output of `measure` with several processes."""
    said = []
    for count in (2, 4):
        command = ["mpirun", "--oversubscribe", "-n", str(count), str(LESSON), "measure",
                   "--language", "en"]
        answer = subprocess.run(command, env=environment, check=True, capture_output=True,
                                text=True)
        said.append(f"$ mpirun -n {count} 12_many_machines measure\n{answer.stdout}\n")
    MESSAGES.write_text("".join(said), encoding="utf-8")


def messages(zh: bool) -> str:
    """The cost lines and the table of sums from that log."""
    words, lines, rows = WORDS[zh], [], []
    for run in MESSAGES.read_text(encoding="utf-8").split("$ mpirun -n ")[1:]:
        count = run.split()[0]
        line = re.search(r"alpha = (\S+) us, beta = (\S+) ns a byte \((\S+) GB/s\)", run)
        lines.append(words["line"].format(count, *line.groups()))
        rows += [f"| {count} | " + " | ".join(row) + " |" for row in re.findall(
            r"^    (\d+) +(\d+ \(\d+\)) +(\d+ \(\d+\)) +(\d+ \(\d+\)) +(\d+)$", run, re.M)]
    head = "| " + " | ".join(words["sums"]) + " |\n|--:|--:|--:|--:|--:|--:|\n"
    return "\n\n".join(lines) + "\n\n" + head + "\n".join(rows) + "\n"


def measure() -> None:
    environment = {name: text for name, text in os.environ.items() if "OPENBLAS_" not in name}
    environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    measure_messages(environment)
    lines = []
    for number in range(ROUNDS):
        for (side, form), command in CASES.items():
            answer = subprocess.run([str(word) for word in command], env=environment, check=True,
                                    capture_output=True, text=True)
            record = json.loads(answer.stdout.splitlines()[-1])
            lines.append({"round": number, "side": side, "form": form, **record})
            print(number, side, form, round(record["ms_per_step"], 1), "ms", flush=True)
    LOG.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def table(zh: bool) -> str:
    words = WORDS[zh]
    runs = [json.loads(line) for line in LOG.read_text(encoding="utf-8").splitlines()]

    def rates(side: str, form: str) -> list[float]:
        return [1e3 / run["ms_per_step"] for run in runs
                if (run["side"], run["form"]) == (side, form)]

    rows = ["| " + " | ".join(words["head"]) + " |", "|---|---|--:|--:|--:|"]
    for side, form in CASES:
        own = rates(side, form)
        ratios = [rate / one for rate, one in zip(own, rates(side, "1 x 1"))]
        memory = [max(run.get("rss_mb_of_each", [run["peak_rss_mb"]])) for run in runs
                  if (run["side"], run["form"]) == (side, form)]
        named = form.replace(", shared state", words[", shared state"])
        rows.append(f"| {words[side]} | {named} | "
                    f"{statistics.median(own):.2f} | {statistics.median(ratios):.2f} "
                    f"({min(ratios):.2f} … {max(ratios):.2f}) | {statistics.median(memory):.0f} |")
    return "\n".join(rows) + "\n"


def tables(zh: bool) -> dict[str, str]:
    return {"processes": table(zh), "messages": messages(zh)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--measure", action="store_true")
    what.add_argument("--check", action="store_true")
    if parser.parse_args().check:
        return results_page.check("processes", tables, "bench/processes.py --measure")
    measure()
    results_page.write("processes", tables)
    return 0


if __name__ == "__main__":
    sys.exit(main())

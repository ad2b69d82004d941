"""The table of `./learn bench`, in the language of the reader."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import statistics
import subprocess
from pathlib import Path

from tools.terminal import BIN, ROOT, quiet_environment, said, write_file


def cpu_name() -> str:
    try:
        found = re.search(r"model name\s*:\s*(.*)", Path("/proc/cpuinfo").read_text())
    except OSError:
        found = None
    return found.group(1) if found else platform.processor() or "unknown"


def machine() -> str:
    return f"{cpu_name()}, {os.cpu_count()} cores"


def commit() -> str:
    """The commit of the sources, and whether they differ from it."""
    if not shutil.which("git"):
        return "no git"
    return subprocess.run(["git", "-C", str(ROOT), "describe", "--always", "--dirty"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.strip() \
        or "no git"


def environment(torch, threads: int) -> dict[str, str]:
    """The environment that the numbers depend on."""
    answer = subprocess.run([str(BIN / "bench"), "train", "--preset", "toy", "--d-model", "16",
                             "--d-ff", "16", "--layers", "1", "--steps", "1",
                             "--threads", str(threads)],
                            env=quiet_environment(), stdout=subprocess.PIPE, text=True, check=True)
    ours, theirs = json.loads(answer.stdout.splitlines()[-1]), torch.describe()
    forced = {name: value for name, value in torch.environment().items()
              if value != quiet_environment().get(name)}
    return {
        "CPU": f"{machine()}, {threads} threads used by each side",
        "system": f"{platform.system()} {platform.release()}, {platform.libc_ver()[0]} "
                  f"{platform.libc_ver()[1]}",
        "ours": f"{commit()}, OpenBLAS kernel {ours['blas']}, "
                f"sgemm peak {ours['sgemm_peak']:.0f} GFLOP/s (2048^3)",
        "PyTorch": f"{theirs['torch']} on Python {theirs['python']}, BLAS {theirs['blas']}, "
                   f"ATen {theirs['aten']}",
        "variables": " ".join(f"{name}={value}" for name, value in sorted(forced.items())),
    }


def spread(ratios: list[float]) -> str:
    if not ratios:
        return "-"
    return f"{statistics.median(ratios):.2f}x ({min(ratios):.2f}-{max(ratios):.2f})"


def setting_said(setting: str) -> str:
    return ", ".join(map(said, setting.split(", ")))


def table(results: list) -> str:
    """One row per case: medians over the pairs, and each ratio's median, minimum and maximum."""
    rows = [said("| case | ours, tokens/s | PyTorch, tokens/s | ratio | ratio to torch.compile | "
                 "ours, ms a step | of sgemm peak | memory, MB (ours / PyTorch) | "
                 "PyTorch's settings |"),
            "|---|--:|--:|--:|--:|--:|--:|--:|---|"]
    for r in results:
        memory = [r.middle(side, "peak_rss_mb") for side in (r.ours, r.torch)]
        rows.append(
            f"| {said(r.case.title)} | {r.middle(r.ours, 'tokens_per_s'):.0f} "
            f"| {r.middle(r.torch, 'tokens_per_s'):.0f} | {spread(r.ratios(r.torch))} "
            f"| {spread(r.ratios(r.compiled))} | {r.middle(r.ours, 'ms_per_step'):.2f} "
            f"| {100 * r.middle(r.ours, 'peak_share'):.1f} % "
            f"| {memory[0]:.0f} / {memory[1]:.0f} | {setting_said(r.setting)} |")
    return "\n".join(rows)


def markdown(about: dict[str, str], results: list) -> str:
    lines = [said("# This code and PyTorch"), ""]
    lines += [f"- {said(name)}: {said(value)}" for name, value in about.items()]
    lines += [said(f"- torch.compile gave no figure for {said(r.case.title)}: {r.not_compiled}")
              for r in results if r.not_compiled]
    pairs = sorted({len(r.ours) for r in results})
    count = str(pairs[0]) if len(pairs) == 1 else f"{pairs[0]}-{pairs[-1]}"
    lines += ["", said(f"Each case has {count} pairs of runs, the two sides taking turns. A ratio "
                       "is our tokens per second divided by PyTorch's in one pair; the median "
                       "comes first, then the lowest and the highest."),
              said("Only real tokens count, never padding."), "", table(results), ""]
    return "\n".join(lines)


def write(folder: Path, about: dict[str, str], results: list) -> None:
    write_file(folder / "speed.md", markdown(about, results))

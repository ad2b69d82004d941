"""The table, the CSV file and the chart of `./learn bench`; all but the CSV file in the language of
the reader."""

from __future__ import annotations

import csv
import io
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
from html import escape
from pathlib import Path

from tools.terminal import BIN, ROOT, quiet_environment, said, write_file


def cpu_name() -> str:
    try:
        found = re.search(r"model name\s*:\s*(.*)", Path("/proc/cpuinfo").read_text())
    except OSError:
        found = None
    return found.group(1) if found else platform.processor() or "unknown"


def environment(torch, threads: int) -> dict[str, str]:
    """The environment that the numbers depend on."""
    answer = subprocess.run([str(BIN / "bench"), "train", "--preset", "toy", "--d-model", "16",
                             "--d-ff", "16", "--layers", "1", "--steps", "1",
                             "--threads", str(threads)],
                            env=quiet_environment(), stdout=subprocess.PIPE, text=True, check=True)
    ours, theirs = json.loads(answer.stdout.splitlines()[-1]), torch.describe()
    commit = "no git"
    if shutil.which("git"):
        describing = ["git", "-C", str(ROOT), "describe", "--always", "--dirty"]
        commit = subprocess.run(describing, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                text=True).stdout.strip() or commit
    forced = {name: value for name, value in torch.environment().items()
              if value != quiet_environment().get(name)}
    return {
        "CPU": f"{cpu_name()}, {os.cpu_count()} cores, {threads} threads used by each side",
        "system": f"{platform.system()} {platform.release()}, {platform.libc_ver()[0]} "
                  f"{platform.libc_ver()[1]}",
        "ours": f"{commit}, OpenBLAS kernel {ours['blas']}, "
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
              said("Only real tokens count, never padding."), "", table(results), "",
              f"![{said('ratios')}](speed.svg)", ""]
    return "\n".join(lines)


def as_csv(results: list) -> str:
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(["case", "pair", "side", "tokens_per_s", "ms_per_step", "peak_rss_mb", "setting"])
    for r in results:
        for side, runs in (("ours", r.ours), ("torch", r.torch), ("compiled", r.compiled)):
            for pair, run in enumerate(runs, 1):
                out.writerow([r.case.name, pair, side, f"{run['tokens_per_s']:.1f}",
                              f"{run['ms_per_step']:.4f}", f"{run['peak_rss_mb']:.0f}",
                              r.setting if side != "ours" else ""])
    return text.getvalue()


LEFT, WIDTH, ROW, TOP = 330, 470, 46, 64
COLOURS = {"PyTorch": "#3b6fb6", "torch.compile": "#e0913a"}


def chart(results: list) -> str:
    """Bars for the median ratios, with whiskers from minimum to maximum; a line at 1."""
    bars = [(r, list(zip(COLOURS, (r.ratios(r.torch), r.ratios(r.compiled))))) for r in results]
    longest = max([1.2] + [max(ratios) for _, sides in bars for _, ratios in sides if ratios])
    height = TOP + ROW * len(bars) + 30

    def x(ratio: float) -> float:
        return LEFT + WIDTH * ratio / longest

    def text(at_x: float, at_y: float, content: str, anchor: str = "start") -> str:
        return (f'<text x="{at_x:.1f}" y="{at_y:.1f}" text-anchor="{anchor}" '
                f'dominant-baseline="middle">{escape(content)}</text>')

    parts = [text(12, 20, said("tokens per second, this code divided by PyTorch (1 = as fast)"))]
    shown = [name for i, name in enumerate(COLOURS) if any(sides[i][1] for _, sides in bars)]
    for i, name in enumerate(shown):
        parts += [f'<rect x="{LEFT + 170 * i}" y="36" width="12" height="12" '
                  f'fill="{COLOURS[name]}"/>',
                  text(LEFT + 170 * i + 18, 43, said("against " + name))]
    for i, (result, sides) in enumerate(bars):
        y = TOP + ROW * i
        parts.append(text(LEFT - 10, y + ROW / 2, said(result.case.title), "end"))
        present = [(name, ratios) for name, ratios in sides if ratios]
        size = (ROW - 12) / max(1, len(present))
        for j, (name, ratios) in enumerate(present):
            top, middle = y + 6 + j * size, statistics.median(ratios)
            centre = top + size / 2 - 1
            parts += [f'<rect x="{LEFT}" y="{top:.1f}" width="{x(middle) - LEFT:.1f}" '
                      f'height="{size - 2:.1f}" fill="{COLOURS[name]}"/>',
                      f'<path d="M{x(min(ratios)):.1f} {centre:.1f}H{x(max(ratios)):.1f}" '
                      'stroke="#222222"/>',
                      text(x(max(ratios)) + 6, centre, f"{middle:.2f}x")]
    parts.append(f'<path d="M{x(1):.1f} {TOP}V{height - 24}" stroke="#222222" '
                 'stroke-dasharray="4 3"/>')
    parts.append(text(x(1), height - 12, "1x", "middle"))
    width = LEFT + WIDTH + 70
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" font-family="sans-serif" font-size="13" '
            f'fill="#222222">\n<rect width="{width}" height="{height}" fill="white"/>\n'
            + "\n".join(parts) + "\n</svg>\n")


def write(folder: Path, about: dict[str, str], results: list) -> None:
    for name, content in (("speed.md", markdown(about, results)), ("speed.csv", as_csv(results)),
                          ("speed.svg", chart(results))):
        write_file(folder / name, content)

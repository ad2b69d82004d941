"""The pictures of docs/*/heads.md, drawn from what `heads` and `lens` measured of SmolLM2.

  python3 -m tools.book.head_pictures out/09_since_2017/heads.html

keeps the numbers of that page, one row a head, as docs/results/logs/heads-smollm2.csv; the lens's
are those of docs/results/logs/lens-smollm2.txt. `./learn docs` draws the pictures from both files
(tools/book/drawings.py). A title states a finding; its numbers are computed when it is drawn.

A paragraph of the page that describes a map ends in the mark `<!-- heads: MEASURE -->`. The
first head that it names must be the one with the largest value, it must quote that value, and it
must say how many heads have more than 0.5, or for `removed` more than 0.05.
"""

from __future__ import annotations

import csv
import json
import math
import re
import sys
from pathlib import Path
from typing import Iterator

from tools.book import live_page, page_numbers
from tools.book.whole import FONTS, INK, PAPER, SOFT, Canvas
from tools.terminal import ROOT, Stop, write_file

LOGS = Path("docs/results/logs")
HEADS, PRINTED, LENS = (LOGS / f"{name}" for name in (
    "heads-smollm2.csv", "heads-smollm2.txt", "lens-smollm2.txt"))
MEASURES = ("first", "previous", "itself", "same", "induction", "duplicate", "removed")
SHOWN = {"previous": "on the token before", "induction": "on what came next the first time",
         "duplicate": "on the same token the first time", "first": "on the first token"}
VOCABULARY = 49152
CELL, LEFT, WIDTH, SPAN = 20, 78, 712, 460  # pixels; SPAN is the width of a plot
BLUE, ORANGE, GREY, DARK = "#3b6fb6", "#d95f02", "#888888", (11, 37, 90)

MARK = re.compile(r"<!-- heads: (\w+) -->")
NAMED = {"en": re.compile(r"[Hh]ead (?P<head>\d+)\s+of\s+layer (?P<layer>\d+)"),
         "zh": re.compile(r"层 (?P<layer>\d+) 的头 (?P<head>\d+)")}
COUNTED = {"en": re.compile(r"(?<![\d.])(\d+)\s+(?:of \d+ )?heads"),
           "zh": re.compile(r"(?<![\d.])(\d+) 个")}
LEAST = {"removed": 0.05}  # nats; for all others 0.5
NATS, NORM_FIRST, NORM_REST = 0, 1, 2  # the columns of the lens


class Heads:
    """The measurements: maps of numbers, layer by layer, and the facts printed below them."""

    def __init__(self, root: Path) -> None:
        with open(root / HEADS, encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.layers = 1 + max(int(row["layer"]) for row in rows)
        self.heads = len(rows) // self.layers
        self.maps = {name: [float(row[name]) for row in rows] for name in MEASURES}
        printed = (root / PRINTED).read_text(encoding="utf-8")
        self.first, self.second = self.numbers(printed, r"said twice: (\S+) nats, the second time "
                                                        r"([\d.]+)")
        self.removed, self.copying, self.before, self.others = self.numbers(
            printed, r"(\d+) heads removed: the most inductive ([\d.]+), .*\n"
                     r"the token before ([\d.]+), others ([\d.]+)")
        self.lens = [lens_of(part) for part in
                     (root / LENS).read_text(encoding="utf-8").split("./learn")[1:]]

    @staticmethod
    def numbers(printed: str, pattern: str) -> list[float]:
        return [float(found) for found in re.search(pattern, printed).groups()]

    def strongest(self, measure: str) -> tuple[int, int, float]:
        """(layer, head, number)"""
        values = self.maps[measure]
        at = max(range(len(values)), key=values.__getitem__)
        return at // self.heads, at % self.heads, values[at]

    def above(self, measure: str, least: float) -> int:
        return sum(value > least for value in self.maps[measure])


def lens_of(printed: str) -> list[list[float]]:
    """One row per layer, preceded by one for the input: nats, and the norms at the first token and
    at the others."""
    return [[float(number) for number in row.split()[1:4]] for row in printed.splitlines()
            if re.match(r"(input| +\d+) +\d+\.\d{3} ", row)]


# --- drawing ---

def svg(canvas: Canvas, height: int, title: str) -> str:
    head = Canvas(None)
    head.text(16, 26, title, 17, INK, "start", ' font-weight="bold"')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
            f'viewBox="0 0 {WIDTH} {height}" font-family="{FONTS}">\n'
            f'<rect width="100%" height="100%" fill="{PAPER}"/>\n'
            + "\n".join(head.lines + canvas.lines) + "\n</svg>\n")


def shade(share: float) -> str:
    """From white for 0 to dark blue for 1."""
    share = min(1.0, max(0.0, share)) ** 0.8
    return "#" + "".join(f"{round(246 + (end - 246) * share):02x}" for end in DARK)


def one_map(canvas: Canvas, all_heads: Heads, measure: str, top: int, label: str,
            most: float = 1) -> None:
    """One column per layer, one row per head; the strongest is framed, its number above the map."""
    values = all_heads.maps[measure]
    layer, head, value = all_heads.strongest(measure)
    right = LEFT + CELL * all_heads.layers
    canvas.text(LEFT, top - 8, label, 14, INK, "start")
    canvas.text(right, top - 8, f"layer {layer}, head {head}: {value:.3f}", 14, ORANGE, "end",
                ' font-weight="bold"')
    canvas.text(LEFT - 8, top + 12, "head 0", 12, SOFT, "end")
    canvas.text(LEFT - 8, top + 14 * all_heads.heads - 2, f"head {all_heads.heads - 1}", 12, SOFT,
                "end")
    canvas.lines.append('<g shape-rendering="crispEdges">')
    for at, number in enumerate(values):
        x, y = LEFT + CELL * (at // all_heads.heads), top + 14 * (at % all_heads.heads)
        canvas.lines.append(f'<rect x="{x}" y="{y}" width="{CELL}" height="14" '
                            f'fill="{shade(number / most)}"/>')
    canvas.lines.append("</g>")
    canvas.lines.append(f'<rect x="{LEFT + CELL * layer - 1}" y="{top + 14 * head - 1}" '
                        f'width="{CELL + 2}" height="16" fill="none" stroke="{ORANGE}" '
                        'stroke-width="2.5"/>')


def layer_numbers(canvas: Canvas, layers: int, y: int, step: float = CELL,
                  first: float = LEFT + CELL / 2) -> None:
    for layer in range(0, layers, 5):
        canvas.text(first + step * layer, y, str(layer), 12)
    canvas.text(first + step * (layers - 1), y, f"layer {layers - 1}", 12)


def maps(all_heads: Heads) -> str:
    canvas = Canvas(None)
    tall = 14 * all_heads.heads
    for row, (measure, label) in enumerate(SHOWN.items()):
        one_map(canvas, all_heads, measure, 66 + row * (tall + 40), label)
    bottom = 66 + 4 * (tall + 40)
    layer_numbers(canvas, all_heads.layers, bottom - 22)
    canvas.text(LEFT, bottom + 4, "white: no attention; dark blue: all of it", 13, SOFT, "start")
    return svg(canvas, bottom + 18, jobs(all_heads))


def jobs(all_heads: Heads) -> str:
    back, copy, rest = (all_heads.above(measure, 0.5)
                        for measure in ("previous", "induction", "first"))
    return (f"Of {len(all_heads.maps['first'])} heads, {back} look one back, {copy} copy and "
            f"{rest} rest")


class Plot:
    """Lines over the layers, each labelled at its end."""

    def __init__(self, layers: int, low: float, high: float, logarithmic: bool = False) -> None:
        self.canvas, self.layers, self.logarithmic = Canvas(None), layers, logarithmic
        self.low, self.high = self.scaled(low), self.scaled(high)
        self.step = SPAN / (layers - 1)
        layer_numbers(self.canvas, layers, 378, self.step, LEFT)

    def scaled(self, value: float) -> float:
        return math.log(value) if self.logarithmic else value

    def y(self, value: float) -> float:
        return round(352 - 280 * (self.scaled(value) - self.low) / (self.high - self.low), 1)

    def x(self, row: int) -> float:
        return round(LEFT + self.step * row, 1)

    def level(self, value: float, label: str, colour: str = "#e4e4e4") -> None:
        self.canvas.lines.append(f'<line x1="{LEFT}" y1="{self.y(value)}" x2="{LEFT + SPAN}" '
                                 f'y2="{self.y(value)}" stroke="{colour}"/>')
        self.canvas.text(LEFT - 8, self.y(value) + 4, label, 12, SOFT, "end")

    def line(self, numbers: list[float], colour: str, label: str, shift: int = 0) -> None:
        points = " ".join(f"{self.x(row)},{self.y(number)}" for row, number in enumerate(numbers))
        self.canvas.lines.append(f'<polyline points="{points}" fill="none" stroke="{colour}" '
                                 'stroke-width="2.5"/>')
        self.canvas.text(self.x(len(numbers) - 1) + 8, self.y(numbers[-1]) + 5 + shift, label, 13,
                         colour, "start")


def worse_than_a_guess(all_heads: Heads) -> int:
    """The last layer after which the loss on both texts is still above that of a uniform guess."""
    rows = zip(*(text[1:] for text in all_heads.lens))
    return max(layer for layer, both in enumerate(rows)
               if min(row[NATS] for row in both) > math.log(VOCABULARY))


def lens(all_heads: Heads) -> str:
    short, long = ([row[NATS] for row in text[1:]] for text in all_heads.lens)
    plot = Plot(all_heads.layers, 0, 24)
    for nats in range(0, 25, 6):
        plot.level(nats, str(nats))
    guess = math.log(VOCABULARY)
    plot.level(guess, "", ORANGE)
    plot.canvas.text(LEFT + 6, plot.y(guess) + 16, f"a guess among {VOCABULARY:,} tokens: "
                     f"{guess:.2f}", 13, ORANGE, "start")
    plot.canvas.text(LEFT, 58, "nats a token, if the output read the stream after the layer", 13,
                     SOFT, "start")
    plot.line(long, BLUE, "a text of 209 tokens", -8)
    plot.line(short, INK, "the capitals, 13 tokens", 8)
    return svg(plot.canvas, 396, f"Up to layer {worse_than_a_guess(all_heads)} the lens does worse "
                                 "than guessing")


def marking_layer(all_heads: Heads) -> tuple[int, float]:
    """The layer in which the norm of the first token grows most, and by what factor."""
    norms = [row[NORM_FIRST] for row in all_heads.lens[1][1:]]
    times = [after / before for before, after in zip(norms, norms[1:])]
    return 1 + times.index(max(times)), max(times)


def norm(all_heads: Heads) -> str:
    first, rest = ([row[column] for row in all_heads.lens[1][1:]]
                   for column in (NORM_FIRST, NORM_REST))
    plot = Plot(all_heads.layers, 30, 30000, logarithmic=True)
    for size in (100, 1000, 10000):
        plot.level(size, f"{size:,}")
    plot.canvas.text(LEFT, 58, "norm of the stream after the layer", 13, SOFT, "start")
    plot.line(first, ORANGE, "at the first token")
    plot.line(rest, BLUE, "at the others, median")
    layer, times = marking_layer(all_heads)
    return svg(plot.canvas, 396,
               f"Layer {layer} alone makes the first token's norm {times:.0f} times as large")


def together(all_heads: Heads) -> str:
    canvas, count = Canvas(None), int(all_heads.removed)
    bars = (("no head removed", all_heads.second, GREY),
            (f"{count} random others", all_heads.others, GREY),
            (f"the {count} that look one back the most", all_heads.before, BLUE),
            (f"the {count} that copy most", all_heads.copying, BLUE))
    for row, (label, value, colour) in enumerate(bars):
        y = 66 + 40 * row
        canvas.text(246, y + 18, label, 14, INK, "end")
        canvas.lines.append(f'<rect x="256" y="{y}" width="{24 * value:.1f}" height="26" '
                            f'fill="{colour}"/>')
        end, inside = 256 + 24 * value, value > all_heads.first / 2
        canvas.text(round(end - 8 if inside else end + 8, 1), y + 18, f"{value:.3f}", 14,
                    PAPER if inside else INK, "end" if inside else "start")
    x = round(256 + 24 * all_heads.first, 1)
    canvas.lines.append(f'<line x1="{x}" y1="58" x2="{x}" y2="220" stroke="{ORANGE}" '
                        'stroke-width="2"/>')
    canvas.text(x, 238, f"the first time: {all_heads.first:.3f}", 13, ORANGE)
    canvas.text(16, 238, "nats a token the second time", 13, SOFT, "start")
    kept = (all_heads.copying - all_heads.second) / (all_heads.first - all_heads.second)
    return svg(canvas, 254, f"Without the {count} heads that copy most, {100 * kept:.0f} percent "
                            "of the gain is gone")


def alone(all_heads: Heads) -> str:
    canvas, most = Canvas(None), all_heads.strongest("removed")[2]
    one_map(canvas, all_heads, "removed", 66, "nats more without the head", most)
    bottom, count = 66 + 14 * all_heads.heads, all_heads.above("removed", LEAST["removed"])
    layer_numbers(canvas, all_heads.layers, bottom + 18)
    canvas.text(LEFT, bottom + 44, "white: nothing, or less than nothing; dark blue: the most", 13,
                SOFT, "start")
    return svg(canvas, bottom + 58, f"Removed one at a time, {count} of "
                                    f"{len(all_heads.maps['removed'])} heads cost more than "
                                    f"{LEAST['removed']} nats")


PICTURES = {"heads_maps": maps, "heads_together": together, "heads_alone": alone,
            "heads_lens": lens, "heads_norm": norm}


def files(root: Path) -> dict[str, str]:
    """File names, without .svg, and their contents."""
    all_heads = Heads(root)
    return {name: draw(all_heads) for name, draw in PICTURES.items()}


# --- what the page says ---

def wrong(paragraph: str, language: str, root: Path) -> Iterator[str]:
    """What a marked paragraph says of heads but their measures do not confirm."""
    for measure in MARK.findall(paragraph):
        if measure not in MEASURES:
            yield f"heads: {measure} is no measure"
            continue
        all_heads, own = Heads(root), page_numbers.NOT_TEXT.sub(" ", paragraph)
        layer, head, value = all_heads.strongest(measure)
        found = NAMED[language].search(own)
        if not found or (int(found["layer"]), int(found["head"])) != (layer, head):
            yield f"heads: {measure}: the strongest is head {head} of layer {layer}, {value}"
        if not any(page_numbers.rounds_to(value, number) for number in page_numbers.precise(own)):
            yield f"heads: {measure}: its largest number is {value}, which is not said"
        least = LEAST.get(measure, 0.5)
        count = all_heads.above(measure, least)
        if count not in map(int, COUNTED[language].findall(own)):
            yield f"heads: {measure}: {count} heads have more than {least}, which is not said"


def record(page: Path, root: Path) -> None:
    found = live_page.DATA.search(page.read_text(encoding="utf-8"))
    views = json.loads(found[0])["views"] if found else []
    if not views or {each["name"] for each in views[0]["maps"]} != set(MEASURES):
        raise Stop(f"{page}: not a page of `09_since_2017 heads` with all measures")
    values = {each["name"]: each["values"] for each in views[0]["maps"]}
    rows = ["layer,head," + ",".join(MEASURES)]
    for at in range(views[0]["layers"] * views[0]["heads"]):
        layer, head = divmod(at, views[0]["heads"])
        rows.append(f"{layer},{head}," + ",".join(f"{values[name][at]:.4f}" for name in MEASURES))
    write_file(root / HEADS, "\n".join(rows) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        record(Path(sys.argv[1]), ROOT)
    except (Stop, OSError) as error:
        sys.exit(f"error: {error}")

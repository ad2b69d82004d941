"""The whole model in one drawing, whole.svg, and the same with one chapter's part lit, whole_N.svg.

Every box has the chapter that builds it (`data-chapter`) and its name (`data-part`): the site turns
the boxes into links, and the live page fills them with the sentence's own numbers.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from pathlib import Path

WIDTH, HEIGHT, TOP = 480, 670, 40
RECORD = "docs/recorded/07_transformer.txt"
SENTENCE = re.compile(r"^    (\S.*?)  ->  (\S.*)$", re.M)
FONTS = ("Helvetica, Arial, 'DejaVu Sans', 'Noto Sans', 'Noto Sans CJK SC', 'PingFang SC', "
         "'Microsoft YaHei', sans-serif")
SINCE_2017 = 9  # in its drawing, each part has the number of the chapter it replaces
COLOURS = {1: "#c9a227", 2: "#3b6fb6", 3: "#6a8f3c", 4: "#d95f02", 5: "#21918c", 6: "#8a5fb0",
           7: "#b5446e", 8: "#8a5fb0"}
INK, SOFT, PAPER, DIM = "#222222", "#555555", "#ffffff", "#c5ccd3"

ENCODER, DECODER = 114, 366  # the centre of each column
HALF = 86                    # of a box's width
DASHED = ' stroke-dasharray="5 4"'

# The boxes and frames that a chapter builds. The whole drawing has everything lit.
LIT = {
    1: ("source_embedding", "source_positions", "target_embedding", "target_positions"),
    2: ("encoder_attention", "decoder_attention", "cross_attention"),
    3: ("encoder_norm_1", "encoder_norm_2", "decoder_norm_1", "decoder_norm_2", "decoder_norm_3"),
    4: ("encoder_feed_forward", "decoder_feed_forward"),
    5: ("encoder", "encoder_attention", "encoder_norm_1", "encoder_feed_forward",
        "encoder_norm_2"),
    6: ("decoder", "decoder_attention", "decoder_norm_1", "cross_attention", "decoder_norm_2",
        "decoder_feed_forward", "decoder_norm_3"),
    7: ("linear", "softmax"),
    8: ("memory", "decoder", "decoder_attention"),
    SINCE_2017: ("decoder", "decoder_norm_1", "decoder_attention", "decoder_norm_3",
                 "decoder_feed_forward"),
}
# The inputs and outputs of a chapter's part.
SHAPES = {
    1: ("ids (B, T)", "vectors (B, T, D)"),
    2: ("queries (B, T, D), keys (B, S, D)", "(B, T, D); H maps (T, S)"),
    3: ("x and f(x), (B, T, D) each", "(B, T, D)"),
    4: ("(B, T, D), word by word", "(B, T, D); Dff inside"),
    5: ("(B, S, D)", "(B, S, D), all words seen"),
    6: ("(B, T, D) and (B, S, D)", "(B, T, D), no word ahead"),
    7: ("ids (B, S) and (B, T)", "p of each word, (B, T, V)"),
    8: ("(B, T, D), old states (B, M, D)", "(B, T, D), states to keep"),
    SINCE_2017: ("ids (B, T)", "p of each next token, (B, T, V)"),
}
LEGEND = ("Read it bottom-up:", "the words go in, the next", "words come out. A number",
          "is the box's chapter.", "B sentences of S words to", "read and T to write, D",
          "numbers a word, V words", "in the vocabulary")


@dataclass
class Canvas:
    lit: tuple[str, ...] | None  # None: all
    lines: list[str] = field(default_factory=list)

    def has(self, part: str) -> bool:
        return self.lit is None or part in self.lit

    def text(self, x: float, y: float, words: str, size: int = 15, colour: str = SOFT,
             anchor: str = "middle", more: str = "") -> None:
        self.lines.append(f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{colour}" '
                          f'text-anchor="{anchor}"{more}>{html.escape(words, quote=False)}</text>')

    def line(self, *points: tuple[float, float], arrow: bool = True, dashed: bool = False) -> None:
        path = " ".join(f"{x:g},{y:g}" for x, y in points)
        more = DASHED if dashed else ""
        more += ' marker-end="url(#arrow)"' if arrow else ""
        self.lines.append(f'<polyline points="{path}" fill="none" stroke="#888888" '
                          f'stroke-width="1.5"{more}/>')

    def box(self, part: str, chapter: int, middle: float, top: float, height: float, label: str,
            dashed: bool = False) -> None:
        lit = self.has(part)
        colour = COLOURS[chapter] if lit else DIM
        self.lines.append(f'<g data-part="{part}" data-chapter="{chapter}">')
        self.lines.append(f'<rect x="{middle - HALF:g}" y="{top:g}" width="{2 * HALF}" '
                          f'height="{height:g}" rx="6" fill="{COLOURS[chapter] if lit else PAPER}" '
                          f'fill-opacity="{0.2 if lit else 0}" stroke="{colour}"'
                          f'{DASHED if dashed else ""}/>')
        self.text(middle - 9, top + height / 2 + 5, label, 16, INK if lit else "#767676")
        self.number(chapter, middle + HALF - 13, top + height / 2, lit)
        self.lines.append("</g>")

    def number(self, chapter: int, x: float, y: float, lit: bool) -> None:
        self.text(x, y + 5, str(chapter), 15, INK if lit else "#767676",
                  more=' font-weight="bold"')

    def frame(self, part: str, chapter: int, middle: float, top: float, bottom: float,
              label: str) -> None:
        lit = self.has(part)
        self.lines.append(f'<g data-part="{part}" data-chapter="{chapter}">')
        self.lines.append(f'<rect x="{middle - 102}" y="{top:g}" width="204" '
                          f'height="{bottom - top:g}" rx="10" fill="{PAPER}" fill-opacity="0" '
                          f'stroke="{COLOURS[chapter] if lit else DIM}" '
                          f'stroke-width="{2 if lit else 1}"/>')
        self.text(middle - 102, top - 7, label, 15, INK if lit else "#767676", "start")
        self.number(chapter, middle + 94, top - 12, lit)
        self.lines.append("</g>")


def sub_layer(canvas: Canvas, middle: float, side: int, top: float, part: tuple, norm: str) -> None:
    """One residual block, with its box from `top` to `top` + 34 and the sum and norm above it."""
    name, chapter, label = part
    edge = middle + side * (HALF + 8)
    canvas.line((middle, top + 41), (edge, top + 41), (edge, top - 26),
                (middle + side * (HALF + 1), top - 26))
    canvas.line((middle, top + 50), (middle, top + 35))
    canvas.box(name, chapter, middle, top, 34, label)
    canvas.line((middle, top), (middle, top - 13))
    canvas.box(norm, 3, middle, top - 38, 24, "add & norm")


def norm_first(canvas: Canvas, top: float, part: tuple, norm: str) -> None:
    """One pre-norm residual block: its norm at `top` + 50, then the box, then the sum."""
    name, chapter, label = part
    edge = DECODER + HALF + 8
    canvas.line((DECODER, top + 90), (DECODER, top + 75))
    canvas.line((DECODER, top + 84), (edge, top + 84), (edge, top - 14), (DECODER + 9, top - 14))
    canvas.box(norm, 3, DECODER, top + 50, 24, "RMS norm")
    canvas.line((DECODER, top + 50), (DECODER, top + 35))
    canvas.box(name, chapter, DECODER, top, 34, label)
    canvas.line((DECODER, top), (DECODER, top - 5))
    canvas.lines.append(f'<circle cx="{DECODER}" cy="{top - 14:g}" r="8" fill="{PAPER}" '
                        'stroke="#888888"/>')
    canvas.text(DECODER, top - 9, "+", 14, INK)


def decoder_alone(canvas: Canvas) -> None:
    """The architecture since 2017: no encoder, rotary positions, a norm before each box."""
    canvas.frame("decoder", 6, DECODER, 254, 538, "decoder × N")
    norm_first(canvas, 440, ("decoder_attention", 2, "rotary attention"), "decoder_norm_1")
    norm_first(canvas, 314, ("decoder_feed_forward", 4, "gated network"), "decoder_norm_3")
    canvas.line((DECODER, 538), (DECODER, 530), arrow=False)
    canvas.line((DECODER, 418), (DECODER, 404), arrow=False)
    canvas.line((DECODER, 292), (DECODER, 274), arrow=False)


def stack(canvas: Canvas, chapter: int | None) -> None:
    """The decoder's column and the encoder's next to it; chapter 8 has states instead."""
    if chapter == SINCE_2017:
        decoder_alone(canvas)
        return
    if chapter == 8:
        canvas.frame("decoder", 8, DECODER, 254, 538, "layer × N")
        attention = ("decoder_attention", 8, "relative attention")
    else:
        canvas.frame("decoder", 6, DECODER, 254, 538, "decoder × N")
        attention = ("decoder_attention", 2, "masked attention")
    sub_layer(canvas, DECODER, 1, 488, attention, "decoder_norm_1")
    if chapter != 8:
        sub_layer(canvas, DECODER, 1, 400, ("cross_attention", 2, "cross attention"),
                  "decoder_norm_2")
    else:
        canvas.line((DECODER, 450), (DECODER, 351))
    sub_layer(canvas, DECODER, 1, 312, ("decoder_feed_forward", 4, "feed-forward"),
              "decoder_norm_3")
    if chapter == 8:
        memory(canvas)
        return
    canvas.frame("encoder", 5, ENCODER, 342, 538, "encoder × N")
    sub_layer(canvas, ENCODER, -1, 488, ("encoder_attention", 2, "self-attention"),
              "encoder_norm_1")
    sub_layer(canvas, ENCODER, -1, 400, ("encoder_feed_forward", 4, "feed-forward"),
              "encoder_norm_2")
    canvas.line((ENCODER, 362), (ENCODER, 318), (240, 318), (240, 417), (DECODER - HALF - 1, 417))
    canvas.text(ENCODER + 6, 312, "(B, S, D)", anchor="start")


def memory(canvas: Canvas) -> None:
    canvas.box("memory", 8, ENCODER, 488, 34, "old states", dashed=True)
    canvas.line((ENCODER + HALF, 505), (DECODER - HALF - 1, 505), dashed=True)
    canvas.text(ENCODER, 478, "(B, M, D)")
    for row, words in enumerate(("of the segment before:", "keys and values, no gradient")):
        canvas.text(ENCODER, 542 + 18 * row, words, 14)


def embedding(canvas: Canvas, which: str, middle: float, length: str, words: list[str]) -> None:
    canvas.box(f"{which}_embedding", 1, middle, 616, 32, "embedding")
    canvas.line((middle, 664), (middle, 649))
    if which == "text":  # its positions are in the attention
        canvas.line((middle, 616), (middle, 538), arrow=False)
    else:
        canvas.box(f"{which}_positions", 1, middle, 570, 32, "+ positions")
        canvas.line((middle, 616), (middle, 603))
        canvas.line((middle, 570), (middle, 538), arrow=False)
    canvas.text(middle + 6, 559, f"(B, {length}, D)", anchor="start")
    canvas.text(middle + 8, 661, f"(B, {length})", anchor="start")
    in_two_lines(canvas, which, middle, 682, words)


def in_two_lines(canvas: Canvas, which: str, middle: float, y: float, words: list[str]) -> None:
    half = (len(words) + 1) // 2
    for row, part in enumerate((words[:half], words[half:])):
        canvas.text(middle, y + 18 * row, " ".join(part), 15, INK,
                    more=f' data-words="{which}" font-weight="bold"')


def legend(canvas: Canvas, chapter: int | None) -> None:
    if chapter is None:
        for row, words in enumerate(LEGEND):
            canvas.text(12, 84 + 22 * row, words, 15, INK if row == 0 else SOFT, "start")
        return
    goes_in, comes_out = SHAPES[chapter]
    for y, words, colour in ((92, "goes in", INK), (112, goes_in, SOFT), (142, "comes out", INK),
                             (162, comes_out, SOFT)):
        canvas.text(12, y, words, 15, colour, "start",
                    ' font-weight="bold"' if colour == INK else "")


def sentence(root: Path) -> tuple[list[str], list[str]]:
    """The sentence pair whose attention chapter 7's lesson shows."""
    record = (root / RECORD).read_text(encoding="utf-8")
    source, target = SENTENCE.search(record[record.index("7. Where does it look?"):]).groups()
    return source.split(), target.split()


def svg(root: Path, chapter: int | None = None, lit: tuple[str, ...] | None = None) -> str:
    """The drawing, or that of `chapter`, with these boxes lit; by default the chapter's, or all."""
    source, target = sentence(root)
    canvas = Canvas(LIT[chapter] if lit is None and chapter else lit)
    stack(canvas, chapter)
    if chapter in (8, SINCE_2017):
        embedding(canvas, "text", DECODER, "T", source[:-1])
        comes_out = source[1:]
    else:
        embedding(canvas, "source", ENCODER, "S", source)
        embedding(canvas, "target", DECODER, "T", ["<bos>", *target])
        comes_out = [*target, "<eos>"]
    canvas.line((DECODER, 274), (DECODER, 233))
    canvas.text(DECODER + 6, 247, "(B, T, D)", anchor="start")
    canvas.box("linear", 7, DECODER, 198, 34, "linear")
    canvas.line((DECODER, 198), (DECODER, 171))
    canvas.text(DECODER + 6, 189, "logits (B, T, V)", anchor="start")
    canvas.box("softmax", 7, DECODER, 136, 34, "softmax")
    canvas.line((DECODER, 136), (DECODER, 113))
    canvas.text(DECODER + 6, 128, "p (B, T, V)", anchor="start")
    canvas.text(DECODER, 62, "the next words")
    in_two_lines(canvas, "next", DECODER, 84, comes_out)
    legend(canvas, chapter)
    body = "\n".join(canvas.lines)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
            f'viewBox="0 {TOP} {WIDTH} {HEIGHT}" font-family="{FONTS}">\n'
            f'<rect y="{TOP}" width="100%" height="100%" fill="{PAPER}"/>\n'
            '<defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="6" '
            'markerHeight="6" orient="auto"><path d="M0 0L10 5L0 10z" fill="#888888"/></marker>'
            f"</defs>\n{body}\n</svg>\n")


def files(root: Path) -> dict[str, str]:
    """File names, without .svg, and their contents."""
    return {"whole": svg(root), **{f"whole_{n}": svg(root, n) for n in LIT}}

"""Assembles the live page: live/page/, what it shares with the explorer, the module, the model.

One file that opens anywhere without a server and makes no network requests."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

from tools.book import site_pictures
from tools.terminal import ROOT, Stop

PAGE = ROOT / "live" / "page"
SHARED = ROOT / "common" / "page"
PICTURES = ROOT / "docs" / "pictures"
VIRIDIS = ROOT / "common" / "plot" / "viridis.cpp"

STYLES = [SHARED / "page.css", SHARED / "explorer.css", PAGE / "page.css"]
SCRIPTS = [SHARED / f"{name}.js" for name in (
    "text", "theme", "numbers", "picture", "panels", "pointing", "words")] + [
    PAGE / f"{name}.js" for name in (
        "state", "gloss", "engine", "chart", "maps", "hand", "flow",
        "journey", "translate", "brought", "words_typed", "choosing", "result", "breaks",
        "switches", "lecture", "together", "scenes", "tour", "positions", "root", "training",
        "recorded", "earlier", "trainings", "without", "neighbours", "begin")]
# What the scripts find in PAGE: all texts of the page, meanings of Chinese words, and what
# live_language.py and live_runs.py wrote.
TABLES = [PAGE / f"{name}.json" for name in ("words", "meanings", "bigrams", "recorded")]
# Where each box of the drawing of the whole model is computed: the file, and how the line begins.
CODE = {
    "embedding": ("chapters/01_embedding/token_embedding.hpp", "Tensor operator()"),
    "positions": ("chapters/07_transformer/transformer.hpp", "Tensor embed("),
    "attention": ("chapters/02_attention/multi_head_attention.hpp", "Tensor operator()"),
    "norm": ("chapters/03_layer_norm/residual.hpp", "Tensor residual("),
    "feed_forward": ("chapters/04_feed_forward/feed_forward.hpp", "Tensor operator()"),
    "encoder": ("chapters/05_encoder/encoder_layer.hpp", "Tensor operator()"),
    "decoder": ("chapters/06_decoder/decoder_layer.hpp", "Tensor operator()"),
    "linear": ("chapters/07_transformer/transformer.hpp", "return output(decoder(x, encoded"),
    "softmax": ("chapters/07_transformer/transformer.hpp", "Tensor operator()"),
}
# Which forward step of a traced pass (chapter 7, `trace`) belongs to a kind of box: the scope, as
# in Transformer.visit, and the operation in it. {side} is encoder or decoder.
STEPS = {
    "embedding": ("{side}", "embedding"), "positions": ("{side}", "add"),
    "attention": ("{side}.layers.0.{attention}", "softmax"),
    "norm": ("{side}.layers.0", "layer_norm"), "feed_forward": ("{side}.layers.0", "linear"),
    "encoder": ("{side}.layers.0", "layer_norm"), "decoder": ("{side}.layers.0", "layer_norm"),
    "linear": ("decoder", "linear"), "softmax": ("", "cross_entropy"),
}
# What a page that a program wrote shows, as JSON.
DATA = re.compile(r'(?<=<script type="application/json" id="data">).*?(?=</script>)', re.DOTALL)
CHINESE = "[\u2e80-\u9fff\uff00-\uffef\u3000-\u303f]"
# The font family of the page and its drawing: the reader's own font, or else the one in the page.
FACE = """@font-face { font-family: "Noto Sans CJK SC";
  unicode-range: U+2E80-9FFF, U+FF00-FFEF; src: local("Noto Sans CJK SC Regular"),
  local("NotoSansCJKsc-Regular"), local("PingFangSC-Regular"), local("Microsoft YaHei"),
  local("WenQuanYi Zen Hei"), url(data:font/woff;base64,%s) format("woff"); }
"""
# What a panel shows if the browser cannot run the engine.
STILLS = {
    "hand": ["02_attention_vectors"],
    "flow": ["whole"],
    "translate": ["attention"],
    "positions": ["01_embedding_clock_hands", "01_embedding_position_dot_products"],
    "root": ["02_attention_saturation"],
    "without": ["06_decoder_shifted_target"],
    "neighbours": ["02_multi_head"],
    "norm": ["03_layer_norm_gradient_by_depth"],
    "recall": ["08_transformer_xl_memory"],
    "train": ["07_transformer"],
}


def made_from() -> list[Path | str]:
    """What the page contains or refers to by line, without the module, the model and the trace."""
    return [PAGE, SHARED, PICTURES, VIRIDIS, json.dumps([chapters(), by_hand()]),
            *(ROOT / path for path, _ in CODE.values())]


def assembled(module: str, model: str, trace: str = "", font: str = "", own: str = "") -> str:
    """The page as one HTML file.

    module: the text of the engine's JavaScript with the WebAssembly in it; model: the text of the
    request that loads the model (live/answer.hpp); trace: the text of the page of a traced pass,
    trace.html, if there is one next to it; font: a WOFF file in base64, for readers without a
    Chinese font; own: the name of a model other than chapter 7's, in which case the page is a
    standalone file without a site to link to.
    """
    drawings = {language: whole(name) for language, name in (("en", "whole"), ("zh", "whole.zh"))}
    data = {"colours": colours(), "site": "" if own else "..", "own_model": own,
            "stills": stills(), "whole": drawings, "code": code(), "chapters": chapters(),
            "by_hand": by_hand(), **{path.stem: json.loads(read(path)) for path in TABLES},
            "trace": steps(trace) if trace else {}}
    parts = {
        "style": "".join(read(path) for path in STYLES) + (FACE % font if font else ""),
        "data": as_data(json.dumps(data, ensure_ascii=False)),
        "model": as_data(model),
        "module": as_script(module),
        "worker": as_script(read(PAGE / "worker.js")),
        "script": as_script("'use strict';\n" + "".join(read(path) for path in SCRIPTS)),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], read(PAGE / "page.html"))


def words() -> str:
    """All text of the page, in both languages."""
    return "".join(map(read, SCRIPTS + TABLES)) + read(PICTURES / "whole.zh.svg")


def whole(name: str) -> str:
    """The drawing of the whole model, with its greys replaced by style sheet variables."""
    figure = site_pictures.figure(PICTURES / f"{name}.svg", "")
    return figure[figure.index("<svg"):figure.index("</svg>") + len("</svg>")]


def chapters() -> dict[str, str]:
    """The page of each chapter, by number."""
    return {str(int(path.name[:2])): path.stem
            for path in sorted((ROOT / "docs" / "en").glob("0[0-8]_*.md"))}


def by_hand() -> dict:
    """Chapter 2's three words with their vectors, and the percentage of right letters with one
    vector for a whole sentence and with attention, from the chapter's page, where `./learn docs`
    puts the output of its program."""
    text = read(ROOT / "docs" / "en" / "02_attention.md")

    def rows(begin: str, count: int) -> list[list[str]]:
        lines = text[text.index(begin):].splitlines()[1:count + 1]
        return [re.split(r" {2,}", line.strip()) for line in lines]

    def numbers(cells: list[str]) -> list[float]:
        return [float(cell.rstrip(" %")) for cell in cells]

    vectors = {name: rows(f"\n  {name}  (3, 2)\n", 4)[1:] for name in "qkv"}
    lengths, _, one_vector, attention = rows("\n\n```text\n    length of the sentence", 6)[2:]
    return {"words": [row[0] for row in vectors["q"]],
            "vectors": {name: [numbers(row[1:]) for row in vectors[name]] for name in "qkv"},
            "measured": {"lengths": numbers(lengths[1:]), "one_vector": numbers(one_vector[1:]),
                         "attention": numbers(attention[1:])}}


def code() -> dict[str, list]:
    """For each box of the drawing, the source file and line that compute it."""
    return {box: list(line_of(*CODE[kind])) for box, kind in boxes().items()}


def boxes() -> dict[str, str]:
    """The boxes of the drawing, each with its kind."""
    names = re.findall(r'data-part="(\w+)"', read(PICTURES / "whole.svg"))
    return {name: re.sub(r"^(source|target|encoder|decoder|cross)_|_\d$", "", name)
            for name in names}


def steps(trace: str) -> dict[str, int]:
    """For each box of the drawing, the number of its step on the trace page."""
    forward = [step for step in json.loads(DATA.search(trace)[0])["steps"] if not step["backward"]]

    def step_of(box: str, kind: str) -> int:
        scope, op = STEPS[kind]
        scope = scope.format(
            side="encoder" if re.match("source|encoder", box) else "decoder",
            attention="cross_attention" if box.startswith("cross") else "self_attention")
        found = [step["number"] for step in forward
                 if (step["scope"], step["op"]) == (scope, op)]
        place = re.search(r"_(\d)$", box)  # for several norms; encoder and decoder end in the last
        return found[int(place[1]) - 1 if place else -1 if kind in ("encoder", "decoder") else 0]
    return {box: step_of(box, kind) for box, kind in boxes().items()}


def line_of(path: str, start: str) -> tuple[str, int]:
    lines = read(ROOT / path).splitlines()
    number = next((i for i, line in enumerate(lines, 1) if line.strip().startswith(start)), None)
    if number is None:
        raise Stop(f"{path}: no line begins with {start}")
    return path, number


def read(path) -> str:
    return path.read_text(encoding="utf-8")


def as_data(text: str) -> str:
    """Escapes JSON so that it cannot close the <script> element."""
    return text.replace("<", "\\u003c")


def as_script(text: str) -> str:
    """Escapes JavaScript so that it cannot close <script>; in strings, <\\/script is the same."""
    return text.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def colours() -> str:
    """The table of common/plot/viridis.cpp in the explorer's format: base64 of 768 bytes."""
    table = read(VIRIDIS)
    table = table.split("viridis_table", 1)[1].split("}};", 1)[0]
    entries = re.findall(r"\{(\d+), (\d+), (\d+)\}", table)
    if len(entries) != 256:
        raise Stop(f"common/plot/viridis.cpp: {len(entries)} colours, not 256")
    return base64.b64encode(bytes(int(part) for entry in entries for part in entry)).decode()


def stills() -> dict[str, list[dict[str, str]]]:
    """For each panel its pictures: {language: base64 of the SVG}."""
    def languages(name: str) -> dict[str, str]:
        paths = {"en": PICTURES / f"{name}.svg", "zh": PICTURES / f"{name}.zh.svg"}
        return {language: base64.b64encode(path.read_bytes()).decode()
                for language, path in paths.items() if path.is_file()}
    return {panel: [languages(name) for name in names] for panel, names in STILLS.items()}

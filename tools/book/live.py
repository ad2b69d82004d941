"""The live page, live/index.html of the site: the chapters' own C++ as WebAssembly, a translator
trained during the build, and live/page/, in one file that opens without a network. Next to it are
trace.html, one pass of the chapter's model step by step, linked from its boxes, and by_hand.html,
the numbers of chapter 2 that a lecturer works out on the board."""

from __future__ import annotations

import array
import base64
import json
import os
import re
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

from tools import setup
from tools.book import live_page
from tools.book.steps import HTML, say_up_to_date, step
from tools.catalogue import named
from tools.language import words
from tools.terminal import (BIN, OUT, ROOT, Doing, Stop, in_turn, say, shown, timed, write_changed,
                            write_file)

PAGE = HTML / "live" / "index.html"
WASM = ROOT / "build" / "wasm"  # the preset `wasm`
MODULE = WASM / "bin" / "live.js"

FONT = Path("/usr/share/fonts/truetype/wqy/wqy-zenhei.ttc")  # its licence allows embedding

# The model is the one that chapter 7's lesson trains on the tutorial's own little language.
LESSON = ROOT / "build" / "live" / "07_transformer"
WEIGHTS = "model.safetensors"
CHAPTER = ROOT / "chapters" / "07_transformer"
MADE_FROM = [path for name in ("corpus*", "own_language*", "lesson_language.cpp")
             for path in sorted((CHAPTER / "experiments").glob(name))]

BY_HAND = "by_hand.html"  # section 1 of chapter 2, as a trace

# Which panel of the live page belongs to a page of the site, and the texts of the links.
PANELS = {"index": "flow", "00_foundations": "flow", "01_embedding": "positions",
          "02_attention": "translate", "03_layer_norm": "norm", "06_decoder": "without",
          "07_transformer": "train", "08_transformer_xl": "recall", "teaching": "translate"}
WORDS = Path(__file__).with_suffix(".po")  # by page, or by panel


def build() -> Path | None:
    """Updates the page. Returns None, after printing a line, if emscripten is not available."""
    if not setup.offered("emscripten", ("em++",), "the live page is left out"):
        return None
    with in_turn(LESSON.parent / "page.lock"):
        return built()


def built() -> Path:
    """Updates the module, the model and the page, in turn with another ./learn here."""
    engine, trained, numbers = module(), model(), by_hand()
    trace = trained.parent / "trace.html"

    def assembled(_changed: set[str]) -> None:
        with Doing("the live page"):
            steps, request = trace.read_text(encoding="utf-8"), load_request(trained)
            write_changed(PAGE.with_name("trace.html"), steps)
            write_changed(PAGE.with_name(BY_HAND), numbers)
            page = live_page.assembled(engine.read_text(encoding="utf-8"), request, steps,
                                       glyphs(request))
            write_file(PAGE, page)

    programs = [ROOT / "tools" / "book" / f"{name}.py"
                for name in ("live", "live_page", "site_pictures", "legible")]
    step("the live page", PAGE,
         {"of": [engine, trained, trace, numbers, *live_page.made_from(), *programs]}, assembled)
    return PAGE


# ---- the module ----------------------------------------------------------------------------------


def module() -> Path:
    """Compiles the engine if it has changed."""
    title = "compiling the engine"
    if not setup.set_up(setup.PACKAGES, [MODULE.name], WASM, title):
        say_up_to_date(title)
    return MODULE


# ---- the model -----------------------------------------------------------------------------------


def model() -> Path:
    """The directory of the trained model, which is retrained when its definition has changed."""
    title, log = "training the model", LESSON / "lesson.txt"

    def trained(_changed: set[str]) -> None:
        setup.set_up(setup.PACKAGES, [LESSON.name])
        shutil.rmtree(LESSON, ignore_errors=True)
        if made := made_already():
            say(f"  using the model in {shown(made)}")
            shutil.copytree(made / "model", LESSON / "model")
            shutil.copyfile(made / "trace.html", LESSON / "trace.html")
            return
        status, _ = timed(title, [str(BIN / LESSON.name), "--out", str(LESSON)], log)
        if status != 0:
            raise Stop("chapter 7's lesson, which trains the live page's model, failed: "
                       f"{shown(log)}")

    step(title, LESSON / "trace.html", {"sources": MADE_FROM}, trained)  # the trace is written last
    return LESSON / "model"


def by_hand() -> str:
    """A page that steps through the first attention of `./learn chapter 2 --section 1`."""
    setup.set_up(setup.PACKAGES, ["02_attention"])
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / BY_HAND
        subprocess.run([BIN / "02_attention", "--section", "1", "--trace-page", page],
                       stdout=subprocess.DEVNULL, check=True)
        text = page.read_text(encoding="utf-8")
    shown = json.loads(live_page.DATA.search(text)[0])
    once = [at for at, one in enumerate(shown["steps"]) if one["name"] == "scores"][1]
    shown.update(steps=shown["steps"][:once], title="2 · 1  softmax(q kᵀ / √d_k) v")
    return live_page.DATA.sub(lambda _: json.dumps(shown).replace("</", "<\\/"), text)


def made_already() -> Path | None:
    """A folder in which the current program has left the model, whose bytes do not depend on where
    it was trained: that of `./learn`, or of the lesson's own test."""
    newer = (BIN / LESSON.name).stat().st_mtime
    for folder in (OUT / LESSON.name, Path(os.environ.get("XF_LESSONS", "")) / LESSON.name):
        weights, said = folder / "model" / WEIGHTS, folder / "lesson.txt"
        whole = weights.exists() and (folder / "trace.html").exists()
        if not whole or weights.stat().st_mtime <= newer:
            continue
        # In out/, the program may also have been run without ./learn, and with other flags.
        if folder.parent != OUT or (
                said.exists() and weights.stat().st_mtime <= said.stat().st_mtime):
            return folder
    return None


def load_request(folder: Path) -> str:
    """The request of live/answer.hpp that loads this model, with its numbers in half precision."""
    weights = halved((folder / WEIGHTS).read_bytes())
    vocabularies = sorted(folder.glob("*.vocab.txt"))
    return json.dumps({
        "do": "load", "config": (folder / "config.json").read_text(encoding="utf-8"),
        "weights_base64": base64.b64encode(weights).decode(),
        "vocabulary": {path.name: path.read_text(encoding="utf-8") for path in vocabularies}})


def halved(file: bytes) -> bytes:
    """Converts a safetensors file from F32 to F16. Raises ValueError if it has other types."""
    begin = 8 + int.from_bytes(file[:8], "little")
    header, numbers = json.loads(file[8:begin]), bytearray()
    for name, entry in header.items():
        if name != "__metadata__":
            if entry["dtype"] != "F32":
                raise ValueError(entry["dtype"])
            first, last = entry["data_offsets"]
            values = array.array("f", file[begin + first:begin + last])
            place = len(numbers)
            numbers += struct.pack(f"<{len(values)}e", *values)
            entry.update(dtype="F16", data_offsets=[place, len(numbers)])
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + bytes(numbers)


# ---- Chinese, where the reader has no font for it ------------------------------------------------


def glyphs(request: str) -> str:
    """The Chinese characters of the page and of its model's words, as a WOFF file in base64; empty
    if the font or pyftsubset (Debian's fonts-wqy-zenhei, fonttools) is missing."""
    if not FONT.is_file() or not shutil.which("pyftsubset"):
        return ""
    text = "".join(json.loads(request)["vocabulary"].values()) + live_page.words()
    wanted = sorted(set(re.findall(live_page.CHINESE, text)))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "glyphs.woff"
        subprocess.run(["pyftsubset", FONT, "--font-number=0", "--flavor=woff", "--no-hinting",
                        "--layout-features=", f"--text={''.join(wanted)}",
                        f"--output-file={file}"], check=True, capture_output=True)
        return base64.b64encode(file.read_bytes()).decode()


# ---- the way to it -------------------------------------------------------------------------------


def with_link(text: str, name: str, language: str) -> str:
    """A page of the site, with a link to its panel below the title."""
    if name not in PANELS:
        return text
    panel, zh, texts = PANELS[name], language == "zh", named(WORDS)
    link = f"../live/index.html#panel={panel}&amp;lang={language}"
    note = (f'<p class="live"><a href="{link}">{words("Open the live page", zh)}</a>'
            f'{words(": ", zh)}{(texts.get(name) or texts[panel])[zh]}</p>')
    if name == "02_attention":
        note += (f'\n<p class="live"><a href="../live/{BY_HAND}#lang={language}">'
                 f'{words("Section 1 step by step", zh)}</a></p>')
    return re.sub(r"^# .*\n", lambda title: f"{title[0]}\n{note}\n", text, count=1, flags=re.M)

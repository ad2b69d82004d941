"""The live page, out/site/live/index.html: the chapters' own C++ as WebAssembly, a translator that
was trained here, and live/page/, in one file that opens without a network. Beside it lies
trace.html, one pass of the chapter's model step by step, to which its boxes lead. `./learn site`
makes them."""

from __future__ import annotations

import array
import base64
import hashlib
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
from tools.language import words
from tools.terminal import BIN, OUT, ROOT, Stop, say_seconds, shown, timed

PAGE = OUT / "site" / "live" / "index.html"
WASM = ROOT / "build" / "wasm"  # the preset `wasm`
MODULE = WASM / "bin" / "live.js"

FONT = Path("/usr/share/fonts/truetype/wqy/wqy-zenhei.ttc")  # may be embedded in a document

# The model is the one that chapter 7's lesson trains on the tutorial's own little language.
LESSON = ROOT / "build" / "live" / "07_transformer"
CHAPTER = ROOT / "chapters" / "07_transformer"
MADE_FROM = [path for name in ("corpus*", "own_language*", "lesson_language.cpp")
             for path in sorted((CHAPTER / "experiments").glob(name))]

# Which panel of the page goes with a page of the site, and what is said there.
PANELS = {"index": "flow", "00_foundations": "flow", "01_embedding": "positions",
          "02_attention": "translate", "03_layer_norm": "norm", "07_transformer": "train",
          "08_transformer_xl": "recall"}
WORDS = {
    "flow": "a sentence goes through the whole model; open a box and see its numbers.",
    "translate": "type a sentence, see the attention move while its translation is written, "
                 "switch a head off.",
    "positions": "turn the base of the sinusoids and see what becomes of the clock hands.",
    "norm": "train two stacks side by side, with other orders of norm and another warm-up.",
    "train": "train a translator in the page, or type a sentence into one that is trained.",
    "recall": "train Transformer-XL to remember, with its memory and without.",
}


def offered() -> bool:
    """Whether emscripten is to be had; where it is not, a line says so."""
    return setup.offered("emscripten", ("em++",), "the live page is left out")


def build() -> Path:
    """Brings the page up to date, as a part of the site, where the chapters lie beside it."""
    engine, trained = module(), model()
    trace = (trained.parent / "trace.html").read_text(encoding="utf-8")
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.with_name("trace.html").write_text(trace, encoding="utf-8")
    request = load_request(trained)
    page = live_page.assembled(engine, request, trace, glyphs(request))
    PAGE.write_text(page, encoding="utf-8")
    return PAGE


# ---- the module ----------------------------------------------------------------------------------


def module() -> str:
    """Compiles what has changed."""
    setup.set_up(setup.PACKAGES, [MODULE.name], WASM)
    return MODULE.read_text(encoding="utf-8")


# ---- the model -----------------------------------------------------------------------------------


def model() -> Path:
    """The directory of the trained model; trained again when what defines it has changed."""
    stamp = LESSON / "made_from.txt"
    sources = fingerprint()
    if stamp.exists() and stamp.read_text() == sources:
        return LESSON / "model"
    setup.set_up(setup.PACKAGES, ["07_transformer"])
    shutil.rmtree(LESSON, ignore_errors=True)
    if tested := from_the_tests():
        shutil.copytree(tested, LESSON)
        stamp.write_text(sources)
        return LESSON / "model"
    log = LESSON / "lesson.txt"
    status, seconds = timed("training the model",
                            [str(BIN / "07_transformer"), "--out", str(LESSON)], log)
    if status != 0:
        raise Stop(f"chapter 7's lesson failed, which trains the live page's model: {shown(log)}")
    say_seconds("trained the model", seconds)
    stamp.write_text(sources)
    return LESSON / "model"


def from_the_tests() -> Path | None:
    """What the lesson's own test has just written, by the program as it is now: the same bytes."""
    folder = Path(os.environ.get("XF_LESSONS", "")) / LESSON.name
    weights = folder / "model" / "model.safetensors"
    made = weights.exists() and weights.stat().st_mtime > (BIN / LESSON.name).stat().st_mtime
    return folder if made else None


def fingerprint() -> str:
    text = b"".join(path.read_bytes() for path in MADE_FROM)
    return hashlib.sha256(text).hexdigest()


def load_request(folder: Path) -> str:
    """The request of live/answer.hpp that loads this model, its numbers in half precision."""
    weights = halved((folder / "model.safetensors").read_bytes())
    vocabularies = sorted(folder.glob("*.vocab.txt"))
    return json.dumps({
        "do": "load", "config": (folder / "config.json").read_text(encoding="utf-8"),
        "weights_base64": base64.b64encode(weights).decode(),
        "vocabulary": {path.name: path.read_text(encoding="utf-8") for path in vocabularies}})


def halved(file: bytes) -> bytes:
    """A safetensors file of F32 as one of F16."""
    begin = 8 + int.from_bytes(file[:8], "little")
    header, numbers = json.loads(file[8:begin]), bytearray()
    for name, entry in header.items():
        if name != "__metadata__":
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
    """The Chinese characters of the page and of its model's words, as a WOFF file in base64; none
    where the font or pyftsubset (Debian's fonts-wqy-zenhei, fonttools) is missing."""
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
    """A page of the site, with the way to its panel below the title."""
    if name not in PANELS:
        return text
    panel, zh = PANELS[name], language == "zh"
    link = f"../live/index.html#panel={panel}&amp;lang={language}"
    note = (f'<p class="live"><a href="{link}">{words("Open the live page", zh)}</a>'
            f'{words(": ", zh)}{words(WORDS[panel], zh)}</p>')
    return re.sub(r"^# .*\n", lambda title: f"{title[0]}\n{note}\n", text, count=1, flags=re.M)

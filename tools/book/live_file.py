"""`./learn live`: the live page with the user's own model, as one self-contained HTML file that
opens from a folder and can be sent to somebody."""

from __future__ import annotations

import base64
import contextlib
import json
import subprocess
from pathlib import Path

from tools import setup
from tools.book import live, live_page
from tools.language import chinese
from tools.terminal import BIN, OUT, Doing, Flags, Stop, say, shown, write_file

CONFIG, WEIGHTS, VOCABULARIES = "config.json", live.WEIGHTS, "*.vocab.txt"
MOST = 100 << 20  # maximum size of a model in bytes, the same as in the page


def main(arguments: list[str]) -> int:
    parser = Flags("live", description="one file of HTML: the live page with a model directory "
                                       "in it. It opens without a network.")
    parser.add_argument("--model", metavar="DIR", type=Path, required=True,
                        help="what `./learn chapter 7 train --out DIR` has written, with text "
                             "split into words or characters, not byte pairs")
    parser.add_argument("--out", metavar="FILE", type=Path,
                        help="the file to write; otherwise in out/live, named after the directory")
    options = parser.parse_args(arguments)
    name = options.model.resolve().name
    path = make(options.model, options.out or OUT / "live" / f"{name}.html",
                "zh" if chinese(arguments) else "en")
    say(f"{shown(path)} holds the model; open it in a browser, or send it")
    return 0


def make(model: Path, path: Path, language: str = "en") -> Path:
    """Writes the page. Raises Stop, with a one-line message, if the directory has no model that
    the page can read."""
    request = request_of(model)
    if path.is_dir():
        raise Stop(f"--out {shown(path)}: this is a folder, and the page is a file", 2)
    if not setup.offered("emscripten", ("em++",), "the live page is left out"):
        raise Stop("the live page needs emscripten", 1)
    refuse_no_model(model, request, language)
    with contextlib.suppress(OverflowError, ValueError):  # not F32, or too large for it
        half = live.halved(base64.b64decode(request["weights_base64"]))
        request["weights_base64"] = base64.b64encode(half).decode()
    engine, text = live.module(), json.dumps(request)
    with Doing("the live page"):
        page = live_page.assembled(engine.read_text(encoding="utf-8"), text,
                                   font=live.glyphs(text), own=model.resolve().name)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, page)
    return path


def request_of(model: Path) -> dict:
    """The request of live/answer.hpp that loads it, with its numbers unchanged."""
    for name in (CONFIG, WEIGHTS):
        if not (model / name).is_file():
            raise Stop(f"--model {shown(model)}: it has no {name}", 2)
    if any(model.glob("*.model")):
        raise Stop(f"--model {shown(model)}: the page cannot read byte pairs", 2)
    files = [model / CONFIG, model / WEIGHTS, *sorted(model.glob(VOCABULARIES))]
    size = sum(path.stat().st_size for path in files)
    if size > MOST:
        raise Stop(f"--model {shown(model)}: its files have {size >> 20} MiB, but a page takes at "
                   f"most {MOST >> 20}", 2)
    texts = {}
    for path in (files[0], *files[2:]):
        try:
            texts[path.name] = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise Stop(f"{shown(path)}: not UTF-8 text", 2) from None
    return {"do": "load", "config": texts.pop(CONFIG), "vocabulary": texts,
            "weights_base64": base64.b64encode(files[1].read_bytes()).decode()}


def refuse_no_model(model: Path, request: dict, language: str) -> None:
    """Lets the engine itself report what is wrong with the model."""
    setup.set_up(setup.PACKAGES, ["live"])
    line = json.dumps({**request, "language": language}) + "\n"
    answer = subprocess.run([BIN / "live"], input=line, stdout=subprocess.PIPE, text=True,
                            check=True)
    error = json.loads(answer.stdout).get("error")
    if error:
        raise Stop(f"--model {shown(model)}: {error}", 2)

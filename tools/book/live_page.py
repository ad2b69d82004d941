"""The live page put together: live/page/, what it shares with the explorer, the module, the model.

One file that opens from anywhere and asks for nothing: no build step, no request."""

from __future__ import annotations

import base64
import json
import re

from tools.terminal import ROOT, Stop

PAGE = ROOT / "live" / "page"
SHARED = ROOT / "common" / "page"
PICTURES = ROOT / "docs" / "pictures"

STYLES = [SHARED / "page.css", SHARED / "explorer.css", PAGE / "page.css"]
SCRIPTS = [SHARED / f"{name}.js" for name in (
    "text", "theme", "numbers", "picture", "panels", "pointing", "words")] + [
    PAGE / f"{name}.js" for name in (
        "words", "state", "engine", "chart", "translate", "result", "switches", "positions",
        "training", "trainings", "begin")]
# What a panel shows where the browser cannot run the engine.
STILLS = {
    "translate": ["attention"],
    "positions": ["01_embedding_positions", "01_embedding_clock_hands",
                  "01_embedding_position_dot_products"],
    "norm": ["03_layer_norm_gradient_by_depth"],
    "recall": ["08_transformer_xl_memory"],
    "train": ["07_transformer"],
}


def assembled(module: str, model: str, site: str = "../site") -> str:
    """The page as one file of HTML.

    module: the text of the engine's JavaScript, its WebAssembly inside; model: the text of the
    request that loads the model (live/answer.hpp); site: where the chapters' pages lie from here.
    """
    data = {"colours": colours(), "site": site, "stills": stills()}
    parts = {
        "style": "".join(read(path) for path in STYLES),
        "data": as_data(json.dumps(data)),
        "model": as_data(model),
        "module": as_script(module),
        "worker": as_script(read(PAGE / "worker.js")),
        "script": as_script("'use strict';\n" + "".join(read(path) for path in SCRIPTS)),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], read(PAGE / "page.html"))


def read(path) -> str:
    return path.read_text(encoding="utf-8")


def as_data(text: str) -> str:
    """JSON that ends no <script>."""
    return text.replace("<", "\\u003c")


def as_script(text: str) -> str:
    """JavaScript that ends no <script>: in its strings, <\\/script is the same."""
    return text.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def colours() -> str:
    """The table of common/plot/viridis.cpp as the explorer's pages have it: base64 of 768 bytes."""
    table = read(ROOT / "common" / "plot" / "viridis.cpp")
    table = table.split("viridis_table", 1)[1].split("}};", 1)[0]
    entries = re.findall(r"\{(\d+), (\d+), (\d+)\}", table)
    if len(entries) != 256:
        raise Stop(f"common/plot/viridis.cpp: {len(entries)} colours, not 256")
    return base64.b64encode(bytes(int(part) for entry in entries for part in entry)).decode()


def stills() -> dict[str, list[dict[str, str]]]:
    """By panel its pictures: {language: base64 of the SVG}."""
    def languages(name: str) -> dict[str, str]:
        paths = {"en": PICTURES / f"{name}.svg", "zh": PICTURES / f"{name}.zh.svg"}
        return {language: base64.b64encode(path.read_bytes()).decode()
                for language, path in paths.items() if path.is_file()}
    return {panel: [languages(name) for name in names] for panel, names in STILLS.items()}

"""live/page/bigrams.json: which word may follow which in the little language of chapter 7, counted
in a million sentences of its grammar. If a sentence has any other pair, the live page says that it
does not belong to the language.

  python3 -m tools.book.live_language     # a quarter of a minute, where the grammar has changed
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from tools import setup
from tools.book.live_page import PAGE
from tools.terminal import BIN, say, shown, write_file

SENTENCES = 1_000_000  # fewer sentences miss some pairs: of 7,771 there are 7,592 in 100,000
FILE = PAGE / "bigrams.json"


def of_sentences(count: int) -> dict:
    """The answer of the program `live` (live/language.hpp)."""
    program = Path(os.environ.get("XF_BIN") or BIN) / "live"
    request = json.dumps({"do": "bigrams", "sentences": count})
    return json.loads(subprocess.run([program], input=request + "\n", stdout=subprocess.PIPE,
                                     text=True, check=True).stdout)


def main() -> None:
    setup.set_up(setup.PACKAGES, ["live"])
    write_file(FILE, json.dumps(of_sentences(SENTENCES), separators=(",", ":")) + "\n")
    say(f"{shown(FILE)} is written")


if __name__ == "__main__":
    main()

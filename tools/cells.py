"""Tables of program output in a browser. On a terminal a Chinese character takes two columns; no
usual stack of fonts has it so, and columns that follow Chinese words would be out of line."""

from __future__ import annotations

import re

from tools.terminal import is_wide

PRE = re.compile(r"(?s)<pre\b.*?</pre>")


def in_cells(text: str) -> str:
    """The content of a <pre>, each wide character in a box of two columns."""
    return "".join(f'<span class="wide">{c}</span>' if is_wide(c) else c for c in text)


def page_in_cells(text: str) -> str:
    return PRE.sub(lambda found: in_cells(found[0]), text)

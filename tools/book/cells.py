"""Tables of program output in a browser. On a terminal a Chinese character takes two columns; in
the usual fonts of a browser it does not, and the columns after Chinese words would not line up."""

from __future__ import annotations

import re

from tools.terminal import is_wide

PRE = re.compile(r"(?s)<pre\b.*?</pre>")


def in_cells(text: str) -> str:
    """The content of a <pre>, with each wide character in a box of two columns."""
    return "".join(f'<span class="wide">{c}</span>' if is_wide(c) else c for c in text)


def page_in_cells(text: str) -> str:
    return PRE.sub(lambda found: in_cells(found[0]), text)

"""How far a picture may shrink: on a narrow screen, and on a page as wide as a wide screen allows.
What is wider still is scrolled in its frame."""

from __future__ import annotations

import math
import re

LEAST = 9  # pixels: the smallest text on a narrow screen
LEAST_ON_A_PAGE = 11

SIZE = re.compile(r'<svg\b[^>]*? width="([\d.]+)" height="([\d.]+)"')
TEXT = re.compile(r' font-size="([\d.]+)"')


def size(svg: str) -> tuple[int, int]:
    """The width and the height that the file asks for; 0 where it says none."""
    found = SIZE.search(svg)
    return (round(float(found[1])), round(float(found[2]))) if found else (0, 0)


def least_width(svg: str, least: int = LEAST) -> int:
    """The width at which the smallest text of the picture is as small as it may be."""
    width = size(svg)[0]
    texts = [float(found) for found in TEXT.findall(svg)]
    return min(width, math.ceil(width * least / min(texts))) if texts else 0

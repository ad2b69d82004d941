"""How far a picture may shrink: on a narrow screen, and on a page as wide as a wide screen allows.
Wider pictures scroll in their frame."""

from __future__ import annotations

import math
import re

LEAST = 9  # pixels: minimum text size on a narrow screen
LEAST_ON_A_PAGE = 11

SIZE = re.compile(r'<svg\b[^>]*? width="([\d.]+)" height="([\d.]+)"')
TEXT = re.compile(r' font-size="([\d.]+)"')


def size(svg: str) -> tuple[int, int]:
    """The width and height given in the file; 0 if there are none."""
    found = SIZE.search(svg)
    return (round(float(found[1])), round(float(found[2]))) if found else (0, 0)


def least_width(svg: str, least: int = LEAST) -> int:
    """The width at which the smallest text of the picture reaches the legibility limit."""
    width = size(svg)[0]
    texts = [float(found) for found in TEXT.findall(svg)]
    return min(width, math.ceil(width * least / min(texts))) if texts else 0

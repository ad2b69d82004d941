"""out/mine/index.html: what `./learn mine` and `./learn mine history` draw in the terminal, as a
page in both languages."""

from __future__ import annotations

from pathlib import Path

from tools import catalogue
from tools.book import drawings, index_page, whole
from tools.book.index_page import said
from tools.exercises import history, manifest as course
from tools.exercises.boxes import BOXES, MARKS, light_of, lit_parts
from tools.terminal import OUT, ROOT, write_changed

MEANING = "[x]: all of it is yours; [~]: a part of it, in bold; [ ]: the book's"


def row(one, name: str, own: set[str], between: str = "</td><td>") -> str:
    """A table row for a box or a station; the learner's own exercises are bold."""
    its = ", ".join(f"<b>{e}</b>" if e in own else f"<span>{e}</span>" for e in one.exercises)
    return (f"<tr><td>{MARKS[light_of(one, own)][0]}</td><td>{name}{between}"
            f'<span class="ids">{its}</span></td></tr>')


def in_both(name: str, drawing: str) -> str:
    """The drawing in both languages; the arrow ids are made unique in each."""
    chinese = drawings.in_chinese(drawing, catalogue.entries(ROOT / "docs" / "pictures" / "zh.po"))
    return "".join(f'<div lang="{language}">{svg.replace("arrow", f"{name}-{language}")}</div>'
                   for language, svg in (("en", drawing), ("zh-CN", chinese)))


def write(own: set[str]) -> Path:
    """`own`: the learner's parts. Also updates the progress on out/index.html, if it exists."""
    passing = history.passing(course.manifest())
    stations = "".join(
        row(one, f"{one.year} {said(one.title)}<br><code>./learn mine {one.command}</code>",
            passing, "<br>")
        for one in history.STATIONS)
    lit = sum(light_of(box, own) == 2 for box in BOXES.values())
    state = said("{lit} of {all} boxes are yours", lit=lit, all=len(BOXES))
    parts = (("The translator", in_both("translator", whole.svg(ROOT, lit=lit_parts(own, False)))),
             ("A published model", in_both("published", whole.svg(ROOT, whole.SINCE_2017,
                                                                  lit_parts(own, True)))),
             ("In the order of history", f"<table>{stations}</table>"),
             ("The boxes", "<table>" + "".join(row(box, said(box.name), own)
                                               for box in BOXES.values()) + "</table>"))
    page = OUT / "mine" / "index.html"
    way = '<p><a href="../index.html">← Transformer by Hand</a></p>\n' \
        if (OUT / "index.html").exists() else ""
    content = "".join(f'<section class="page"><h2>{said(title)}</h2>{body}</section>'
                      for title, body in parts)
    write_changed(page, index_page.framed(
        "Your own Transformer", f"<h1>{said('Your own Transformer')}</h1>",
        f"<p>{state}</p>\n<p>{said(MEANING)}</p>\n{way}"
        f'<div class="own">{content}</div>'))
    index_page.link_mine(state)
    return page

"""`./learn teach slides`: the slides of the ten weeks, a part of the site. Sphinx lays them out
like the site, and reveal.js shows them."""

from __future__ import annotations

import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools import setup
from tools.book import site_sphinx, steps
from tools.book.site_book import Book
from tools.language import tell, words
from tools.teaching import decks
from tools.teaching.weeks import WEEKS, title
from tools.terminal import OUT, ROOT, Doing, Stop, shown

SLIDES = OUT / "slides"


class Decks(Book):
    """The slides of one language, laid out for Sphinx like the pages of the site."""

    def __init__(self, language: str):
        super().__init__(language)
        self.folder = steps.BUILD / "slides" / language

    def chapters(self, name: str) -> dict[str, str]:
        return {}  # slides are the same with or without the site

    def lay_out(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        names = [f"week-{week:02}" for week in range(1, len(WEEKS) + 1)]
        for week, name in enumerate(names, 1):
            page = ROOT / "docs" / self.language / f"{WEEKS[week - 1][0]}.md"
            self.write(name, self.laid_out(decks.deck(week, self.zh), page, name))
        self.write("index", f"# {words('Transformer by Hand', self.zh)}\n\n"
                   + "\n".join(f"- [{title(week, self.zh)}]({name}.md)"
                               for week, name in enumerate(names, 1))
                   + "\n\n```{toctree}\n:hidden:\n" + "\n".join(names) + "\n```\n")


def render(python: Path, katex: Path) -> None:
    """Renders the slides as a part of the site, if a week has changed."""
    books = [Decks("en"), Decks("zh")]
    for book in books:
        book.lay_out()
    target = steps.HTML / "slides"

    def render_one(book: Decks) -> list[str]:
        return site_sphinx.sphinx(book, python, katex, "revealjs", target / book.language,
                           XF_SITE_SLIDES="1")

    def rendered(changed: set[str]) -> None:
        asked = [book for book in books if {"theme", book.language} & changed]
        with Doing("the slides"), ThreadPoolExecutor() as pool:
            for book, complaints in zip(asked, pool.map(render_one, asked)):
                if complaints:
                    raise Stop(f"the slides in {book.language}:\n" + "\n".join(complaints))

    steps.step("the slides", target / "zh" / "index.html",
               {"theme": site_sphinx.theme(katex),
                **{book.language: [book.folder] for book in books}},
               rendered)


def make(zh: bool) -> int:
    start = time.monotonic()
    setup.install(setup.SITE_PACKAGES)
    render(site_sphinx.environment(), site_sphinx.katex_files())
    shutil.rmtree(SLIDES, ignore_errors=True)
    shutil.copytree(steps.HTML / "slides", SLIDES)
    tell(f"20 sets of slides in {time.monotonic() - start:.0f} s: "
         f"{shown(SLIDES / ('zh' if zh else 'en') / 'index.html')}", zh)
    return 0

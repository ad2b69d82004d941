"""`./learn site`: the pages of docs/, the exercises and the sources that they name, as a site in
out/site that opens from a file, without a network, in both languages.

site_book.py lays the pages out for Sphinx, which renders the changes into build/site/html;
out/site, or --out DIR, is a copy of that."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools import setup
from tools.book import index_page, live, site_slides
from tools.book.site_book import FENCED, Book
from tools.book.site_sphinx import THEME, environment, katex_files, sphinx, theme
from tools.book.steps import BUILD, HTML, keep_only, publish, refuse_others, step
from tools.terminal import (OUT, ROOT, Doing, Flags, Stop, said, say, say_seconds, shown, timed,
                            write_changed)

SITE = OUT / "site"
PDF_PACKAGES = ["chromium"]


def main(arguments: list[str]) -> int:
    parser = Flags(
        "site", description="the pages as a site in out/site, to be opened from there, and the "
                            "live page in it. What has not changed since the last time is kept.")
    parser.add_argument("--out", metavar="DIR", type=Path, default=SITE,
                        help="put the site there instead, in a folder of its own, which any static "
                             "host can serve under any path")
    parser.add_argument("--pdf", action="store_true", help="one PDF in each language as well")
    parser.add_argument("--no-live", action="store_true",
                        help="without the live page, which needs emscripten installed (1.3 GB)")
    parser.add_argument("--repository", metavar="URL", type=address,
                        help="where readers get the checkout; each page shows it, and so does the "
                             "clone command, which otherwise says whom to ask")
    parser.add_argument("--answers", action="store_true",
                        help="also the pages for the lecturer: lab sheets with known mistakes, and "
                             "the model answers of the exam")
    options = parser.parse_args(arguments)
    target = options.out.resolve()
    refuse_others(target)
    start = time.monotonic()
    make(has_live=not options.no_live, has_pdf=options.pdf, repository=options.repository or "",
         answers=options.answers)
    publish(HTML, target)
    index_page.link_site()
    pages = len(list(HTML.rglob("*.html")))
    say(f"{pages} pages in {time.monotonic() - start:.0f} s: {shown(target / 'index.html')}")
    return 0


def address(text: str) -> str:
    if not (re.fullmatch(r"https?://[^\s<>\"'\\]+", text) and text.isprintable()):
        raise argparse.ArgumentTypeError(f"'{text}' is not an address that begins with https://")
    return text


def make(has_live: bool, has_pdf: bool, repository: str = "", answers: bool = False) -> None:
    """Makes the site in build/site/html, running only the steps that are needed."""
    setup.install(setup.SITE_PACKAGES + (PDF_PACKAGES if has_pdf else []))
    python = environment()
    katex = katex_files()
    live_page = live.build() if has_live else None
    if not live_page:
        shutil.rmtree(live.PAGE.parent, ignore_errors=True)
    books = [Book(language, bool(live_page), repository, answers) for language in ("en", "zh")]
    lay_out(books)
    render(books, python, katex)
    site_slides.render(python, katex)
    sources(books, python)
    write_changed(HTML / "index.html", FIRST)
    write_changed(HTML / ".nojekyll", "")  # so that GitHub Pages serves _static, too
    for book in books:
        if has_pdf:
            print_pdf(book, python, katex)
        else:
            book.pdf.unlink(missing_ok=True)


def lay_out(books: list[Book]) -> None:
    """Always runs, as a link can break without its page having changed."""
    start = time.monotonic()
    with Doing("laying out the pages"):
        changed = sum(book.lay_out() for book in books)
    say_seconds("laying out the pages", time.monotonic() - start,
                said(f"{changed} pages changed") if changed else said("up to date"))


PROGRESS = re.compile(r"(?:reading sources|writing output)\.\.\. \[ *(\d+)%\]")


def render(books: list[Book], python: Path, katex: Path) -> None:
    """Renders changed pages; all pages of a language if something common to them has changed."""
    made_from = {"theme": [*theme(katex), books[0].repository]}
    for book in books:
        made_from[book.language] = [book.folder]
        made_from[f"{book.language} headings"] = [*books[0].pages.values(), *headings(book),
                                                  *books[1].pages.values(), book.contents()]

    def rendered(changed: set[str]) -> None:
        shares: dict[str, str] = {}

        def render_one(book: Book) -> list[str]:
            def heard(line: str) -> None:
                if found := PROGRESS.match(line):
                    shares[book.language] = f"   {book.language} {found[1]:>3}%"
                    doing.detail = "".join(shares.values())

            if "theme" in changed:
                flags = ("-E", "-a")
            elif f"{book.language} headings" in changed:
                flags = ("-a",)
            elif book.language in changed:
                flags = ()
            else:
                return []
            complaints = sphinx(book, python, katex, "html", HTML / book.language, flags, heard)
            keep_only(HTML / book.language, "*.html",
                      (f"{name}.html" for name in (*book.names, "search", "genindex")))
            return complaints

        with Doing("rendering the pages") as doing, ThreadPoolExecutor() as pool:
            for book, complaints in zip(books, pool.map(render_one, books)):
                if complaints:
                    raise Stop(f"the {book.language} pages:\n" + "\n".join(complaints[:20]))

    result = HTML / "zh" / "search.html"
    step("rendering the pages", result, made_from, rendered)


def headings(book: Book) -> list[str]:
    """The headings of all pages: the sidebar and links between pages show them."""
    texts = ((book.folder / f"{name}.md").read_text(encoding="utf-8")
             for name in book.names)
    return ["\n".join(re.findall(r"^#.*", FENCED.sub("", text), re.MULTILINE)) for text in texts]


def sources(books: list[Book], python: Path) -> None:
    """The pages of the source files that the book links to, of the other files in their folders,
    and of the folders above."""
    named = {path for book in books for path in book.sources}
    folders = {path if path.is_dir() else path.parent for path in named}
    folders |= {parent for folder in folders for parent in folder.parents if ROOT in parent.parents}
    files = {path for path in named if path.is_file()}
    files |= {child for folder in folders if folder != ROOT for child in folder.iterdir()
              if child.is_file() and not child.name.startswith(".")}
    names = {path.relative_to(ROOT).as_posix(): path for path in sorted(files)}
    how = [THEME / "sources.py", THEME / "requirements.txt"]

    def written(changed: set[str]) -> None:
        wanted = names if "how" in changed else [name for name in names if name in changed]
        with Doing("the source-code pages"):
            run = subprocess.run(
                [str(python), str(THEME / "sources.py"), str(ROOT), str(HTML / "code")],
                input=json.dumps({"files": [*names], "changed": [*wanted]}), text=True,
                stderr=subprocess.PIPE)
        if run.returncode != 0:
            raise Stop("the source-code pages:\n" + run.stderr)
        indexes = {f"{folder.relative_to(ROOT).as_posix()}/index.html"
                   for folder in folders - {ROOT}}
        keep_only(HTML / "code", "*.html", indexes | {f"{name}.html" for name in names})

    step("the source-code pages", HTML / "code" / "sources.css",
         {"how": how, **{name: [path] for name, path in names.items()}}, written)


def print_pdf(book: Book, python: Path, katex: Path) -> None:
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []  # chromium refuses a sandbox to root
    whole, log = BUILD / f"{book.language}-whole", BUILD / "pdf.log"
    title = f"printing {book.pdf.name}"

    def printed(_changed: set[str]) -> None:
        sphinx(book, python, katex, "singlehtml", whole, XF_SITE_PRINT="1")
        timed(title, ["chromium", "--headless", *sandbox, "--disable-gpu",
                      "--no-pdf-header-footer", "--generate-pdf-document-outline",
                      "--virtual-time-budget=60000", f"--print-to-pdf={book.pdf}",
                      (whole / "index.html").as_uri()], log)
        if not book.pdf.exists():
            raise Stop(f"chromium printed no PDF; see {shown(log)}")

    step(title, book.pdf, {"pages": [THEME, katex, book.folder]}, printed)


FIRST = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Transformer by Hand</title>
<style>body { font: 1.2em/1.6 sans-serif; max-width: 30em; margin: 20vh auto }</style>
<h1>Transformer by Hand</h1>
<p><a href="en/index.html">English</a> · <a href="zh/index.html" lang="zh-CN">简体中文</a></p>
<script>
location.replace(/^zh/.test(navigator.language) ? "zh/index.html" : "en/index.html");
</script>
</html>
"""

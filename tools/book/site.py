"""`./learn site`: the pages of docs/, the exercises and the sources that they name, as a site in
out/site that opens from a file, without a network, in both languages.

Plain GitHub Markdown stays the only source. Here it is laid out for Sphinx (build/site/LANGUAGE),
which renders into build/site/html what has changed; out/site, or --out DIR, is a copy of that:
formulas become {tex}, a link to a source file becomes one to a page with that file, a picture
stands in the page with its greys as variables, so that it follows light and dark, and what GitHub
needs to get from page to page (the language line, the arrows) goes, since the theme has it."""

from __future__ import annotations

import argparse
import base64
import functools
import json
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools import setup
from tools.book import handouts, index_page, live, site_pictures
from tools.book.pages import is_way
from tools.book.steps import (BUILD, HTML, keep_only, publish, refuse_others, step,
                              write_changed)
from tools.exercises import manifest
from tools.language import words
from tools.terminal import (OUT, ROOT, Doing, Flags, Stop, quiet_environment, said, say,
                            say_seconds, shown, timed)

SITE = OUT / "site"
THEME = ROOT / "tools" / "book" / "site_theme"
KATEX = Path("/usr/share/javascript/katex")
PDF_PACKAGES = ["chromium"]

TITLES = {"chapters": "The chapters", "exercises": "Exercises", "quizzes": "Quizzes",
          "handouts": "To hand out", "lecturer": "For the lecturer", "more": "Around them",
          "results": "Results"}
FIRST_AROUND = ["teaching", "conventions"]  # what a reader looks for first, among those pages

FENCE = re.compile(r"^(\s*)(```+)(.*)$")
FENCED = re.compile(r"^(\s*)(```+).*?^\1\2\s*$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
LIVE_ADDRESS = re.compile(r"`live/index\.html#\w+=[a-z_]+(&\w+=\w+)*`")
FORMULA = re.compile(r"\$`([^`]+)`\$")
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")
TOKEN = re.compile(r"<(?=/?[a-z]\w*>)(?!/?(?:details|summary|a|div|p)>)")  # <eos> is no element
WIDE = "\u3000-\u303f\u3400-\u9fff\uff00-\uffef"  # Chinese, which has no blank where a line ends
BROKEN = re.compile(f"^(?!#)(.*[{WIDE}])\n(?=[{WIDE}])", re.MULTILINE)
MARKER = re.compile(r"^\s*<!-- .*? -->\s*$")
ADDRESS = re.compile(r"<!-- address -->.*?<!-- /address -->", re.DOTALL)


class Book:
    """The pages of one language: where each stands in the repository, and on the site."""

    def __init__(self, language: str, has_live: bool = False, repository: str = ""):
        self.language = language
        self.has_live = has_live  # whether the live page was built
        self.repository = repository  # its address, where the maker of the site states one
        self.folder = BUILD / language
        self.pages = dict(self.named_pages())
        self.sources: set[Path] = set()  # the files and folders that the pages link to

    def said(self, english: str) -> str:
        return words(english, self.language == "zh")

    @property
    def zh(self) -> bool:
        return self.language == "zh"

    @property
    def pdf(self) -> Path:
        return HTML / f"transformer-by-hand-{self.language}.pdf"

    def named_pages(self):
        suffix = ".zh.md" if self.zh else ".md"
        yield ROOT / f"README{suffix}", "index"
        for page in sorted((ROOT / "docs" / self.language).glob("*.md")):
            yield page, page.stem
        for page in sorted((ROOT / "docs" / self.language / "quiz").glob("*.md")):
            yield page, f"quiz/{page.stem}"
        for page in sorted((ROOT / "docs" / "results").glob(f"*{suffix}")):
            if self.zh or not page.name.endswith(".zh.md"):
                yield page, f"results/{page.name[:-len(suffix)]}"
        for name in ("CONTRIBUTING", "CHANGELOG"):
            yield ROOT / f"{name}{suffix}", name.lower()
        for exercise in manifest.everything():
            yield exercise.task(self.zh), f"exercises/{exercise.id}"

    @functools.cached_property
    def elsewhere(self) -> dict[Path, str]:
        """The pages of the other language."""
        return Book("en" if self.zh else "zh").pages

    @functools.cached_property
    def handouts(self) -> dict[str, str]:
        """Pages that have no source of their own."""
        return handouts.pages(self.zh)

    @property
    def names(self) -> list[str]:
        return [*self.pages.values(), *self.handouts]

    # ---- laying out ------------------------------------------------------------------------------

    def lay_out(self) -> int:
        """Returns how many pages are not as they were."""
        changed = keep_only(self.folder, "*.md", (f"{name}.md" for name in self.names))
        hints = {exercise.task(self.zh): exercise for exercise in manifest.everything()}
        for source, name in self.pages.items():
            text = self.page(source, name)
            if source in hints:
                title, _, task = text.partition("\n")
                text = (f"{title}\n\n{self.belonging(hints[source])}\n{task}"
                        + self.exercise_end(hints[source], name))
            if name == "index":
                text += self.contents()
            if self.has_live:
                text = live.with_link(text, name, self.language)
            changed += self.write(name, handouts.with_links(text, name, self.zh))
        teaching = ROOT / "docs" / self.language / "teaching.md"
        for name, text in self.handouts.items():
            changed += self.write(name, self.laid_out(text, teaching, name))
        return changed

    def write(self, name: str, text: str) -> bool:
        return write_changed(self.folder / f"{name}.md", text)

    def page(self, source: Path, name: str) -> str:
        return self.laid_out(source.read_text(encoding="utf-8"), source, name)

    def laid_out(self, text: str, source: Path, name: str) -> str:
        """GitHub's Markdown for Sphinx; `source` is where its links begin."""
        text = ADDRESS.sub(lambda _: self.address(), text)
        out: list[str] = []
        prose: list[str] = []
        fence = ""

        def flush() -> None:
            if prose:
                out.append(self.prose("\n".join(prose), source, name))
                prose.clear()

        for line in text.splitlines():
            mark = FENCE.match(line)
            if fence:
                out.append(line)
                fence = "" if mark and mark[2] == fence and not mark[3].strip() else fence
            elif mark:
                flush()
                fence = mark[2]
                kind = "{tex}" if mark[3].strip() == "math" else mark[3]
                out.append(f"{mark[1]}{mark[2]}{kind}")
            elif not (MARKER.match(line) or is_way(line)):
                prose.append(line)
        flush()
        return "\n".join(out) + "\n"

    def address(self) -> str:
        """How a reader gets the checkout: what follows "in a checkout"."""
        if self.repository:
            return words(", `git clone {address}`", self.zh, address=self.repository)
        return self.said(" of the repository; where that is, ask whoever made this site")

    def prose(self, text: str, source: Path, name: str) -> str:
        """Formulas and links, outside of code."""
        formulas: list[str] = []
        text = FORMULA.sub(lambda m: formulas.append(m[1]) or f"\0{len(formulas) - 1}\0", text)
        text = BROKEN.sub(r"\1", text)
        codes: list[str] = []
        text = CODE.sub(lambda m: codes.append(m[0]) or f"\1{len(codes) - 1}\1", text)
        text = TOKEN.sub("&lt;", text)
        text = LINK.sub(lambda m: self.link(m, source, name), text)
        text = re.sub("\1(\\d+)\1", lambda m: self.opened(codes[int(m[1])], name), text)
        return re.sub("\0(\\d+)\0", lambda m: f"{{tex}}`{formulas[int(m[1])]}`", text)

    def opened(self, code: str, name: str) -> str:
        """An address of the live page is a link where the page is."""
        if not self.has_live or not LIVE_ADDRESS.fullmatch(code):
            return code
        address = code.strip("`").replace("&", "&amp;")
        return f'<a href="{"../" * (name.count("/") + 1)}{address}"><code>{address}</code></a>'

    def link(self, found: re.Match, source: Path, name: str) -> str:
        picture, words, target = found.groups()
        if re.match(r"[a-z]+:", target) or target.startswith("#"):
            return found[0]
        path, _, anchor = target.partition("#")
        path = (source.parent / path).resolve()
        if picture:
            return site_pictures.figure(path, words, self.chapters(name))
        page = self.page_of(path)
        if page is None:
            raise Stop(f"{shown(source)}: there is no {target}")
        if page.endswith(".html"):
            return self.anchor(path, words, name)
        to = os.path.relpath(page, Path(name).parent)
        return f"[{words}]({to}.md{'#' + anchor if anchor else ''})"

    def chapters(self, name: str) -> dict[str, str]:
        """Where a box of a picture on this page leads, by the number in it."""
        return {str(int(page[:2])): os.path.relpath(f"{page}.html", Path(name).parent)
                for page in self.pages.values() if re.match(r"\d\d_", page)}

    def page_of(self, path: Path) -> str | None:
        """The page that shows this file or folder."""
        if path in self.pages:
            return self.pages[path]
        if path in self.elsewhere:
            return f"../{'en' if self.zh else 'zh'}/{self.elsewhere[path]}.html"
        if not path.exists() or ROOT not in path.parents:
            return None
        self.sources.add(path)
        return self.code_page(path)

    # ---- what no page of docs/ says --------------------------------------------------------------

    def code_page(self, path: Path) -> str:
        """As sources.py writes it, once for both languages."""
        name = path.relative_to(ROOT).as_posix()
        return f"../code/{name}{'/index' if path.is_dir() else ''}.html"

    def belonging(self, exercise) -> str:
        """The chapter of an exercise, or the page of capstones, and what it is worth."""
        chapter = Path(exercise.section).stem
        heading = (self.folder / f"{chapter}.md").read_text(encoding="utf-8").splitlines()
        title = next(line[2:] for line in heading if line.startswith("# "))
        belongs = "Belongs to" if exercise.is_milestone else "Belongs to chapter"
        return (f"{self.said(belongs)}: [{title}](../{chapter}.md) · "
                f"{self.said('Points')}: {exercise.points}\n")

    def exercise_end(self, exercise, name: str) -> str:
        """The command, the files, and the hints, folded."""
        files = " · ".join(self.anchor(path, path.name, name)
                           for path in (exercise.path / "exercise.hpp", exercise.skeleton))
        text = f"\n`./learn try {exercise.id}` · {files}\n"
        hints = exercise.path / f"hints.{self.language}.md"
        for part in re.split(r"^## ", self.page(hints, name), flags=re.MULTILINE)[1:]:
            title, _, body = part.partition("\n")
            text += (f"\n<details><summary>{self.said('Hint')} {title.strip()}</summary>\n\n"
                     f"{body.strip()}\n\n</details>\n")
        return text

    def anchor(self, path: Path, words: str, name: str) -> str:
        """A link to what is not a page of this language, of which Sphinx knows nothing."""
        return f'<a href="{os.path.relpath(self.page_of(path), Path(name).parent)}">{words}</a>'

    def contents(self) -> str:
        """The tables of contents below the first page, which are the sidebar."""
        names = list(self.pages.values())
        chapters = [name for name in names if re.match(r"\d\d_", name)]
        lecturers = [name for name in self.handouts if handouts.is_for_lecturers(name)]
        parts = {"chapters": chapters,
                 "exercises": [name for name in names if name.startswith("exercises/")],
                 "quizzes": [name for name in names if name.startswith("quiz/")],
                 "handouts": [name for name in self.handouts if name not in lecturers],
                 "lecturer": lecturers,
                 "results": [name for name in names if name.startswith("results/")]}
        taken = {name for part in parts.values() for name in part} | {"index"}
        parts["more"] = FIRST_AROUND + [name for name in names
                                        if name not in taken | set(FIRST_AROUND)]
        text = ""
        for part in ("chapters", "exercises", "quizzes", "handouts", "more", "results",
                     "lecturer"):
            if not parts[part]:
                continue
            text += (f"\n```{{toctree}}\n:hidden:\n:caption: {self.said(TITLES[part])}\n"
                     + "\n".join(parts[part]) + "\n```\n")
        return text


# ---- building ------------------------------------------------------------------------------------


def main(arguments: list[str]) -> int:
    parser = Flags(
        "site", description="the pages as a site in out/site, to be opened from there, and the "
                            "live page in it. What has not changed since the last time is kept.")
    parser.add_argument("--out", metavar="DIR", type=Path, default=SITE,
                        help="there instead: a folder for the site alone, which any static host "
                             "can serve, below any path")
    parser.add_argument("--pdf", action="store_true", help="one PDF of each language as well")
    parser.add_argument("--no-live", action="store_true",
                        help="without the live page, for which emscripten is installed (1.3 GB)")
    parser.add_argument("--repository", metavar="URL", type=address,
                        help="where readers get the checkout; each page shows it, and so does the "
                             "line that clones, which without it says whom to ask")
    options = parser.parse_args(arguments)
    target = options.out.resolve()
    refuse_others(target)
    start = time.monotonic()
    make(has_live=not options.no_live, has_pdf=options.pdf, repository=options.repository or "")
    publish(HTML, target)
    index_page.link_live()
    pages = len(list(HTML.rglob("*.html")))
    say(f"{pages} pages in {time.monotonic() - start:.0f} s: {shown(target / 'index.html')}")
    return 0


def address(text: str) -> str:
    if not (re.fullmatch(r"https?://[^\s<>\"'\\]+", text) and text.isprintable()):
        raise argparse.ArgumentTypeError(f"'{text}' is no address that begins with https://")
    return text


def make(has_live: bool, has_pdf: bool, repository: str = "") -> None:
    """The site in build/site/html, each step as far as it is needed."""
    from tools.book import site_slides  # which lays its pages out as this does
    setup.install(setup.SITE_PACKAGES + (PDF_PACKAGES if has_pdf else []))
    python = environment()
    katex = katex_files()
    live_page = live.build() if has_live else None
    if not live_page:
        shutil.rmtree(live.PAGE.parent, ignore_errors=True)
    books = [Book(language, bool(live_page), repository) for language in ("en", "zh")]
    lay_out(books)
    render(books, python, katex)
    site_slides.render(python, katex)
    sources(books, python)
    write_changed(HTML / "index.html", FIRST)
    write_changed(HTML / ".nojekyll", "")  # GitHub Pages then serves _static, too
    for book in books:
        if has_pdf:
            print_pdf(book, python, katex)
        else:
            book.pdf.unlink(missing_ok=True)


def lay_out(books: list[Book]) -> None:
    """Always, since a link may lead nowhere without its page having changed."""
    start = time.monotonic()
    with Doing("laying out the pages"):
        changed = sum(book.lay_out() for book in books)
    say_seconds("laying out the pages", time.monotonic() - start,
                said(f"{changed} pages changed") if changed else said("up to date"))


def environment() -> Path:
    """Sphinx in a folder of its own, at the versions of requirements.txt."""
    folder, wanted = BUILD / "venv", THEME / "requirements.txt"
    python, log = folder / "bin" / "python", BUILD / "install.log"

    def installed(_changed: set[str]) -> None:
        pip = [python, "-m", "pip", "install", "--disable-pip-version-check", "--no-compile"]
        for title, command in [
                ("making an environment", [sys.executable, "-m", "venv", "--clear", folder]),
                ("installing Sphinx", [*pip, "-r", wanted])]:
            status, _ = timed(title, [str(word) for word in command], log)
            if status != 0:
                raise Stop(f"{title} failed; the end of {shown(log)}:\n"
                           + "\n".join(log.read_text().splitlines()[-5:]))

    step("installing Sphinx", python, {"versions": [wanted]}, installed)
    return python


def katex_files() -> Path:
    """KaTeX for a page opened from a file: its fonts stand in the style sheet, as some browsers
    load none from beside it."""
    folder = BUILD / "katex"
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(KATEX / "katex.min.js", folder / "katex.js")

    def font(found: re.Match) -> str:
        data = (KATEX / "fonts" / f"{found[1]}.woff2").read_bytes()
        return f"src:url(data:font/woff2;base64,{base64.b64encode(data).decode()})"

    css = (KATEX / "katex.min.css").read_text()
    css = re.sub(r"src:url\(fonts/([^.)]+)\.woff2\)[^;}]*", font, css)
    (folder / "katex.css").write_text(css)
    return folder


def sphinx(book: Book, python: Path, katex: Path, builder: str, target: Path,
           flags: tuple[str, ...] = ("-E",), heard=lambda line: None, **more: str) -> list[str]:
    """Runs Sphinx; returns what it complains of. `heard` is called with each line."""
    partner = BUILD / ("en" if book.zh else "zh")
    variables = {**quiet_environment(), "XF_SITE_LANGUAGE": book.language,
                 "XF_SITE_REPOSITORY": book.repository,
                 "XF_SITE_PARTNER": str(partner), "XF_SITE_KATEX": str(katex), **more}
    process = subprocess.Popen(
        [str(python), "-m", "sphinx", *flags, "-b", builder, "-c", str(THEME),
         "-j", str(max(1, setup.cores() // 2)),  # the other language has the other half
         "-d", str(BUILD / f"{book.language}-{builder}"), str(book.folder), str(target)],
        env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        encoding="utf-8", errors="replace")
    lines = []
    with process:
        for line in process.stdout:
            lines.append(line.rstrip())
            heard(line)
    complaints = [line for line in lines if re.search("WARNING|ERROR|error:", line)]
    return complaints or (lines[-5:] if process.returncode else [])


def theme(katex: Path) -> list[Path]:
    """What every page is made from, beside its words."""
    return [THEME, katex, ROOT / "tools" / "book" / "cells.py"]


PROGRESS = re.compile(r"(?:reading sources|writing output)\.\.\. \[ *(\d+)%\]")


def render(books: list[Book], python: Path, katex: Path) -> None:
    """The pages that have changed; all of a language where what stands on each of them has."""
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
    """Of all pages: the sidebar and links into a page show them."""
    texts = ((book.folder / f"{name}.md").read_text(encoding="utf-8")
             for name in book.names)
    return ["\n".join(re.findall(r"^#.*", FENCED.sub("", text), re.MULTILINE)) for text in texts]


def sources(books: list[Book], python: Path) -> None:
    """The pages of the files that the books' pages name, of what stands beside them, and of the
    folders above."""
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
        with Doing("the sources' pages"):
            run = subprocess.run(
                [str(python), str(THEME / "sources.py"), str(ROOT), str(HTML / "code")],
                input=json.dumps({"files": [*names], "changed": [*wanted]}), text=True,
                stderr=subprocess.PIPE)
        if run.returncode != 0:
            raise Stop("the sources' pages:\n" + run.stderr)
        indexes = {f"{folder.relative_to(ROOT).as_posix()}/index.html"
                   for folder in folders - {ROOT}}
        keep_only(HTML / "code", "*.html", indexes | {f"{name}.html" for name in names})

    step("the sources' pages", HTML / "code" / "sources.css",
         {"how": how, **{name: [path] for name, path in names.items()}}, written)


def print_pdf(book: Book, python: Path, katex: Path) -> None:
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []  # chromium refuses one to root
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

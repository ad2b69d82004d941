"""`./learn site`: the pages of docs/, the exercises and the sources that they name, as a site in
out/site that opens from a file, without a network, in both languages.

Plain GitHub Markdown stays the only source. Here it is laid out for Sphinx (build/site/LANGUAGE):
formulas become {tex}, a link to a source file becomes one to a page with that file, a picture
stands in the page with its greys as variables, so that it follows light and dark, and what GitHub
needs to get from page to page (the language line, the arrows) goes, since the theme has it."""

from __future__ import annotations

import base64
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools import setup
from tools.book import index_page, live, site_pictures
from tools.exercises import manifest
from tools.language import words
from tools.terminal import OUT, ROOT, Flags, Stop, quiet_environment, say, shown, timed

SITE = OUT / "site"
BUILD = ROOT / "build" / "site"
THEME = ROOT / "tools" / "book" / "site_theme"
KATEX = Path("/usr/share/javascript/katex")
PDF_PACKAGES = ["chromium"]

TITLES = {"chapters": "The chapters", "exercises": "Exercises", "quizzes": "Quizzes",
          "more": "Around them", "results": "Results"}
FIRST_AROUND = ["teaching", "conventions"]  # what a reader looks for first, among those pages

FENCE = re.compile(r"^(\s*)(```+)(.*)$")
CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
FORMULA = re.compile(r"\$`([^`]+)`\$")
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")
WIDE = "\u3000-\u303f\u3400-\u9fff\uff00-\uffef"  # Chinese, which has no blank where a line ends
BROKEN = re.compile(f"^(?!#)(.*[{WIDE}])\n(?=[{WIDE}])", re.MULTILINE)
MARKER = re.compile(r"^\s*<!-- .*? -->\s*$")
LANGUAGES = re.compile(r"^\s*(English \| \[简体中文\]|\[English\]\([^)]*\) \| 简体中文)")
ONE_LINK = r"\[[^\[\]]*\]\([^()\s]*\)"
ARROWS = re.compile(rf"^(?=.*README){ONE_LINK}( · {ONE_LINK})*$")


class Book:
    """The pages of one language: where each stands in the repository, and on the site."""

    def __init__(self, language: str, has_live: bool = False):
        self.language = language
        self.has_live = has_live  # whether the live page was built
        self.folder = BUILD / language
        self.pages = dict(self.named_pages())
        self.sources: set[Path] = set()  # the files and folders that the pages link to

    def said(self, english: str) -> str:
        return words(english, self.language == "zh")

    @property
    def zh(self) -> bool:
        return self.language == "zh"

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

    # ---- laying out ------------------------------------------------------------------------------

    def lay_out(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
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
            self.write(name, text)

    def write(self, name: str, text: str) -> None:
        path = self.folder / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def page(self, source: Path, name: str) -> str:
        return self.laid_out(source.read_text(encoding="utf-8"), source, name)

    def laid_out(self, text: str, source: Path, name: str) -> str:
        """GitHub's Markdown for Sphinx; `source` is where its links begin."""
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
            elif not (MARKER.match(line) or LANGUAGES.match(line) or ARROWS.match(line)):
                prose.append(line)
        flush()
        return "\n".join(out) + "\n"

    def prose(self, text: str, source: Path, name: str) -> str:
        """Formulas and links, outside of code."""
        formulas: list[str] = []
        text = FORMULA.sub(lambda m: formulas.append(m[1]) or f"\0{len(formulas) - 1}\0", text)
        text = BROKEN.sub(r"\1", text)
        codes: list[str] = []
        text = CODE.sub(lambda m: codes.append(m[0]) or f"\1{len(codes) - 1}\1", text)
        text = LINK.sub(lambda m: self.link(m, source, name), text)
        text = re.sub("\1(\\d+)\1", lambda m: codes[int(m[1])], text)
        return re.sub("\0(\\d+)\0", lambda m: f"{{tex}}`{formulas[int(m[1])]}`", text)

    def link(self, found: re.Match, source: Path, name: str) -> str:
        picture, words, target = found.groups()
        if re.match(r"[a-z]+:", target) or target.startswith("#"):
            return found[0]
        path, _, anchor = target.partition("#")
        path = (source.parent / path).resolve()
        if picture:
            chapters = {str(int(page[:2])): os.path.relpath(f"{page}.html", Path(name).parent)
                        for page in self.pages.values() if re.match(r"\d\d_", page)}
            return site_pictures.figure(path, words, chapters)
        page = self.page_of(path)
        if page is None:
            raise Stop(f"{shown(source)}: there is no {target}")
        if page.endswith(".html"):
            return self.anchor(path, words, name)
        to = os.path.relpath(page, Path(name).parent)
        return f"[{words}]({to}.md{'#' + anchor if anchor else ''})"

    def page_of(self, path: Path) -> str | None:
        """The page that shows this file or folder."""
        if path in self.pages:
            return self.pages[path]
        other = Book("en" if self.zh else "zh").pages if path.suffix == ".md" else {}
        if path in other:
            return f"../{'en' if self.zh else 'zh'}/{other[path]}.html"
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
        first = "capstones" if exercise.is_milestone else exercise.id[:2]
        chapter = next(name for name in self.pages.values() if name.startswith(first))
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
        parts = {"chapters": chapters,
                 "exercises": [name for name in names if name.startswith("exercises/")],
                 "quizzes": [name for name in names if name.startswith("quiz/")],
                 "results": [name for name in names if name.startswith("results/")]}
        taken = {name for part in parts.values() for name in part} | {"index"}
        parts["more"] = FIRST_AROUND + [name for name in names
                                        if name not in taken | set(FIRST_AROUND)]
        text = ""
        for part in ("chapters", "exercises", "quizzes", "more", "results"):
            text += (f"\n```{{toctree}}\n:hidden:\n:caption: {self.said(TITLES[part])}\n"
                     + "\n".join(parts[part]) + "\n```\n")
        return text


# ---- building ------------------------------------------------------------------------------------


def main(arguments: list[str]) -> int:
    parser = Flags(
        "site", description="the pages as a site in out/site, to be opened from there")
    parser.add_argument("--pdf", action="store_true", help="one PDF of each language as well")
    parser.add_argument("--no-live", action="store_true",
                        help="without the live page, for which emscripten is installed (1.3 GB)")
    options = parser.parse_args(arguments)
    start = time.monotonic()
    setup.install(setup.SITE_PACKAGES + (PDF_PACKAGES if options.pdf else []))
    python = environment()
    katex = katex_files()
    has_live = not options.no_live and live.offered()
    books = [Book("en", has_live), Book("zh", has_live)]
    for book in books:
        book.lay_out()
    shutil.rmtree(SITE, ignore_errors=True)
    with ThreadPoolExecutor() as pool:
        results = list(pool.map(lambda book: render(book, python, katex), books))
    for book, complaints in zip(books, results):
        if complaints:
            raise Stop(f"the {book.language} pages:\n" + "\n".join(complaints[:20]))
    sources(books, python)
    (SITE / "index.html").write_text(FIRST, encoding="utf-8")
    if has_live:
        live.build()
    index_page.link_live()
    if options.pdf:
        for book in books:
            print_pdf(book, python, katex)
    pages = len(list(SITE.rglob("*.html")))
    say(f"{pages} pages in {time.monotonic() - start:.0f} s: {shown(SITE / 'index.html')}")
    return 0


def environment() -> Path:
    """Sphinx in a folder of its own, at the versions of requirements.txt."""
    python = BUILD / "venv" / "bin" / "python"
    wanted = (THEME / "requirements.txt").read_text()
    stamp = BUILD / "venv" / "installed.txt"
    if stamp.exists() and stamp.read_text() == wanted:
        return python
    BUILD.mkdir(parents=True, exist_ok=True)
    for title, command in [
            ("making an environment", [sys.executable, "-m", "venv", "--clear", BUILD / "venv"]),
            ("installing Sphinx", [python, "-m", "pip", "install", "--disable-pip-version-check",
                                   "-r", THEME / "requirements.txt"])]:
        log = BUILD / "install.log"
        status, _ = timed(title, [str(word) for word in command], log)
        if status != 0:
            raise Stop(f"{title} failed; the end of {shown(log)}:\n"
                       + "\n".join(log.read_text().splitlines()[-5:]))
    stamp.write_text(wanted)
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


def sphinx(book: Book, python: Path, katex: Path, builder: str, target: Path, **more: str):
    partner = BUILD / ("en" if book.zh else "zh")
    variables = {**quiet_environment(), "XF_SITE_LANGUAGE": book.language,
                 "XF_SITE_PARTNER": str(partner), "XF_SITE_KATEX": str(katex), **more}
    return subprocess.run(
        [str(python), "-m", "sphinx", "-q", "-E", "-b", builder, "-c", str(THEME),
         "-d", str(BUILD / f"{book.language}-{builder}"), str(book.folder), str(target)],
        env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def render(book: Book, python: Path, katex: Path) -> list[str]:
    """Writes the pages of one language; returns what Sphinx complains of."""
    run = sphinx(book, python, katex, "html", SITE / book.language)
    complaints = [line for line in run.stdout.splitlines()
                  if re.search("WARNING|ERROR|error:", line)]
    return complaints or ([run.stdout] if run.returncode else [])


def sources(books: list[Book], python: Path) -> None:
    names = sorted({path.relative_to(ROOT).as_posix() for book in books for path in book.sources})
    run = subprocess.run([str(python), str(THEME / "sources.py"), str(ROOT), str(SITE / "code")],
                         input="\n".join(names), text=True, stderr=subprocess.PIPE)
    if run.returncode != 0:
        raise Stop("the sources' pages:\n" + run.stderr)


def print_pdf(book: Book, python: Path, katex: Path) -> None:
    whole = BUILD / f"{book.language}-whole"
    sphinx(book, python, katex, "singlehtml", whole, XF_SITE_PRINT="1")
    target = SITE / f"transformer-by-hand-{book.language}.pdf"
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []  # chromium refuses one to root
    log = BUILD / "pdf.log"
    timed(f"printing {target.name}",
          ["chromium", "--headless", *sandbox, "--disable-gpu", "--no-pdf-header-footer",
           "--generate-pdf-document-outline", "--virtual-time-budget=60000",
           f"--print-to-pdf={target}", (whole / "index.html").as_uri()], log)
    if not target.exists():
        raise Stop(f"chromium printed no PDF; see {shown(log)}")
    say(f"printed {shown(target)}")


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

"""The pages of the site in one language, laid out for Sphinx (build/site/LANGUAGE).

Plain GitHub Markdown remains the only source. Here, formulas become {tex}, a link to a source file
becomes a link to a page with that file, a picture is inlined with its greys as variables, so that
it follows the light or dark theme, and the navigation that GitHub needs (the language line, the
arrows) is removed, since the theme provides it."""

from __future__ import annotations

import functools
import os
import re
from pathlib import Path

from tools.book import handouts, live, site_pictures
from tools.book.pages import is_way
from tools.book.steps import BUILD, HTML, keep_only
from tools.exercises import manifest
from tools.language import words
from tools.terminal import ROOT, Stop, shown, write_changed

FIRST_AROUND = ["teaching", "conventions"]  # what readers look for first among them

FENCED = re.compile(r"^([ \t]*)(```+)(.*)\n((?s:.*?)^[ \t]*\2[ \t]*)$", re.MULTILINE)
CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
LIVE_ADDRESS = re.compile(r"`live/index\.html#\w+=[a-z_]+(&\w+=\w+)*`")
FORMULA = re.compile(r"\$`([^`]+)`\$")
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")
TOKEN = re.compile(r"<(?=/?[a-z]\w*>)(?!/?(?:details|summary|a|div|p)>)")  # <eos> is no element
WIDE = "\u3000-\u303f\u3400-\u9fff\uff00-\uffef"  # Chinese, where a line break is not a space
BROKEN = re.compile(f"^(?!#)(.*[{WIDE}])\n(?=[{WIDE}])", re.MULTILINE)
MARKER = re.compile(r"^\s*<!-- .*? -->\s*$")
ADDRESS = re.compile(r"<!-- address -->.*?<!-- /address -->", re.DOTALL)


class Book:
    """The pages of one language: where each is in the repository, and on the site."""

    def __init__(self, language: str, has_live: bool = False, repository: str = "",
                 answers: bool = False):
        self.language = language
        self.has_live = has_live  # whether the live page was built
        self.answers = answers  # whether it includes the lecturer's pages
        self.repository = repository  # its address, if one was given
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
        """Generated pages, without a source file."""
        return handouts.pages(self.zh, self.answers)

    @property
    def names(self) -> list[str]:
        return [*self.pages.values(), *self.handouts]

    # ---- laying out ------------------------------------------------------------------------------

    def lay_out(self) -> int:
        """Returns how many pages have changed."""
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
            text += self.own_exercises(name)
            if self.has_live:
                text = live.with_link(text, name, self.language)
            changed += self.write(name, handouts.with_links(text, name, self.zh, self.answers))
        teaching = ROOT / "docs" / self.language / "teaching.md"
        for name, text in self.handouts.items():
            changed += self.write(name, self.laid_out(text, teaching, name))
        return changed

    def write(self, name: str, text: str) -> bool:
        return write_changed(self.folder / f"{name}.md", text)

    def page(self, source: Path, name: str) -> str:
        return self.laid_out(source.read_text(encoding="utf-8"), source, name)

    def laid_out(self, text: str, source: Path, name: str) -> str:
        """Converts GitHub's Markdown for Sphinx; links are relative to `source`."""
        text = ADDRESS.sub(lambda _: self.address(), text)
        parts, at = [], 0
        for code in [*FENCED.finditer(text), None]:
            prose = [line for line in text[at:code and code.start()].splitlines()
                     if not (MARKER.match(line) or is_way(line))]
            if prose:
                parts.append(self.prose("\n".join(prose), source, name))
            if code:
                kind = "{tex}" if code[3].strip() == "math" else code[3]
                parts.append(f"{code[1]}{code[2]}{kind}\n{code[4]}")
                at = code.end() + 1
        return "\n".join(parts) + "\n"

    def address(self) -> str:
        """How a reader gets the checkout: the continuation of "in a checkout"."""
        if self.repository:
            return words(", `git clone {address}`", self.zh, address=self.repository)
        return self.said(" of the repository; ask the makers of this site where it is")

    def prose(self, text: str, source: Path, name: str) -> str:
        """Converts formulas and links, outside of code."""
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
        """An address of the live page becomes a link if the page exists."""
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
        """Where the numbered boxes of a picture on this page link to."""
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
        name = path.relative_to(ROOT).as_posix()
        return f"../code/{name}{'/index' if path.is_dir() else ''}.html"  # of sources.py

    # ---- what no page of docs/ says --------------------------------------------------------------

    def belonging(self, exercise) -> str:
        """The chapter of an exercise, or the page of capstones, and the points it is worth."""
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
        """A link to a page outside this language's build, which Sphinx does not know."""
        return f'<a href="{os.path.relpath(self.page_of(path), Path(name).parent)}">{words}</a>'

    def exercises_of(self, chapter: str) -> list[str]:
        return [name for name in self.pages.values()
                if name.startswith(f"exercises/{chapter[:2]}-")]

    def own_exercises(self, name: str) -> str:
        """The exercises of a chapter: in the sidebar they are folded below it."""
        its = self.exercises_of(name) if re.match(r"\d\d_", name) else []
        return "\n```{toctree}\n:hidden:\n" + "\n".join(its) + "\n```\n" if its else ""

    def contents(self) -> str:
        """The tables of contents below the first page, which make up the sidebar."""
        names = list(self.pages.values())
        chapters = [name for name in names if re.match(r"\d\d_", name)]
        lecturers = [name for name in self.handouts if handouts.is_for_lecturers(name)]
        below = {one for chapter in chapters for one in self.exercises_of(chapter)}
        parts = {"The chapters": chapters,
                 "Capstones": [name for name in names
                               if name.startswith("exercises/") and name not in below],
                 "Quizzes": [name for name in names if name.startswith("quiz/")],
                 "To hand out": [name for name in self.handouts if name not in lecturers],
                 "Other pages": [],
                 "Results": [name for name in names if name.startswith("results/")],
                 "For the lecturer": lecturers}
        taken = {name for part in parts.values() for name in part} | {"index"} | below
        parts["Other pages"] = FIRST_AROUND + [name for name in names
                                               if name not in taken | set(FIRST_AROUND)]
        return "".join(f"\n```{{toctree}}\n:hidden:\n:caption: {self.said(title)}\n"
                       + "\n".join(its) + "\n```\n" for title, its in parts.items() if its)

"""`./learn docs`: updates the parts of docs/ that are copied from the sources and the programs.

A page has five kinds of blocks, each between two comments. Everything between them is rewritten
by `./learn docs` and compared by `./learn docs --check`:

  <!-- snippet: chapters/02_attention/attention.hpp#attention -->   code, as it stands
  <!-- output: 02_attention 3 -->                                   section 3 of what it prints
  <!-- output: 02_attention 3 | d_k | => -->                        from a line to a line of it;
                                                                    \\| is a | in the text; one
                                                                    line alone may hold a limit
  <!-- output: 02_attention 3 | d_k | +4 -->                        a line and the 4 after it
  <!-- output: bench steps --device cuda-emulated 1 -->             of another program with sections
  <!-- picture: 02_attention weights.svg -->                        a file that the program writes
  <!-- findings: 02_attention -->                                   its lines `=> …`, by section
  <!-- exercises: 02 -->                                            those of exercises/manifest.toml
  … <!-- /snippet --> <!-- /output --> <!-- /picture --> <!-- /findings --> <!-- /exercises -->

A snippet names a function, struct or enum, `Struct.function` for a member; it includes the comment.
If several functions have this name, `function(const Mask&` is the one whose parameters start so.
Everything is compared to the last digit, as a lesson prints the same digits on every machine. The
numbers in running text are checked by tools/book/page_numbers.py.
If docs/recorded/ has the output of a lesson, it is quoted, and nothing runs
(tools/book/recorded.py). The pictures of such a lesson are drawn when it is recorded.

A page of docs/zh shows what the program prints and draws with --language zh: its limits are words
from this output, and its pictures are separate files, NAME.zh.svg; those that no lesson draws are
made from the English ones (tools/book/drawings.py). It ends in
`<!-- source: en/NAME.md sha256:… -->`, the hash of the English page that it translates.
`./learn docs --translated NAME` writes it, once the translation has been updated.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Iterator

from tools.book import drawings, film, head_pictures, heat_map, page_numbers, page_sources, recorded
from tools.exercises import manifest
from tools.terminal import (BIN, ROOT, Flags, Stop, quiet_environment, say, shown,
                            write_file)

KINDS = "snippet|output|picture|findings|exercises"
BLOCK = re.compile(rf"<!-- ({KINDS}): (.+?) -->\n(.*?)<!-- /\1 -->", re.DOTALL)
OPENING = re.compile(rf"<!-- /?(?:{KINDS})\b")
ANCHOR = re.compile(r"\]\(([^)\s#:]*\.md|)#([^)\s]+)\)")
SOURCE = re.compile(r"<!-- source: en/(\S+) sha256:([0-9a-f]{64}) -->\n")
TIMED = ("(measured)", "（实测）")  # how a timing finding ends
HOUR = 3600  # in seconds: no lesson takes longer


# ---- code ----------------------------------------------------------------------------------------


def definition(lines: list[str], name: str, indent: str) -> tuple[int, int]:
    """First and last line of the definition of `name` among the lines with this indentation. It
    must be unique: of overloaded functions, `name(const Mask&` selects one by its parameters.
    """
    function = re.escape(name) + ("" if "(" in name else r"\(")
    declared = re.compile(rf"{indent}(?:(?:struct|class|enum class) {re.escape(name)}\b(?!;)"
                          rf"|(?![ /]|return\b)[^=(]*?(?<![\w.]){function})")
    starts = [start for start, line in enumerate(lines) if declared.match(line)]
    if len(starts) != 1:
        raise ValueError(f"{len(starts)} things are called {name}" if starts else
                         f"nothing is called {name}")
    end = start = starts[0]
    while not re.match(rf"{indent}(?:}}|[^ ].*[;}}]$|  .*;$)", lines[end]) or (
            lines[end].startswith(indent + "  ")
            and any(line.rstrip().endswith("{") for line in lines[start:end])):  # in the body
        end += 1
    return start, end


def snippet(where: str, root: Path = ROOT) -> str:
    """The code that `path#name` names, with the comment above it."""
    path, _, name = where.partition("#")
    if not (root / path).is_file():
        raise Stop(f"snippet {where}: there is no file {path}")
    lines = (root / path).read_text(encoding="utf-8").splitlines()
    indent = ""
    try:
        for part in name.split("."):
            start, end = definition(lines, part, indent)
            while start > 0 and re.match(rf"{indent}(//|template\b)", lines[start - 1]):
                start -= 1
            lines, indent = lines[start:end + 1], indent + "  "
    except (ValueError, IndexError) as error:
        raise Stop(f"snippet {where}: {error}") from None
    cut = len(indent) - 2
    return "```cpp\n" + "".join(line[cut:] + "\n" for line in lines) + "```\n"


# ---- programs ------------------------------------------------------------------------------------


def language_of(path: Path) -> str:
    return "zh" if path.parent.name == "zh" else "en"


class NotBuilt(Stop):
    """There is no runnable program with this name."""


UNCOUNTED = "needs the preset 'release'"  # another preset's emulator does not


@lru_cache(maxsize=None)
def run(command: str, language: str = "en") -> tuple[str, Path]:
    """The output of a lesson, and the folder with the files that it wrote."""
    name, *flags = command.split()
    program = Path(os.environ.get("XF_BIN") or BIN) / name
    if not program.is_file():
        raise NotBuilt(name)
    if not flags and language == "en" and (found := recorded.by_its_test(name)):
        return found
    folder = Path(tempfile.mkdtemp(prefix="xf-pages-"))
    FOLDERS.append(folder)
    answer = subprocess.run([program, *flags, "--language", language], cwd=folder, text=True,
                            capture_output=True, stdin=subprocess.DEVNULL,
                            env=quiet_environment(), timeout=HOUR)
    if answer.returncode == 2 and UNCOUNTED in answer.stderr:
        raise NotBuilt(command)
    if answer.returncode != 0:
        raise Stop(f"{command} failed: {answer.stderr.strip() or answer.stdout[-300:]}")
    return answer.stdout, folder / "out" / name


FOLDERS: list[Path] = []


def forget_runs() -> None:
    run.cache_clear()
    while FOLDERS:
        shutil.rmtree(FOLDERS.pop())


LANGUAGES = re.compile(r"\s*(English \| \[简体中文\]|\[English\]\([^)]*\) \| 简体中文)")
ONE_LINK = r"\[[^\[\]]*\]\([^()\s]*\)"
ARROWS = re.compile(rf"(?=.*README){ONE_LINK}( · {ONE_LINK})*$")


def is_way(line: str) -> bool:
    """Is the line a link to the page in the other language, or to the neighbouring pages?"""
    return bool(LANGUAGES.match(line) or ARROWS.match(line))


@dataclass
class Wanted:
    """What an output block asks for: "02_attention 3 | from | to"."""

    command: str
    section: int
    first: str
    last: str

    @staticmethod
    def parse(text: str) -> "Wanted":
        parts = re.split(r"(?<!\\)\|", text)
        head, *limits = [part.strip().replace(r"\|", "|") for part in parts]
        found = re.fullmatch(r"(\S.*) (\d+)", head)
        if not found or len(limits) not in (0, 2):
            raise Stop(f"output: {text}: give a program, a section and, if needed, two limits")
        return Wanted(found[1], int(found[2]), *(limits or ("", "")))


def output(wanted: Wanted, language: str = "en", root: Path = ROOT) -> str:
    return part_of(printed_by(wanted.command, language, root), wanted)


def printed_by(command: str, language: str, root: Path = ROOT) -> str:
    printed = recorded.text_of(command, root, language)
    return run(command, language)[0] if printed is None else printed


def findings(command: str, language: str = "en", root: Path = ROOT) -> str:
    """The findings of each section of a lesson, its lines `=> …`, after the section's number; its
    title if it has none. Timings are left out, as they depend on the load of the machine that made
    the page."""
    lines, ends, printed = [], 0, printed_by(command, language, root)
    for number, text in page_numbers.sections(printed).items():
        found = [line[3:] for line in text.splitlines()
                 if line.startswith("=> ") and not line.endswith(TIMED)]
        title = text.partition("\n")[0].partition(". ")[2]
        ends += len(found)
        lines += [f"{number:>2}  {each}\n" for each in found or [title]]
    if not ends:
        raise Stop(f"findings: {command} has no line that begins with =>")
    return "```text\n" + "".join(lines) + "```\n"


def part_of(printed: str, wanted: Wanted) -> str:
    """The section of the text, or its lines between the limits, below the command for it."""
    section = re.search(rf"^{wanted.section}\. .*\n-+\n(?:(?!\d+\. .*\n---).*\n?)*", printed,
                        re.M)
    if not section:
        raise Stop(f"output: {wanted.command} has no section {wanted.section}")
    lines, caption = section[0].rstrip().splitlines(), ""
    if wanted.first:
        if lesson := re.match(r"(\d+)_", wanted.command):
            caption = f"`./learn chapter {int(lesson[1])} --section {wanted.section}`:\n\n"
        start = line_of(wanted.first, lines, wanted)
        lines = lines[start:last_line(lines, start, wanted) + 1]
    return caption + "```text\n" + "\n".join(lines) + "\n```\n"


def last_line(lines: list[str], start: int, wanted: Wanted) -> int:
    """Where a limit matches: `+4` is four lines later, anything else a text in the line."""
    if not re.fullmatch(r"\+\d+", wanted.last):
        return start + line_of(wanted.last, lines[start:], wanted)
    if start + int(wanted.last) >= len(lines):
        raise Stop(f"output: section {wanted.section} of {wanted.command} has no line "
                   f"{wanted.last} after '{wanted.first}'")
    return start + int(wanted.last)


def line_of(limit: str, lines: list[str], wanted: Wanted) -> int:
    """The only line with this limit: if two lines had it, the block could show the wrong one."""
    found = [i for i, line in enumerate(lines) if limit in line]
    if len(found) != 1:
        raise Stop(f"output: {wanted.command} {wanted.section}: '{limit}' is in {len(found)} lines "
                   "of the section, but a limit must be in exactly one")
    return found[0]


# ---- exercises -----------------------------------------------------------------------------------


def exercises(chapter: str, path: Path, root: Path = ROOT) -> str:
    """A paragraph for each exercise of the chapter, whose folder begins with its number: what it
    is, which file, what to type."""
    zh = path.parent.name == "zh"
    found = [e for e in manifest.everything() if e.id.startswith(f"{chapter}-")]
    if not found:
        return "（本章暂无练习。）\n" if zh else "(None for this chapter yet.)\n"
    up = os.path.relpath(root, path.parent)
    return "\n".join(paragraph(e, f"{up}/{e.folder}", zh) for e in found)


def paragraph(exercise: manifest.Exercise, folder: str, zh: bool) -> str:
    file, skeleton = f"`my/{exercise.answer.name}`", f"{folder}/skeleton.cpp"
    title = re.sub(r"<\w+>", r"`\g<0>`", exercise.title_zh if zh else exercise.title)
    if zh:
        return (f"**{exercise.id}** [{title}]({folder}/README.zh.md)，{exercise.points} 分。\n"
                f"`./learn try {exercise.id}` 评判 {file}（[骨架]({skeleton})）。\n")
    points = f"{exercise.points} point{'s' if exercise.points > 1 else ''}"
    return (f"**{exercise.id}** [{title}]({folder}/README.md), {points}.\n"
            f"`./learn try {exercise.id}` judges {file} ([skeleton]({skeleton})).\n")


# ---- pages ---------------------------------------------------------------------------------------


class Pages:
    def __init__(self, root: Path = ROOT):
        self.root, self.docs = root, root / "docs"
        self.complaints: list[str] = []
        self.not_built: dict[str, None] = {}  # lessons that pages show but that are not built
        self.recording = False  # redraws the pictures of recorded lessons

    def all(self) -> list[Path]:
        return sorted(path for language in ("en", "zh")
                      for path in (self.docs / language).glob("*.md"))

    def complain(self, path: Path, text: str, line: int | None = None) -> None:
        where = path.relative_to(self.root).as_posix() + (f":{line}" if line else "")
        self.complaints.append(f"{where}: {text}")

    def refreshed(self, path: Path, text: str, check: bool) -> str:
        """The page with every block up to date; a block that agrees is left alone."""
        def replace(block: re.Match) -> str:
            kind, asked, old = block.groups()
            line = 1 + text.count("\n", 0, block.start())
            try:
                new, same = self.block(kind, asked, old, path, check)
            except NotBuilt as lesson:
                self.not_built[str(lesson)] = None
                return block[0]
            except Stop as stop:
                self.complain(path, str(stop), line)
                return block[0]
            if same:
                return block[0]
            if check:
                self.complain(path, f"{kind} {asked} has drifted; ./learn docs rewrites it", line)
            return f"<!-- {kind}: {asked} -->\n{new}<!-- /{kind} -->"
        fresh = BLOCK.sub(replace, text)
        if len(OPENING.findall(text)) != 2 * len(BLOCK.findall(text)):
            self.complain(path, "a block is not closed, or closed twice")
        return fresh

    def block(self, kind: str, asked: str, old: str, path: Path, check: bool) -> tuple[str, bool]:
        if kind == "picture":
            return old, self.picture(asked, old, path, check)
        make = {"snippet": lambda: snippet(asked, self.root),
                "output": lambda: output(Wanted.parse(asked), language_of(path), self.root),
                "findings": lambda: findings(asked, language_of(path), self.root),
                "exercises": lambda: exercises(asked, path, self.root)}
        new = make[kind]()
        return new, new == old

    def picture(self, asked: str, old: str, path: Path, check: bool) -> bool:
        """Updates the file that the block shows. Was it up to date?"""
        command, _, name = asked.rpartition(" ")
        link = re.search(r"!\[[^\]]+\]\(([^)\s]+)\)", old)
        if not link:
            raise Stop(f"picture {asked}: a picture with alternative text, ![…](…), must follow")
        shown_file, language = path.parent / link[1], language_of(path)
        if recorded.text_of(command, self.root, language) is not None and not self.recording:
            if shown_file.is_file():
                return True
            raise Stop(f"picture {asked}: not drawn yet; ./learn docs --record {command} draws it")
        drawn = run(command, language)[1] / name
        if not drawn.is_file():
            raise Stop(f"picture {asked}: the program does not draw {name}")
        svg = drawn.read_text(encoding="utf-8")
        if shown_file.is_file() and shown_file.read_text(encoding="utf-8") == svg:
            return True
        if not check:
            shown_file.parent.mkdir(parents=True, exist_ok=True)
            write_file(shown_file, svg)
        return not check

    def check_numbers(self) -> None:
        """Are the numbers and sections of lessons quoted correctly outside blocks?"""
        for path in self.all():
            text = path.read_text(encoding="utf-8")
            try:
                for wrong in self.wrong_numbers(text, language_of(path)):
                    self.complain(path, wrong)
            except NotBuilt as lesson:
                self.not_built[str(lesson)] = None
            except Stop:  # reported by the page's block
                pass

    def check_figures(self) -> None:
        """Do the readme and the results agree with their logs, the pictures' texts with their
        drawings, and both languages with each other?"""
        results = [path for path in sorted((self.docs / "results").glob("*.md"))
                   if not path.name.endswith(".zh.md")]
        for path in [self.root / "README.md", self.docs / "en" / "heads.md", *results]:
            if path.is_file():
                self.complain_of(path, page_sources.unfound(
                    path.read_text(encoding="utf-8"), path, self.root))
        for path in [self.root / "README.md", *results]:
            if path.is_file():
                self.check_twin(path, path.with_suffix(".zh.md"))
        for path in sorted((self.docs / "en").glob("*.md")):
            self.check_twin(path, self.docs / "zh" / path.name)

    def check_twin(self, path: Path, twin: Path) -> None:
        texts = [each.read_text(encoding="utf-8") if each.is_file() else ""
                 for each in (path, twin)]
        self.complain_of(twin, page_sources.unlike(*map(own_text, texts)))
        for each, text in zip((path, twin), texts):
            for part in page_numbers.paragraphs(text):
                for wrong in (*heat_map.wrong(part, self.root), *film.wrong(part, self.root),
                              *head_pictures.wrong(part, language_of(each), self.root)):
                    self.complain(each, wrong, 1 + text.count("\n", 0, text.find(part)))
            try:
                lessons = {Wanted.parse(asked).command for asked, _ in outputs(text)}
                printed = "\n".join(printed_by(lesson, language_of(each), self.root)
                                    for lesson in sorted(lessons))
            except Stop:  # reported by the page's block
                continue
            self.complain_of(each, page_sources.wrong_pictures(text, each, printed))

    def complain_of(self, path: Path, wrong: Iterator[tuple[int, str]]) -> None:
        for line, text in wrong:
            self.complain(path, text, line)

    def wrong_numbers(self, text: str, language: str) -> Iterator[str]:
        def printed(command: str) -> str:
            return printed_by(command, language, self.root)
        in_short = [(asked, rows) for kind, asked, rows in BLOCK.findall(text)
                    if kind == "findings"]
        for lesson, rows in in_short:
            yield from page_numbers.wrong_findings(rows, lesson, printed(lesson))
        lessons = [lesson for lesson, _ in in_short]
        lessons += [Wanted.parse(asked).command for asked, _ in outputs(text)]
        own = without_code(BLOCK.sub("", text))
        yield from page_numbers.wrong_numbers(own, printed)
        for chapter, section in page_numbers.named_sections(own):
            named = (self.root / "chapters").glob(f"{chapter:02}_*") if chapter else ()
            folders = [path.name for path in named
                       if [each.name for each in path.glob("*")] != ["exercises"]]
            lesson = next(iter(folders if chapter else lessons), None)
            if chapter and not lesson:
                yield f"section {section} of chapter {chapter}: there is no such lesson"
            elif lesson and section not in page_numbers.sections(printed(lesson)):
                yield f"{lesson} has no section {section}"

    def check_records(self) -> None:
        """Were the lessons changed after their output was recorded?"""
        for name in recorded.names(self.root):
            for language in recorded.stale(name, self.root):
                po = " or zh.po" if language == "zh" else ""
                self.complain(recorded.file_of(name, self.root, language),
                              f"chapters/{name}/lesson*{po} has changed since; ./learn docs "
                              f"--record {name} runs it again")

    def refresh_drawings(self, check: bool) -> None:
        """The pictures that Chinese pages show outside of blocks."""
        pages = [*(self.docs / "zh").glob("*.md"), *(self.docs / "results").glob("*.zh.md")]
        texts = [BLOCK.sub("", path.read_text(encoding="utf-8")) for path in pages]
        self.complaints += drawings.refresh(self.root, texts, check)

    def check_anchors(self) -> None:
        """Does every `page.md#part` name a heading of that page?"""
        for path in self.all():
            for file, part in ANCHOR.findall(without_code(path.read_text(encoding="utf-8"))):
                target = path.parent / file if file else path
                if target.is_file() and part not in anchors(target.read_text(encoding="utf-8")):
                    self.complain(path, f"{file}#{part}: no heading of that page is called so")

    def check_pairs(self) -> None:
        """Do both languages have the same pages, with the same structure?"""
        names = [{path.name for path in (self.docs / language).glob("*.md")}
                 for language in ("en", "zh")]
        for name in sorted(names[0] ^ names[1]):
            language, other = ("en", "zh") if name in names[0] else ("zh", "en")
            self.complain(self.docs / language / name, f"there is no {other}/{name}")
        for name in sorted(names[0] & names[1]):
            en, zh = [(self.docs / language / name).read_text(encoding="utf-8")
                      for language in ("en", "zh")]
            for what, of in (("headings", headings), ("blocks", blocks)):
                ours, theirs = of(en), of(zh)
                if ours != theirs:
                    self.complain(self.docs / "zh" / name,
                                  f"the {what} are not those of en/{name}: {theirs} and {ours}")
            for (asked, zh_output), (_, en_output) in zip(outputs(zh), outputs(en)):
                lines, wanted = zh_output.count("\n"), en_output.count("\n")
                if lines != wanted:
                    self.complain(self.docs / "zh" / name,
                                  f"output {asked} has {lines} lines, and the one of en/{name} "
                                  f"{wanted}: one of them ends too early")
            mark = SOURCE.search(zh)
            if not mark or mark[1] != name or mark[2] != said(en):
                self.complain(self.docs / "zh" / name,
                              f"en/{name} has changed since; bring this page up to date, then "
                              f"./learn docs --translated {name[:-3]}")


def without_code(text: str) -> str:
    return re.sub(r"^(```+)[^`\n]*$.*?^\1$", "", text, flags=re.M | re.S)


def own_text(text: str) -> str:
    """The page without its blocks, except for the alternative texts; line numbers stay the same."""
    def emptied(block: re.Match) -> str:
        kept = block[3] if block[1] == "picture" else ""
        return kept + "\n" * (block[0].count("\n") - kept.count("\n"))
    return BLOCK.sub(emptied, text)


def headings(text: str) -> list[int]:
    """The level of every heading outside code."""
    return [len(found) for found in re.findall(r"^(#+) ", without_code(text), re.M)]


def anchors(text: str) -> set[str]:
    """The anchors that GitHub generates for the headings: "Why the √d?" is #why-the-d."""
    titles = re.findall(r"^#+ (.+)$", without_code(text), re.M)
    return {page_sources.anchor_of(title) for title in titles}


def blocks(text: str) -> list[str]:
    """What the page shows, without the limits, which are in the language of the page."""
    return [f"{kind} {asked.split(' |')[0]}" for kind, asked, _ in BLOCK.findall(text)]


def outputs(text: str) -> list[tuple[str, str]]:
    """What each output block asks for, and what it shows."""
    return [(asked, shown) for kind, asked, shown in BLOCK.findall(text) if kind == "output"]


def said(text: str) -> str:
    """A hash of the page's own text: without the code and output that it shows."""
    own = BLOCK.sub(lambda block: f"{block[1]} {block[2]}", text)
    return hashlib.sha256(own.encode()).hexdigest()


def mark_translated(name: str, root: Path = ROOT) -> None:
    name = name.removesuffix(".md") + ".md"
    en, zh = root / "docs/en" / name, root / "docs/zh" / name
    for path in (en, zh):
        if not path.is_file() or "/" in name:
            raise Stop(f"docs --translated: there is no {shown(path)}", 2)
    text = SOURCE.sub("", zh.read_text(encoding="utf-8")).rstrip("\n")
    mark = f"<!-- source: en/{name} sha256:{said(en.read_text(encoding='utf-8'))} -->\n"
    write_file(zh, f"{text}\n\n{mark}")


def refresh(root: Path = ROOT, check: bool = False) -> list[str]:
    """Rewrites (or only compares) all pages; returns a list of problems."""
    pages = Pages(root)
    try:
        for path in pages.all():
            text = path.read_text(encoding="utf-8")
            fresh = pages.refreshed(path, text, check)
            if not check and fresh != text:
                write_file(path, fresh)
                say(f"  rewritten: {path.relative_to(root)}")
        pages.check_numbers()
        pages.check_figures()
    finally:
        forget_runs()
    pages.refresh_drawings(check)
    pages.check_records()
    pages.check_anchors()
    pages.check_pairs()
    if pages.not_built:
        pages.complaints.append(f"not built: {', '.join(pages.not_built)}; ./learn builds them")
    return pages.complaints


def record(name: str, root: Path = ROOT) -> list[str]:
    """Runs a lesson, records what it prints and draws, and updates the pages: in the language whose
    record is stale, or in both if none is."""
    pages = Pages(root)
    pages.recording = True
    languages = recorded.stale(name, root) or recorded.LANGUAGES
    try:
        for language in languages:
            recorded.keep(name, run(name, language)[0], root, language)
        for path in pages.all():
            for kind, asked, old in BLOCK.findall(path.read_text(encoding="utf-8")):
                if (kind == "picture" and asked.rpartition(" ")[0] == name
                        and language_of(path) in languages):
                    pages.picture(asked, old, path, check=False)
    finally:
        forget_runs()
    return refresh(root)


def main(arguments: list[str]) -> int:
    lessons = sorted(path.parent.name for path in ROOT.glob("chapters/*/main.cpp"))
    parser = Flags("docs", description="write code, output and pictures into the pages of docs/")
    one = parser.add_mutually_exclusive_group()
    one.add_argument("--check", action="store_true", help="has anything drifted? changes nothing")
    one.add_argument("--record", metavar="NAME", choices=[*lessons, "digits"],
                     help="run the lesson NAME and keep the digests of all that it writes. If it "
                     "trains, what it prints is kept as well, in the languages whose record is "
                     "stale, or in both if none is. digits: keep the digests of all lessons "
                     "(./learn test --long digits)")
    one.add_argument("--translated", metavar="NAME",
                     help="mark the Chinese page NAME as up to date with the English one")
    typed = parser.parse_args(arguments)
    if typed.translated is not None:
        mark_translated(typed.translated)
    elif typed.record == "digits":
        recorded.keep_digests(recorded.LESSONS)
    else:
        trains = typed.record in recorded.names(ROOT)
        complaints = record(typed.record) if trains else refresh(check=typed.check)
        if typed.record in recorded.LESSONS:
            recorded.keep_digests([typed.record])
        for complaint in complaints:
            say(complaint)
        return 1 if complaints else 0
    return 0

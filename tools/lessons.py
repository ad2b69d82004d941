"""Running the chapters: every lesson in order, or one program with arguments."""

from __future__ import annotations

import contextlib
import difflib
import os
import re
import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

from tools import setup
from tools.book import index_page
from tools.checks import claims
from tools.exercises import manifest, mine, own_page, own_parts
from tools.language import chinese
from tools.terminal import (BIN, OUT, ROOT, Stop, bold, fitted, is_terminal, quiet_environment,
                            said, say, say_what_is_unset, shown, timed, width)


TRACED = "02_attention"  # short, with a backward pass: its trace makes a page to step through


@dataclass
class Lesson:
    """The run of one chapter's lesson."""

    name: str
    status: int
    seconds: float
    text: str
    pictures: list[Path]

    @property
    def findings(self) -> list[str]:
        """The lines in which the lesson states its findings: they begin with `=> `."""
        return [line[3:].strip() for line in self.text.splitlines() if line.startswith("=> ")]


# ---- chapters ------------------------------------------------------------------------------------


# What the pages of chapters without a lesson show: a program, and its arguments.
SHOWN = {"10_speed": ("bench", "roofline"),
         "11_gpu": ("bench", "steps", "--device", "cuda-emulated")}


def numbered() -> list[str]:
    """All chapters, in order: 00_foundations, 01_embedding, …"""
    return sorted({*chapters(), *SHOWN})


def chapters() -> list[str]:
    """The chapters that have a lesson, in order: 01_embedding, 02_attention, …"""
    found = (path.parent.name for path in (ROOT / "chapters").glob("*/main.cpp"))
    return sorted(name for name in found if re.match(r"\d\d_", name))


def chapter(wanted: str) -> str:
    """The chapter called `wanted`: 7, 07, transformer or 07_transformer."""
    known = numbered()
    for name in known:
        number, title = name.split("_", 1)
        if wanted in (name, title, number, str(int(number))):
            return name
    near = difflib.get_close_matches(wanted, known + [name[3:] for name in known], 1, 0.4)
    if near:
        raise Stop(f"chapter '{wanted}': no such chapter; did you mean {near[0]}?", 2)
    raise Stop(f"chapter '{wanted}': no such chapter; there are {', '.join(known)}", 2)


def run_chapter(wanted: str, arguments: list[str]) -> int:
    """Replaces this process by the chapter's program, so that Ctrl-C and pipes reach it directly;
    with --seeds N, prints a table of the lesson's claims."""
    name = chapter(wanted)
    program, *shown_there = SHOWN.get(name, (name,))
    if claims.asked_for(arguments) and name in SHOWN:
        raise Stop(f"chapter {wanted}: --seeds checks what a lesson claims, but this chapter has "
                   "no lesson", 2)
    with contextlib.redirect_stdout(sys.stderr):  # standard output is reserved for the program
        setup.set_up(setup.PACKAGES, [program])
    if claims.asked_for(arguments):
        return claims.main(name, arguments)
    if not arguments:
        os.chdir(ROOT)
    become(program, [*shown_there, *arguments])


def become(program: str, arguments: list[str]) -> None:
    """File names on the command line are relative to the learner's current folder; default output
    still goes to out/ in the checkout."""
    sys.stdout.flush()
    os.execve(BIN / program, [str(BIN / program), *arguments],
              {**quiet_environment(), "XF_OUT": os.path.relpath(OUT)})


def capstones() -> dict[str, str]:
    """The names of the capstones by the letter of their milestones: {"A": "language_model"}."""
    return {one.id[0]: Path(one.folder).parent.name for one in manifest.milestones()}


def run_capstone(wanted: str, arguments: list[str]) -> int:
    """Replaces this process by the program built from the learner's milestones."""
    known = capstones()
    name = known.get(wanted.upper(), wanted)
    if name not in known.values():
        there = ", ".join(f"{letter} {each}" for letter, each in known.items())
        raise Stop(f"capstone '{wanted}': no such capstone; there are {there}", 2)
    program, zh = f"capstone_{name}", chinese(arguments)
    with contextlib.redirect_stdout(sys.stderr):
        mine.move_over(manifest.everything(), zh)
        for milestone in manifest.milestones():
            if capstones()[milestone.id[0]] == name:
                mine.begin(milestone, zh)
        setup.set_up(setup.PACKAGES, [program])
    become(program, arguments)


# ---- all lessons ---------------------------------------------------------------------------------


def run_all() -> int:
    names = chapters()
    if not names:
        raise Stop("chapters/ holds no program: is this the whole repository?")
    say(bold(said("Setting up")))
    is_new = setup.set_up(setup.PACKAGES, names[:1])
    say_what_is_unset()
    say(bold(said("Lessons")))
    lessons = []
    with setup.built_meanwhile(names[1:]) as wait_for:  # builds while the first results can be read
        for name in names:
            is_busy = bool(lessons) and wait_for(name)  # threads spin while waiting, so use one
            lessons.append(run_lesson(name, ["--threads", "1"] if is_busy else []))
            if is_new and name == names[0]:
                say(f"  {said('to read it meanwhile'):<22} {shown(OUT / name / 'lesson.txt')}")
    page = index_page.write(lessons, numbered())
    own_page.write({one.id for one in own_parts.own_parts(manifest.manifest())})
    say()
    say(summary(lessons, page))
    return 1 if any(lesson.status for lesson in lessons) else 0


def run_lesson(name: str, flags: Sequence[str] = ()) -> Lesson:
    log = OUT / name / "lesson.txt"
    begin = time.time() - 1  # file times may lag slightly behind the clock
    command = [str(BIN / name), *flags]
    if name == TRACED:
        command += ["--trace-page", str(OUT / name / "trace.html")]
    status, seconds = timed(name, command, log)
    text = log.read_text(encoding="utf-8", errors="replace")
    outcome = said("done") if status == 0 else said("FAILED: ") + said(ending(status))
    say(f"  {name:<22} {seconds:5.1f} s   {outcome}")
    if status != 0:
        say("\n".join("      " + line for line in text.splitlines()[-5:]))
    return Lesson(name, status, seconds, text, pictures(OUT / name, begin))


def pictures(folder: Path, since: float) -> list[Path]:
    """The pictures below the folder that were drawn after `since`, in the lesson's order, without
    files of older runs, and without PNGs that have an SVG."""
    files = (path for path in folder.rglob("*") if path.suffix == ".svg" or
             (path.suffix == ".png" and not path.with_suffix(".svg").is_file()))
    return sorted((path for path in files if path.stat().st_mtime >= since),
                  key=lambda path: (path.stat().st_mtime_ns, path))


def ending(status: int) -> str:
    return f"exit {status}" if status >= 0 else f"killed by signal {-status}"


# ---- the last screen -----------------------------------------------------------------------------


def summary(lessons: list[Lesson], page: Path) -> str:
    """What ran, what it found, where the pictures are, and what to type next, on one screen."""
    total = sum(lesson.seconds for lesson in lessons)
    failed = [lesson.name for lesson in lessons if lesson.status]
    drawn = sum(len(lesson.pictures) for lesson in lessons)
    lines = [bold(said(f"Transformer by Hand: {index_page.number_of(lessons)} in {total:.0f} s"))]
    if failed:
        lines.append(f"  failed: {', '.join(failed)}")
    lines += findings(lessons)
    everything = said(f"every lesson and its pictures ({drawn}) on one page")
    lines += ["", bold(said("To look at")), f"  {shown(page):<34} {everything}",
              f"  {'out/NN_name/lesson.txt':<34} {said('one lesson as text')}",
              "", bold(said("Next")), *next_commands()]
    return "\n".join(lines)


def findings(lessons: list[Lesson]) -> list[str]:
    """The last findings of each lesson: two of each if they fit on the screen, otherwise one."""
    room = shutil.get_terminal_size((100, 40)).lines if is_terminal() else 100
    each = 2 if room >= 2 * len(lessons) + 14 else 1
    lines = []
    for lesson in lessons:
        shown_last = lesson.findings[-each:] or [f"(see {shown(OUT / lesson.name)}/lesson.txt)"]
        for title, text in zip([lesson.name] + [""] * each, shown_last):
            lines.append(fitted(f"  {title:<20} {text}", width()))
    return lines


def next_commands() -> list[str]:
    rows = [("./learn chapter 2", "read one lesson again, in the terminal"),
            ("./learn chapter 7 train --help", "train a translator of your own"),
            ("./learn chapter 8 train --help", "train a language model of your own"),
            ("./learn mine", "the Transformer, with your own code wherever it passes"),
            ("./learn data", "real corpora: which are here, where to find them"),
            ("./learn test", "the checks: gradients, parity with PyTorch, the rules")]
    return [f"  {command:<34} {said(meaning)}" for command, meaning in rows]

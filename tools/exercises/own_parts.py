"""`./learn mine`: the model as it is made of the learner's parts, and chapter 7's program made of
them. A part is an exercise with an adapter in exercises/mine/adapters; it is the learner's when the
file in my/ passes as it is, else the book's."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable

from tools import setup
from tools.book import whole
from tools.exercises import manifest as course, mine, variants
from tools.exercises.build import compile_to, digest, first_errors
from tools.exercises.explain import next_step
from tools.exercises.manifest import Exercise
from tools.language import chinese, in_language, tell
from tools.terminal import (BIN, BUILD, OUT, ROOT, Doing, Flags, Stop, columns_of, in_turn, painted,
                            quiet_environment, say, shown, write_file)

ADAPTERS = ROOT / "exercises" / "mine" / "adapters"
PLACE = ROOT / "build" / "mine"
MODEL, BEFORE, LANGUAGE = (OUT / "mine" / name for name in ("model", "before", "language"))
KEPT_LIBRARIES = 200


@dataclass(frozen=True)
class Box:
    """Of the drawing: what it is called, which boxes of tools/book/whole.py it is, and the
    exercises that it is made of."""

    name: str
    parts: tuple[str, ...]
    exercises: tuple[str, ...]


BOXES = {box.name: box for box in (
    Box("embedding", ("source_embedding", "target_embedding"), ("01-01", "01-03")),
    Box("positions", ("source_positions", "target_positions"), ("01-02",)),
    Box("self-attention", ("encoder_attention",), ("02-01", "02-04", "02-05", "05-03")),
    Box("masked attention", ("decoder_attention",), ("06-01", "02-02", "02-03")),
    Box("cross attention", ("cross_attention",), ("02-01", "02-04", "02-05")),
    Box("add & norm", ("encoder_norm_1", "encoder_norm_2", "decoder_norm_1", "decoder_norm_2",
                       "decoder_norm_3"), ("03-01", "03-02")),
    Box("feed-forward", ("encoder_feed_forward", "decoder_feed_forward"), ("04-01", "04-02")),
    Box("dropout", (), ("04-04",)),
    Box("encoder layer", ("encoder",), ("05-01",)),
    Box("decoder layer", ("decoder",), ("06-02",)),
    Box("logits", ("linear",), ("07-02",)),
    Box("loss", ("softmax",), ("07-01", "07-04")),
    Box("clipping", (), ("00-04",)),
    Box("Adam", (), ("07-05",)),
    Box("learning rate", (), ("07-06",)),
    Box("greedy search", (), ("06-04",)),
    Box("beam search", (), ("07-07",)),
    Box("BLEU", (), ("07-09",)),
)}


def part_ids() -> list[str]:
    return sorted(path.stem for path in ADAPTERS.glob("*.cpp"))


def own_parts(exercises: Iterable[Exercise]) -> list[Exercise]:
    """The parts that are the learner's: their files pass as they are."""
    kept, parts = course.progress(), set(part_ids())
    return [e for e in exercises if e.id in parts and e.answer.is_file() and course.passes(e, kept)]


# ---- the drawing ---------------------------------------------------------------------------------

COLUMN = 34  # of a box in the terminal, its frame included
MARKS = {2: ("[x]", "green"), 1: ("[~]", "yellow"), 0: ("[ ]", "dim")}
# From above: what the decoder's side shows, and the encoder's beside it.
ROWS = (("", "loss"), ("", "logits"), ("", "decoder layer"),
        ("encoder layer", "add & norm"), ("add & norm", "feed-forward"),
        ("feed-forward", "add & norm"), ("add & norm", "cross attention"),
        ("self-attention", "add & norm"), ("", "masked attention"),
        ("positions", "positions"), ("embedding", "embedding"))
BESIDE = (("dropout", "clipping", "Adam", "learning rate"),
          ("greedy search", "beam search", "BLEU"))


def light_of(box: Box, own: set[str]) -> int:
    """2: all of it is the learner's, 1: some, 0: nothing."""
    count = sum(exercise in own for exercise in box.exercises)
    return 2 if count == len(box.exercises) else 1 if count else 0


def cell(name: str, own: set[str], zh: bool, columns: int) -> str:
    if not name:
        return " " * columns
    mark, style = MARKS[light_of(BOXES[name], own)]
    text = f"{mark} {in_language(name, zh)}"
    blanks = " " * max(0, columns - columns_of(text))
    return painted(text, style) + blanks


def draw(own: set[str], zh: bool) -> None:
    line, none = "+" + "-" * (COLUMN - 2) + "+", " " * COLUMN
    say(" " * (COLUMN + 4) + in_language("the next words", zh))
    for left, right in ROWS:
        if right == "decoder layer":
            say(f"  {none}{line}")
        if left in ("encoder layer", "positions"):
            say(f"  {line}{line}")
        beside = none if not left and right != "masked attention" else framed(left, own, zh)
        say("  " + beside + framed(right, own, zh))
    say(f"  {line}{line}")
    below = in_language("the source", zh)
    say("    " + below + " " * (COLUMN - columns_of(below)) + in_language("the words so far", zh))
    for title, names in zip(("in training", "in translating"), BESIDE):
        say(f"  {in_language(title, zh)}  " + "   ".join(cell(name, own, zh, 0) for name in names))


def framed(name: str, own: set[str], zh: bool) -> str:
    return f"| {cell(name, own, zh, COLUMN - 4)} |"


def next_box(own: set[str]) -> tuple[Box, list[str]] | None:
    """The box that fewest exercises are missing of, and these."""
    missing = {box.name: [e for e in box.exercises if e not in own] for box in BOXES.values()}
    open_ones = [name for name in missing if missing[name]]
    if not own:  # the first exercise of all
        return BOXES["embedding"], missing["embedding"]
    name = min(open_ones, key=lambda name: len(missing[name]), default=None)
    return (BOXES[name], missing[name]) if name else None


def write_page(own: set[str], zh: bool) -> Path:
    """The same drawing as a page, and the boxes with the exercises that they are made of."""
    lit = tuple(part for box in BOXES.values() if light_of(box, own) == 2 for part in box.parts)
    rows = "".join(
        f"<tr><td>{MARKS[light_of(box, own)][0]}</td><td>{in_language(box.name, zh)}</td><td>"
        + ", ".join(f"<b>{one}</b>" if one in own else one for one in box.exercises) + "</td></tr>"
        for box in BOXES.values())
    title = in_language("Your own Transformer", zh)
    page = OUT / "mine" / "index.html"
    page.parent.mkdir(parents=True, exist_ok=True)
    write_file(page, f"<!DOCTYPE html>\n<html lang={'zh-CN' if zh else 'en'}><meta charset=utf-8>"
               "<meta name=viewport content='width=device-width'>"
               f"<title>{title}</title><style>body{{font-family:sans-serif;margin:1em auto;"
               "max-width:60em;padding:0 1em;display:flex;flex-wrap:wrap;gap:2em}"
               "svg{max-width:100%;height:auto}td{padding:.2em .6em}</style>"
               f"<div><h1>{title}</h1>{whole.svg(ROOT, lit=lit)}</div>"
               f"<table>{rows}</table></html>\n")
    return page


def show(zh: bool) -> int:
    exercises = course.manifest()
    own = {e.id for e in own_parts(exercises)}
    draw(own, zh)
    lit = sum(light_of(box, own) == 2 for box in BOXES.values())
    tell(f"{lit} of {len(BOXES)} boxes are yours, {len(own)} of {len(part_ids())} parts", zh)
    tell(f"  page      {shown(write_page(own, zh))}", zh)
    tell("  marks     [x] all of it is yours   [~] a part of it   [ ] the book's", zh)
    for exercise in exercises:
        if exercise.id in part_ids() and exercise.id not in own and exercise.touched:
            tell(f"  open      {shown(exercise.answer)} does not pass as it is", zh)
    following = next_box(own)
    if following:
        box, missing = following
        tell(f"  write     {', '.join(missing)} for the box '{in_language(box.name, zh)}'", zh)
        next_step(f"task {missing[0]}", zh)
    else:
        next_step("mine train", zh)
    return 0


# ---- the program ---------------------------------------------------------------------------------


def flags_of_parts() -> list[str]:
    """As the program itself is compiled, but for the headers that its ops alone are to see."""
    listed = json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8"))
    entry = next(one for one in listed if one["file"].endswith("exercises/mine/parts.cpp"))
    words = shlex.split(entry["command"])
    while words and not words[0].startswith("-") and len(words) > 1 and "ccache" in words[0]:
        words = words[1:]
    flags = [word for word in words[1:words.index("-o")] if not word.endswith("instead_of_ops")
             and not word.startswith(("-Werror", "-g", "-O"))]
    return [words[0], *flags, "-w", "-fPIC"]


def libraries(answers: dict[str, Path], zh: bool, level: str = "-O2") -> list[Path]:
    """A library for each of these files, compiled where it has changed."""
    if not answers:
        return []
    flags = [*flags_of_parts(), level]
    headers = [*sorted((ROOT / "exercises" / "mine").rglob("*.hpp")),
               *sorted((ROOT / "chapters").glob("*/*.hpp")),
               *sorted((ROOT / "common" / "tensor").glob("*.hpp")),
               *sorted((ROOT / "exercises" / "support").glob("*.hpp"))]
    place = PLACE / digest(flags, *headers)
    for old in PLACE.glob("*") if not place.is_dir() else ():  # of an older program
        if old.is_dir():
            shutil.rmtree(old, ignore_errors=True)
    place.mkdir(parents=True, exist_ok=True)
    kit, header = place / "kit.hpp", place / "kit.hpp.gch"
    write_file(kit, '#include "support/kit.hpp"\n#include "mine/parts.hpp"\n')
    with in_turn(PLACE / "lock"), Doing(in_language("compiling your parts", zh),
                                        len(answers) + 1) as doing:
        must_compile("exercises/mine/parts.hpp", compile_to(
            header, [*flags, "-x", "c++-header", str(kit)]))
        doing.tick()
        found, folders = [], {one.id: one.path for one in course.manifest()}
        for part, answer in answers.items():
            adapter, folder = ADAPTERS / f"{part}.cpp", folders[part]
            named = digest(answer, adapter, folder / "exercise.hpp")
            found.append(place / f"{part}-{named}.so")
            must_compile(shown(answer), compile_to(found[-1], [
                *flags, "-shared", "-I" + str(folder), "-include", str(kit),
                "-include", str(answer), str(adapter)]))
            doing.tick()
    made = sorted(place.glob("*.so"), key=lambda path: path.stat().st_mtime)
    for old in made[:-KEPT_LIBRARIES]:
        old.unlink(missing_ok=True)
    return found


def must_compile(what: str, complaints: str) -> None:
    if complaints:
        raise Stop(f"{what} does not compile as a part of the model:\n" + first_errors(complaints))


def environment(parts: list[Path], **more: str) -> dict[str, str]:
    return {**quiet_environment(), "XF_OUT": os.path.relpath(OUT),
            "XF_PARTS": ":".join(map(str, parts)), **more}


def built() -> Path:
    """The program; made by whoever says where programs are, else here."""
    if os.environ.get("XF_BIN"):
        return Path(os.environ["XF_BIN"]) / "mine"
    with contextlib.redirect_stdout(sys.stderr):
        setup.set_up(setup.PACKAGES, ["mine"])
    return BIN / "mine"


def training_flags(given: list[str]) -> list[str]:
    """What a training is told that was not told otherwise: of the little language of lesson 7, and
    of a model as the exercises have it."""
    usual = {"--d-model": "64", "--d-ff": "256", "--heads": "4", "--layers": "2",
             "--dropout": "0.1", "--inner-dropout": "0", "--norm": "pre", "--tied-output": "",
             "--no-output-bias": "", "--schedule": "noam", "--lr": "0.004", "--warmup": "200",
             "--clip": "1", "--updates": "600", "--batch-tokens": "512", "--average": "1"}
    if not {"--pairs", "--src"} & names_of(given):
        usual.update({"--pairs": str(LANGUAGE / "train.tsv"), "--bleu-tokens": "none",
                      "--valid-pairs": str(LANGUAGE / "valid.tsv")})
    if "--resume" in given:
        usual = {}
    usual["--out"] = str(MODEL)
    flags = [word for name, value in usual.items() if name not in names_of(given)
             for word in (name, value) if word]
    return [*flags, *given]


def names_of(arguments: list[str]) -> set[str]:
    return {argument.partition("=")[0] for argument in arguments}


def make_language(program: Path) -> None:
    if not (LANGUAGE / "test.tsv").is_file():
        subprocess.run([program, "language", "--out", str(LANGUAGE)], check=True,
                       env=environment([]))


def say_parts(own: list[Exercise], zh: bool) -> None:
    tell(f"  parts     {len(own)} of {len(part_ids())} are yours"
         + (f": {', '.join(exercise.id for exercise in own)}" if own else ""), zh)


def run(command: str, rest: list[str], zh: bool) -> int:
    """Chapter 7's program with the learner's parts."""
    needs_model = command not in ("train", "compare") and "--model" not in names_of(rest)
    if needs_model and not {"--help", "-h"} & set(rest):
        if not MODEL.is_dir():
            raise Stop("there is no model of yours yet\n  next      ./learn mine train", 2)
        rest = ["--model", str(MODEL), *rest]
    own = own_parts(course.manifest())
    program = built()
    with contextlib.redirect_stdout(sys.stderr):
        parts = libraries({exercise.id: exercise.answer for exercise in own}, zh)
        say_parts(own, zh)
    if command == "train":
        make_language(program)
        if not {"--out", "--resume", "--help", "-h"} & names_of(rest) and MODEL.is_dir():
            shutil.rmtree(BEFORE, ignore_errors=True)
            MODEL.replace(BEFORE)  # the model of the parts as they were
        rest = training_flags(rest)
    elif command == "compare":
        rest = rest if "--out" in names_of(rest) else ["--out", str(OUT / "mine"), *rest]
    sentences = [] if command != "translate" else loose_words(rest)
    arguments = [word for word in rest if word not in sentences]
    if sentences:
        return subprocess.run([program, command, *arguments], env=environment(parts),
                              input="\n".join(sentences) + "\n", text=True).returncode
    sys.stdout.flush()
    os.execve(program, [str(program), command, *arguments], environment(parts))


def loose_words(arguments: list[str]) -> list[str]:
    """The sentences among the arguments: what is no flag, nor the value of one."""
    found, after_flag = [], False
    for argument in arguments:
        is_flag = argument.startswith("--")
        if not is_flag and not after_flag:
            found.append(argument)
        after_flag = is_flag and "=" not in argument
    return found


COMMANDS = ("train", "translate", "evaluate", "score", "attend", "compare")


def main(arguments: list[str]) -> int:
    zh = chinese(arguments)
    words = [word for word in arguments if word not in ("--zh", "--en")]
    course.SEED = variants.course_seed()
    with contextlib.redirect_stdout(sys.stderr):
        mine.move_over(course.everything(), zh)
    if not words or words[0].startswith("-"):
        Flags("mine").parse_args(arguments)
        return show(zh)
    if words[0] not in COMMANDS:
        raise Stop(f"mine: '{words[0]}' is none of {', '.join(COMMANDS)}\n"
                   "  next      ./learn mine", 2)
    return run(words[0], words[1:], zh)

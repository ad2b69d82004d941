"""`./learn mine`: shows the models with the learner's parts marked, and runs chapter 7's program
and chapter 9's `generate` built from them. A part is an exercise in the table of
exercises/mine/parts.hpp; it is the learner's if the file in my/ passes as it is, otherwise the
book's."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Iterable

from tools import setup
from tools.book import live_file
from tools.exercises import history, manifest as course, mine, own_page, variants
from tools.exercises.boxes import BOXES, PARTS, boxes, draw, exercises_of, light_of, next_box
from tools.exercises.build import (SUPPORT, compile_to, digest, first_errors, forget_all_but,
                                   sources_of)
from tools.exercises.explain import next_step
from tools.exercises.manifest import Exercise
from tools.language import chinese, in_language, listed, tell
from tools.terminal import (BIN, BUILD, OUT, ROOT, Doing, Flags, Stop, in_turn, quiet_environment,
                            run_here, shown, write_file)

MINE = ROOT / "exercises" / "mine"
ADAPTER = MINE / "adapters" / "take_part.cpp"
DECLARED = re.compile(r'^  Part<.*> (\w+)\{"(\d\d-\d\d)"\};', re.M)
PLACE = ROOT / "build" / "mine"
MODEL, BEFORE, ASIDE, LANGUAGE, PAGE = (
    OUT / "mine" / name for name in ("model", "before", "aside", "language", "page.html"))
PUBLISHED_MODEL = OUT / "data" / "smollm2"
KEPT_LIBRARIES, KEPT_PROGRAMS = 200, 4


def assignments() -> dict[str, str]:
    """For each exercise that is a part, the statements that put its functions into the table, where
    they have the same names; adapters/take_part.cpp has others for types of the exercise's own."""
    found: dict[str, str] = {}
    for name, part in DECLARED.findall((MINE / "parts.hpp").read_text(encoding="utf-8")):
        found[part] = found.get(part, "") + f"parts.{name}.of = xf::exercise::{name};"
    return found


def own_parts(exercises: Iterable[Exercise]) -> list[Exercise]:
    """The parts for which the learner's file, in its current version, passes. A course's variants
    of published exercises are left out, as the models cannot use them."""
    passing = history.passing(exercises)
    return [exercise for exercise in exercises if exercise.id in PARTS & passing]


def show(zh: bool) -> int:
    exercises = course.manifest()
    passing = history.passing(exercises)
    own = PARTS & passing
    draw(own, zh)
    lit = sum(light_of(box, own) == 2 for box in BOXES.values())
    tell(f"{lit} of {len(BOXES)} boxes are yours, {len(own)} of their {len(PARTS)} "
         "exercises pass", zh)
    tell(f"  page      {shown(own_page.write(own))}", zh)
    tell("  marks     [x] all of it is yours   [~] a part of it   [ ] the book's", zh)
    begun = [e for e in exercises if e.id in PARTS - own and e.touched]
    varied = [e.id for e in begun if e.variant]
    unpassed = [e.id for e in begun if not e.variant]
    if varied:
        tell("  open      another exercise in your course, so the book's code is used: "
             f"{listed(varied, zh)}", zh)
    if unpassed:
        tell(f"  open      this version has not passed: {listed(unpassed, zh)}; ./learn try "
             f"{unpassed[0]}", zh)
    reached = [one for one in history.STATIONS if light_of(one, passing) == 2]
    if reached:
        tell(f"  run       ./learn mine {reached[-1].command}: "
             f"{in_language(reached[-1].title, zh)}", zh)
    last = course.current(exercises)
    following = next_box(own, last.id if last else "")
    if following:
        box, missing = following
        tell(f"  write     {listed(missing, zh)} for the box '{in_language(box.name, zh)}'", zh)
        next_step(f"task {missing[0]}", zh)
    else:
        next_step("mine generate --prompt \"The capital of France is\"" if MODEL.is_dir()
                  else "mine train", zh)
    return 0


# ---- the program ---------------------------------------------------------------------------------


def flags_of_parts() -> list[str]:
    """The compiler flags of the program's source that is compiled as the parts are."""
    listed = json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8"))
    entry = next(one for one in listed if one["file"].endswith("exercises/mine/parts.cpp"))
    words = shlex.split(entry["command"])
    if "ccache" in words[0]:
        del words[0]
    flags = [word for word in words[1:words.index("-o")]
             if not word.startswith(("-Werror", "-g", "-O"))]
    return [words[0], *flags, "-w", "-fPIC"]


def libraries(answers: dict[str, Path], zh: bool, level: str = "-O2") -> list[str]:
    """Compiles each answer into a shared library unless it is up to date. Returns one
    "library=source" argument per answer."""
    if not answers:
        return []
    flags = [*flags_of_parts(), level, "-g1"]
    place = PLACE / digest(flags, *sources_of(MINE, SUPPORT, ROOT / "common" / "tensor",
                                              kinds=("*.hpp", ADAPTER.name)),
                           *sorted(ROOT.glob("chapters/*/*.hpp")))
    with in_turn(PLACE / "lock"), ThreadPoolExecutor(setup.parallel_jobs()) as pool, \
            Doing(in_language("compiling your parts", zh), len(answers) + 1) as doing:
        forget_all_but(KEPT_PROGRAMS, (path for path in PLACE.glob("*") if path.is_dir()))
        place.mkdir(exist_ok=True)
        os.utime(place)
        make_kit(place, flags)
        doing.tick()
        folders = {one.id: one.path for one in course.manifest()}

        def compiled(part: str) -> str:
            answer, folder = answers[part], folders[part]
            named = digest([str(answer)], answer, folder / "exercise.hpp")
            library = place / f"{part}-{named}.so"
            must_compile(shown(answer), compile_to(library, [
                *flags, *flags_of_library(place, part, folder, str(answer))]))
            doing.tick()
            return f"{library}={answer}"

        found = list(pool.map(compiled, answers))
    forget_all_but(KEPT_LIBRARIES, place.glob("*.so"))
    return found


def make_kit(place: Path, flags: list[str]) -> None:
    """Puts into the folder what all libraries need: a precompiled header, and the adapter."""
    kit = place / "kit.hpp"
    write_file(kit, '#include "mine/parts.hpp"\n#include "support/kit.hpp"\n')
    must_compile("exercises/mine/parts.hpp", compile_to(
        place / "kit.hpp.gch", [*flags, "-x", "c++-header", str(kit)]))
    write_file(place / ADAPTER.name, ADAPTER.read_bytes())


def flags_of_library(place: Path, part: str, folder: Path, answer: str) -> list[str]:
    """`place`: where the kit is; `folder`: where the declarations of the exercise are."""
    return ["-shared", f"-I{folder}", "-include", str(place / "kit.hpp"), "-include", answer,
            f"-DXF_PART={int(part.replace('-', ''))}", f"-DXF_SAME={assignments()[part]}",
            str(place / ADAPTER.name)]


def must_compile(what: str, complaints: str) -> None:
    if complaints:
        raise Stop(f"{what} does not compile as a part of the model:\n" + first_errors(complaints))


def environment(parts: list[str], **more: str) -> dict[str, str]:
    return {**quiet_environment(), "XF_OUT": os.path.relpath(OUT),
            "XF_PARTS": ":".join(parts), **more}


def built() -> Path:
    """The program: in the folder of programs given by the environment, otherwise built here."""
    if os.environ.get("XF_BIN"):
        return Path(os.environ["XF_BIN"]) / "mine"
    with contextlib.redirect_stdout(sys.stderr):
        setup.set_up(setup.PACKAGES, ["mine"])
    return BIN / "mine"


def training_flags(given: list[str]) -> list[str]:
    """The flags of a training run, with defaults for those not given: lesson 7's little language as
    the data, and a model like those of the exercises, or after --resume the checkpoint's."""
    usual = {"--d-model": "64", "--d-ff": "256", "--heads": "4", "--layers": "2",
             "--dropout": "0.1", "--inner-dropout": "0", "--norm": "pre", "--tied-output": "",
             "--no-output-bias": "", "--schedule": "noam", "--lr": "0.004", "--warmup": "200",
             "--clip": "1", "--updates": "600", "--batch-tokens": "512", "--average": "1"}
    if {"--encoder-layers", "--decoder-layers"} & names_of(given):
        del usual["--layers"]
    if "--resume" in given:
        usual = {}
    if not {"--pairs", "--src"} & names_of(given):
        usual.update({"--pairs": str(LANGUAGE / "train.tsv"), "--bleu-tokens": "none",
                      "--valid-pairs": str(LANGUAGE / "valid.tsv")})
    usual["--out"] = os.path.relpath(MODEL)
    return with_usual(usual, given)


def with_usual(usual: dict[str, str], given: list[str]) -> list[str]:
    """The arguments, with these flags and values for those not given."""
    flags = [word for name, value in usual.items() if name not in names_of(given)
             for word in (name, value) if word]
    return [*flags, *given]


def names_of(arguments: list[str]) -> set[str]:
    return {argument.partition("=")[0] for argument in arguments}


def make_language(program: Path) -> None:
    if not (LANGUAGE / "test.zh").is_file():
        subprocess.run([program, "language", "--out", str(LANGUAGE)], check=True,
                       env=environment([]))


def say_parts(own: list[Exercise], published: bool, zh: bool) -> None:
    ids = sorted(exercise.id for exercise in own)
    others = sorted({*exercises_of(boxes(published))} - {*ids})
    line = f"  parts     {len(ids)} of {len(ids) + len(others)} are yours"
    if len(ids) > len(others) > 0:
        line += f", all but {listed(others, zh)}"
    elif ids and others:
        line += f": {listed(ids, zh)}"
    tell(line, zh)


def with_model(command: str, rest: list[str]) -> list[str]:
    """The arguments, with the default model if they name none."""
    free = ("train", "compare", *history.LESSONS)
    if command in free or {"--model", "--help", "-h"} & names_of(rest):
        return rest
    model = PUBLISHED_MODEL if command == "generate" else MODEL
    if not model.is_dir():
        raise Stop("mine generate: no model, use --model DIR\n  next      ./learn data get smollm2"
                   if command == "generate" else
                   "you have not trained a model yet\n  next      ./learn mine train", 2)
    return ["--model", os.path.relpath(model), *rest]


def run(command: str, rest: list[str], zh: bool) -> int:
    """Runs chapter 7's program, or chapter 9's, with the learner's parts."""
    rest = with_model(command, rest)
    published = command == "generate" or (command == "compare" and "--model" in names_of(rest))
    wanted = exercises_of(boxes(published))
    own = [exercise for exercise in own_parts(course.manifest()) if exercise.id in wanted]
    program = built()
    with contextlib.redirect_stdout(sys.stderr):
        parts = libraries({exercise.id: exercise.answer for exercise in own}, zh)
        say_parts(own, published, zh)
    if command in ("train", "evaluate", "score"):
        make_language(program)
    if command in ("evaluate", "score") and not {"--src", "--tgt", "--help", "-h"} & names_of(rest):
        usual = {"--src": str(LANGUAGE / "test.en"), "--tgt": str(LANGUAGE / "test.zh")}
        if command == "evaluate":
            usual["--bleu-tokens"] = "none"
        rest = with_usual(usual, rest)
    if command == "train":
        is_held = (MODEL / "lock").exists()  # by a training that runs: the program refuses another
        if not {"--out", "--resume", "--help", "-h"} & names_of(rest) and MODEL.is_dir() \
                and not is_held:
            MODEL.replace(ASIDE)  # until settle()
        rest = training_flags(rest)
        with contextlib.redirect_stdout(sys.stderr):
            tell("  then      ./learn mine translate \"SENTENCE\", ./learn mine page", zh)
    elif command in history.LESSONS:
        rest = with_usual({"--out": os.path.relpath(OUT / "mine" / command)}, rest)
    sentences, arguments = split_words(rest) if command == "translate" else ([], rest)
    code = run_here([str(program), command, *arguments], environment(parts),
                    "".join(sentence + "\n" for sentence in sentences))
    settle()
    return code


def settle() -> None:
    """The model that was put aside becomes the one before if the training in its place has begun,
    and the model again if that was refused."""
    begun = any(MODEL.glob("*.safetensors"))  # a training saves its state at once
    place = BEFORE if begun else MODEL
    if begun and not (ASIDE / live_file.WEIGHTS).exists():  # interrupted before it had any
        shutil.rmtree(ASIDE, ignore_errors=True)
    elif ASIDE.is_dir() and (begun or not (MODEL / "lock").exists()):
        shutil.rmtree(place, ignore_errors=True)
        ASIDE.replace(place)


def split_words(arguments: list[str]) -> tuple[list[str], list[str]]:
    """The sentences among the arguments, and the others: the flags and their values."""
    sentences, others = [], []
    for before, word in zip(["", *arguments], arguments):
        is_value = before.startswith("--") and "=" not in before and before != "--trace"
        (others if is_value or re.match("--|-h$", word) else sentences).append(word)
    return sentences, others


COMMANDS = ("train", "translate", "evaluate", "score", "attend", "compare", "page", "history",
            *history.LESSONS, "generate")


def main(arguments: list[str]) -> int:
    zh = chinese(arguments)
    words = [word for word in arguments if word not in ("--zh", "--en")]
    course.SEED = variants.course_seed()
    with contextlib.redirect_stdout(sys.stderr):
        mine.move_over(course.everything(), zh)
    settle()
    if not words or words[0].startswith("-"):
        Flags("mine").parse_args(arguments)
        return show(zh)
    if words[0] not in COMMANDS:
        raise Stop(f"mine: '{words[0]}' is not one of {', '.join(COMMANDS)}\n  next      ./learn "
                   "mine", 2)
    if words[0] == "page":
        rest = [*with_model("page", words[1:]), "--zh" if zh else "--en"]
        return live_file.main(with_usual({"--out": str(PAGE)}, rest))
    if words[0] == "history":
        Flags("mine").parse_args(words[1:])
        return history.show(zh)
    return run(words[0], with_usual({"--language": "zh" if zh else "en"}, words[1:]), zh)

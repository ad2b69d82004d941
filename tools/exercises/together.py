"""Compiles many exercises as one program, so that all of them can be judged at every commit.

Most of the work of the compiler and the linker is the same for every exercise. So the tests of
several become one source, and so do all their answers: the solutions, the skeletons and one mutant
of each. There every answer has a namespace of its own, with an `xf` in it that hides the outer one
and imports all its names. From the object file of all answers one is made for each kind, the
solutions for instance, in which these have the names that the tests call. As everywhere, the tests
of an exercise run alone: the program is told whose tests to run. The compiler flags are exactly
those for a learner's file, and an exercise sees no header that it does not include itself, since
exercises with more includes come after it. If this does not compile, or an exercise does not do
what it must, it is judged again on its own, so that messages never refer to the joined sources.
"""

from __future__ import annotations

import contextlib
import re
import subprocess
from pathlib import Path
from typing import Callable, Dict, List

from tools.exercises.build import (CHECKED, COMPILER, FLAGS, Kit, compile_to, compiled, digest,
                                   flags_of_answer, is_made)
from tools.exercises.manifest import Exercise
from tools.terminal import ROOT, write_file

MOST = 8  # exercises: enough to make the shared work negligible, and to give every processor some
INCLUDE = re.compile(r"^#include ([<\"])([^>\"]+)[>\"].*\n?", re.M)
CALLED = "of_"  # how a namespace begins whose functions the tests call
NAMESPACE = """namespace {kind}{name} {{
namespace xf {{
using namespace ::xf;
namespace exercise {{
using namespace ::xf::exercise;
}}
}}
{text}
}}
"""


Kinds = List[Dict[str, Path]]  # by id, one answer of each exercise


class Odd(Exception):
    """A source that cannot be joined with others."""


class Source:
    """The text of a source with the exercise's own headers inlined, and its other includes."""

    def __init__(self, exercise: Exercise, path: Path, provided: set[str]):
        self.includes: list[str] = []  # neither its own nor precompiled headers
        self.seen: set[Path] = set()
        without = exercise.is_watched and path != exercise.test  # no precompiled header
        self.exercise, self.known = exercise, set() if without else provided
        self.text = self.expanded(path)

    def expanded(self, path: Path) -> str:
        text = path.read_text(encoding="utf-8").replace("#pragma once\n", "\n", 1)

        def included(found: re.Match) -> str:
            own = self.exercise.path / found[2]
            if found[1] == '"' and own.is_file():
                if own in self.seen:
                    return ""
                self.seen.add(own)
                return self.expanded(own)
            if found[2] not in self.known:
                self.includes.append(found[0].strip())
            return "\n"

        text = INCLUDE.sub(included, text)
        if re.search(r"^\s*#(?!line)", text, re.M):
            raise Odd(f"{path.name}: what it tells the preprocessor would reach the others")
        if re.search(r"^namespace xf \{", text, re.M):
            raise Odd(f"{path.name}: what it defines for the engine would be another namespace's")
        return f'#line 1 "{mark(self.exercise)}"\n{text}'


def mark(exercise: Exercise) -> str:
    """The file name that identifies an exercise's tests in a program."""
    return f"{exercise.id}.cpp"


def headers_of(kit: Kit) -> set[str]:
    """The headers in the precompiled one, by all suffixes of their paths: including one of them
    adds nothing."""
    told = subprocess.run([COMPILER, *FLAGS, *CHECKED, "-M", "-x", "c++-header", str(kit.header)],
                          stdout=subprocess.PIPE, text=True).stdout
    parts = [Path(name).parts for name in told.split()]
    return {"/".join(path[at:]) for path in parts for at in range(1, len(path))}


class Together(Kit):
    """A kit for a group of exercises with the same kinds of answers: `kinds` has, by exercise, all
    the solutions, all the skeletons and so on."""

    def __init__(self, kit: Kit, group: list[Exercise], kinds: Kinds, provided: set[str]):
        vars(self).update(vars(kit))
        self.known, self.group, self.kinds, self.provided = {}, group, kinds, provided
        self.written: dict[tuple, tuple[Path, list[str]]] = {}

    def only(self, exercise: Exercise) -> list[str]:
        return [f"--source-file={mark(exercise)}"]

    def parts(self) -> list[Callable[[], object]]:
        """The compile jobs: to be called first, each once, in any order."""
        one = self.group[0]
        return [self.answers, lambda: self.test(one), lambda: self.judging(one)]

    def programs(self) -> list[Callable[[], object]]:
        """The link jobs: to be called after the compile jobs."""
        one = self.group[0]
        return [lambda: self.judge(one),
                *(lambda kind=kind: self.program(one, kind[one.id]) for kind in self.kinds)]

    def test(self, exercise: Exercise) -> tuple[Path, str]:
        return self.joined("test", self.test_flags(), self.tests())

    def judging(self, exercise: Exercise) -> tuple[Path, str]:
        return self.joined("judge", [*self.test_flags(), "-DXF_JUDGE"], self.tests())

    def tests(self) -> list[tuple[Exercise, Path, str]]:
        return [(each, each.test, CALLED) for each in self.group]

    def answers(self) -> tuple[Path, str]:
        return self.joined("answers", flags_of_answer(self.group[0], self.header),
                           [(each, kind[each.id], f"o{number}_") for each in self.group
                            for number, kind in enumerate(self.kinds)])

    def answer(self, exercise: Exercise, source: Path) -> tuple[Path, str]:
        """The object file in which the answers of this kind have the names that the tests call."""
        number = [kind[exercise.id] for kind in self.kinds].index(source)
        together, complaints = self.answers()
        if complaints:
            return Path(), complaints
        target, own = together.with_name(f"{together.stem}-{number}.o"), f"o{number}_"
        if is_made(target):
            return target, ""
        told = subprocess.run(["nm", "-j", together], stdout=subprocess.PIPE, text=True).stdout
        renamed = {name: re.sub(f"(?<=[0-9]){own}", CALLED, name) for name in told.split()}
        list_of_names, fresh = target.with_suffix(".names"), target.with_suffix(".new")
        write_file(list_of_names, "".join(f"{old} {new}\n" for old, new in renamed.items()
                                          if old != new))
        complaints = compiled(["objcopy", f"--redefine-syms={list_of_names}", str(together),
                               str(fresh)], ROOT)
        if not complaints:
            fresh.replace(target)
        return target, complaints

    def joined(self, name: str, flags: list[str], sources: list[tuple[Exercise, Path, str]]
               ) -> tuple[Path, str]:
        """The object file, and the compiler's errors."""
        if name not in self.written:
            text = joint_text(sources, self.provided)
            # Named like an exercise's own file, so that Kit.forget() removes it, too.
            stem = f"{self.group[0].id}-and-more-{digest(self.chapters, text, flags)}"
            path = self.place / f"{stem}.cpp"
            write_file(path, text)
            target = path.with_suffix(".o")
            self.written[name] = target, compile_to(
                target, [COMPILER, *FLAGS, *flags, "-c", str(path)])
        return self.written[name]


def joint_text(sources: list[tuple[Exercise, Path, str]], provided: set[str]) -> str:
    parts = []
    for exercise, path, kind in sources:
        source = Source(exercise, path, provided)
        parts += [*source.includes, NAMESPACE.format(name=re.sub(r"\W", "_", exercise.id),
                                                     kind=kind, text=source.text)]
    return "\n".join(parts)


def groups(kit: Kit, exercises: list[Exercise], kinds: Kinds) -> list[Together]:
    """Groups most of the exercises so that, in each kind of source, each one includes all the
    headers that those before it in its group include."""
    provided = headers_of(kit)
    needs: dict[str, list[set[str]]] = {}
    for each in exercises:
        with contextlib.suppress(Odd):
            needs[each.id] = [set(Source(each, path, provided).includes)
                              for path in (each.test, *(kind[each.id] for kind in kinds))]
    found: list[list[Exercise]] = []

    def fits(group: list[Exercise], exercise: Exercise) -> bool:
        return (len(group) < MOST and group[0].is_watched == exercise.is_watched
                and all(map(set.issubset, needs[group[-1].id], needs[exercise.id])))

    # In the joined source an answer also sees the includes of the kinds before its own.
    joinable = [each for each in exercises if each.id in needs
                and all(map(set.issubset, needs[each.id][1:], needs[each.id][2:]))]
    for each in sorted(joinable, key=lambda each: sum(map(len, needs[each.id]))):
        fitting = [group for group in found if fits(group, each)]
        if fitting and len(found) * MOST >= len(joinable):
            min(fitting, key=len).append(each)
        else:
            found.append([each])
    return [Together(kit, group, kinds, provided) for group in found if len(group) > 1]

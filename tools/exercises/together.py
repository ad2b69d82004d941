"""Compiles many exercises as one program, so that all of them can be judged at every commit.

Most of the work of the compiler and the linker is the same for every exercise. So the tests of
several become one source, and their solutions, their skeletons and one mutant of each become one
source each. There every exercise has a namespace of its own, with an `xf` in it that hides the
outer one and imports all its names. As everywhere, its tests run alone: the program is told whose
tests to run. The compiler flags are exactly those for a learner's file, and an exercise sees no
header that it does not include itself, since exercises with more includes come after it. If this
does not compile, or an exercise does not do what it must, it is judged again on its own, so that
messages never refer to the joined sources.
"""

from __future__ import annotations

import contextlib
import re
import subprocess
from pathlib import Path
from typing import Callable, Dict, List

from tools.exercises.build import (CHECKED, COMPILER, FLAGS, Kit, compile_to, digest,
                                   flags_of_answer)
from tools.exercises.manifest import Exercise
from tools.terminal import write_file

MOST = 8  # exercises: enough to make the shared work negligible, and to give every processor some
INCLUDE = re.compile(r"^#include ([<\"])([^>\"]+)[>\"].*\n?", re.M)
NAMESPACE = """namespace of_{name} {{
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
        return [lambda: self.test(one), lambda: self.judging(one),
                *(lambda kind=kind: self.answer(one, kind[one.id]) for kind in self.kinds)]

    def programs(self) -> list[Callable[[], object]]:
        """The link jobs: to be called after the compile jobs."""
        one = self.group[0]
        return [lambda: self.judge(one),
                *(lambda kind=kind: self.program(one, kind[one.id]) for kind in self.kinds)]

    def test(self, exercise: Exercise) -> tuple[Path, str]:
        return self.joined("test", self.test_flags(), lambda each: each.test)

    def judging(self, exercise: Exercise) -> tuple[Path, str]:
        return self.joined("judge", [*self.test_flags(), "-DXF_JUDGE"], lambda each: each.test)

    def answer(self, exercise: Exercise, source: Path) -> tuple[Path, str]:
        number = [kind[exercise.id] for kind in self.kinds].index(source)
        return self.joined(number, flags_of_answer(exercise, self.header),
                           lambda each: self.kinds[number][each.id])

    def joined(self, name, flags: list[str], choose: Callable[[Exercise], Path]
               ) -> tuple[Path, str]:
        """The object file, and the compiler's errors."""
        if name not in self.written:
            text = joint_text([(each, choose(each)) for each in self.group], self.provided)
            # Named like an exercise's own file, so that Kit.forget() removes it, too.
            stem = f"{self.group[0].id}-and-more-{digest(self.chapters, text, flags)}"
            path = self.place / f"{stem}.cpp"
            write_file(path, text)
            target = path.with_suffix(".o")
            self.written[name] = target, compile_to(
                target, [COMPILER, *FLAGS, *flags, "-c", str(path)])
        return self.written[name]


def joint_text(sources: list[tuple[Exercise, Path]], provided: set[str]) -> str:
    parts = []
    for exercise, path in sources:
        source = Source(exercise, path, provided)
        parts += [*source.includes, NAMESPACE.format(name=re.sub(r"\W", "_", exercise.id),
                                                     text=source.text)]
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

    joinable = [each for each in exercises if each.id in needs]
    for each in sorted(joinable, key=lambda each: sum(map(len, needs[each.id]))):
        fitting = [group for group in found if fits(group, each)]
        if fitting and len(found) * MOST >= len(joinable):
            min(fitting, key=len).append(each)
        else:
            found.append([each])
    return [Together(kit, group, kinds, provided) for group in found if len(group) > 1]

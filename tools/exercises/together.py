"""Many exercises as one program, so that all of them can be judged at every commit.

Most of what a compiler does for an exercise it does for every exercise, and the linker likewise.
So the tests of several become one source, and their solutions, their skeletons and one mutant of
each become one source each. There every exercise has a namespace of its own, with an `xf` in it
that hides the outer one and shows all its names. It runs alone, as everywhere: the program is told
whose tests are meant. What is compiled is what a learner's file is compiled with, flag by flag; and
an exercise sees no header that it does not ask for itself, since those that ask for more come
after it. Where this does not compile, or an exercise does not do what it must, it is judged again
by itself: what is found is never said of the joined sources.
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

MOST = 8  # exercises: enough that the rest no longer matters, and each processor has some
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


Kinds = List[Dict[str, Path]]  # an answer of each exercise, by its id


class Odd(Exception):
    """A source that cannot be joined with others."""


class Source:
    """The text of a source with the exercise's own headers in it, and what else it includes."""

    def __init__(self, exercise: Exercise, path: Path, provided: set[str]):
        self.includes: list[str] = []  # of headers that are neither its own nor there anyhow
        self.seen: set[Path] = set()
        without = exercise.is_watched and path != exercise.test  # the precompiled header
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
    """The name by which a program knows the tests of an exercise."""
    return f"{exercise.id}.cpp"


def headers_of(kit: Kit) -> set[str]:
    """The headers that the precompiled one has, with all that leads to each: asking for one of
    them adds nothing."""
    told = subprocess.run([COMPILER, *FLAGS, *CHECKED, "-M", "-x", "c++-header", str(kit.header)],
                          stdout=subprocess.PIPE, text=True).stdout
    parts = [Path(name).parts for name in told.split()]
    return {"/".join(path[at:]) for path in parts for at in range(1, len(path))}


class Together(Kit):
    """A kit for a group of exercises, whose answers are of the same kinds: `kinds` holds, by
    exercise, all the solutions, all the skeletons and so on."""

    def __init__(self, kit: Kit, group: list[Exercise], kinds: Kinds, provided: set[str]):
        vars(self).update(vars(kit))
        self.known, self.group, self.kinds, self.provided = {}, group, kinds, provided
        self.written: dict[tuple, tuple[Path, list[str]]] = {}

    def only(self, exercise: Exercise) -> list[str]:
        return [f"--source-file={mark(exercise)}"]

    def parts(self) -> list[Callable[[], object]]:
        """What to call first, each once, in any order: it compiles."""
        one = self.group[0]
        return [lambda: self.test(one), lambda: self.judging(one),
                *(lambda kind=kind: self.answer(one, kind[one.id]) for kind in self.kinds)]

    def programs(self) -> list[Callable[[], object]]:
        """What to call then: it links."""
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
        """The object, and the compiler's complaints."""
        if name not in self.written:
            text = joint_text([(each, choose(each)) for each in self.group], self.provided)
            # Kit.forget() takes it for an exercise's own by this name.
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
    """Most of the exercises, so that each asks for all the headers that those before it in its
    group ask for, in each kind of source."""
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

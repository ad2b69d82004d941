"""`./learn verify [--sample] [--record] [ID...]`: is every exercise sound? One line per problem.

A mutant is the solution with one of the mistakes of mistakes.md. With --record it writes the
mutants' results to exercises/mutants.json, which is used to name a learner's mistake. Solutions are
also run with fresh inputs, as in grading. With --sample, which is what `./learn test` uses, many
exercises are compiled as one program (together.py): all their skeletons, all their solutions, one
mutant of each and the first of their variants. For the other mutants the record is trusted if it
was made from the current sources; otherwise all mutants of that exercise are run.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import time
from pathlib import Path

from tools import setup
from tools.exercises import mistakes as mistakes_file, together, variants
from tools.exercises.build import TURNS, Kit, Outcome, first_errors, salt_in_turn
from tools.exercises.manifest import Exercise, everything, find, hints, test_names
from tools.exercises.mistakes import Fault, Mistake
from tools.exercises.run import workers
from tools.exercises.together import Kinds, Together
from tools.exercises.verdict import (as_recorded, is_recorded, record, recorded,
                                     same_mistake)
from tools.terminal import ROOT, Flags, Stop, say, shown

FIXED = {"README.md", "README.zh.md", "exercise.hpp", "skeleton.cpp", "test.cpp", "hints.en.md",
         "hints.zh.md", "zh.po", "mistakes.md", "solution/exercise.cpp"}
PASSES_FROM_THE_START = "01-01"
DRAWS = 12  # of fresh inputs
DRAWS_OF_SAMPLE = TURNS  # so that each size goes far beyond its range once
MODEL_ANSWERS = {"answer.en.md", "answer.zh.md"}  # where a written answer is asked for


def main(arguments: list[str]) -> int:
    parser = Flags("verify")
    parser.add_argument("ids", metavar="ID", nargs="*")
    for flag in ("--record", "--sample"):
        parser.add_argument(flag, action="store_true")
    typed, exercises = parser.parse_intermixed_args(arguments), everything()
    chosen = [find(name, exercises, "verify") for name in typed.ids] or exercises
    start = time.monotonic()
    found = [line for exercise in chosen for line in layout(exercise)] + orphans(exercises)
    if not any("is missing" in line for line in found):
        sound = [exercise for exercise in chosen if not misread(exercise)]
        found += behaviour(Kit(), sound, typed.record, typed.sample and not typed.record)
    for line in found:
        say(f"  {line}")
    count = sum(len(e.mistakes) for e in chosen)
    say(f"{len(chosen)} exercises, {sum(e.tests for e in chosen)} tests, {count} mutants: "
        f"{len(found)} faults ({time.monotonic() - start:.0f} s)")
    return 1 if found else 0


def layout(exercise: Exercise) -> list[str]:
    """The problems that can be found without a compiler."""
    there = {path.relative_to(exercise.path).as_posix()
             for path in exercise.path.rglob("*") if path.is_file()}
    found = [f"{exercise.id}: {name} is missing"
             for name in FIXED - there]
    found += [f"{exercise.id}: {name} belongs to nothing"
              for name in there - FIXED - {"variants.md"} - MODEL_ANSWERS]
    if there & MODEL_ANSWERS:
        found += [f"{exercise.id}: {name} is missing" for name in MODEL_ANSWERS - there]
        found += [f"{exercise.id}: {shown(source)} has no place for an answer, /* Answer: */"
                  for source in (exercise.skeleton, exercise.solution)
                  if "/* Answer:" not in source.read_text(encoding="utf-8")]
    if found:
        return found
    for language, zh in (("en", False), ("zh", True)):
        count = len([text for text in hints(exercise, zh) if text])
        if count != 3:
            found.append(f"{exercise.id}: {count} hints in hints.{language}.md, not 3")
    return found + unnamed(exercise) + misread(exercise)


def unnamed(exercise: Exercise) -> list[str]:
    """Tests without a Chinese name, and names that belong to no test or check."""
    source = (exercise.path / "test.cpp").read_text(encoding="utf-8")
    tests = re.findall(r'^TEST_CASE\("([^"]*)"', source, re.M)
    names = test_names(exercise)
    return ([f"{exercise.id}: zh.po has no name for the test: {name}"
             for name in tests if names.get(name, "").isascii()]
            + [f"{exercise.id}: zh.po names a test that is not there: {name}"
               for name in names if name not in tests and f'"{name}' not in source])


def misread(exercise: Exercise) -> list[str]:
    """What is wrong with the list of mistakes."""
    mistakes, found = mistakes_file.read(exercise.mistakes_file)
    for mistake in mistakes:
        try:
            mistake.lines(exercise.solution)
        except Fault as fault:
            found.append(mistake.told(fault))
    known, faults = variants.read(exercise.path)
    found += faults
    for variant in known:
        try:
            variant.lines(exercise.solution)
            variant.lines(exercise.test, "test.cpp")
        except Fault as fault:
            found.append(variant.told(fault))
        if {block.file for block in variant.blocks} != {"", "test.cpp"}:
            found.append(f"{variant.place}: it changes both the solution and test.cpp")
    if len(known) == 1:
        found.append(f"{exercise.id}: 1 variant, at least 2 are needed, so that seeds differ")
    if len(mistakes) < 2 and not found:
        found.append(f"{exercise.id}: {len(mistakes)} mistakes, at least 2 are needed")
    return found


def orphans(exercises: list[Exercise]) -> list[str]:
    """Folders that are not in the manifest."""
    known = {exercise.path for exercise in exercises}
    ids = [exercise.id for exercise in exercises]
    found = [f"{path.relative_to(ROOT)}: not in exercises/manifest.toml"
             for folders in ("chapters/*/exercises/*", "exercises/capstones/*/[0-9]_*")
             for path in sorted(ROOT.glob(folders)) if path not in known]
    return found + [f"{i}: twice in exercises/manifest.toml"
                    for i in sorted(set(ids)) if ids.count(i) > 1]


def behaviour(kit: Kit, exercises: list[Exercise], write: bool, sample: bool) -> list[str]:
    ran: dict[Path | Mistake, Outcome] = {}
    chosen = exercises  # to be judged one by one
    found = []
    with workers(setup.parallel_jobs()) as pool:
        if sample:
            ran = believed(exercises)
            chosen = judged_together(kit, exercises, ran, pool)
            found += of_first_variants(kit, exercises, pool)
        jobs = [(exercise, source) for exercise in exercises for source in
                (*([exercise.skeleton, exercise.solution] if exercise in chosen else []),
                 *exercise.mistakes) if source not in ran]
        for exercise in chosen:  # once, before several threads need it
            kit.prepare(exercise)
        outcomes = pool.map(lambda job: run(kit, *job), jobs)
        ran.update((source, outcome) for (_, source), outcome in zip(jobs, outcomes))
        if not sample:
            found += of_variants(kit, [course for exercise in exercises
                                       for course in courses(exercise)], pool)
        draws = DRAWS_OF_SAMPLE if sample else DRAWS
        found += [line for lines in pool.map(lambda e: of_fresh_inputs(kit, e, draws), chosen)
                  for line in lines]
    if write:
        for exercise in exercises:
            record(exercise, {mistake: ran[mistake] for mistake in exercise.mistakes})
    return found + [line for exercise in exercises for line in (
        *of_ends(exercise, ran), *verdicts(exercise, ran))]


def judged_together(kit: Kit, exercises: list[Exercise], ran: dict[Path | Mistake, Outcome],
                    pool) -> list[Exercise]:
    """Runs the skeleton, the solution and one mutant of each exercise in joined programs, and puts
    the results into `ran`. Returns the exercises that have to be judged one by one, as something is
    wrong with them, or as they cannot be joined."""
    shown = {each.id: shown_mutant(each) for each in exercises}
    kinds = [{each.id: each.skeleton for each in exercises},
             {each.id: each.solution for each in exercises},
             {each.id: kit.expanded(each, shown[each.id]) for each in exercises}]

    def tried(group: Together, exercise: Exercise) -> dict[Path | Mistake, Outcome]:
        mistake = shown[exercise.id]
        with contextlib.suppress(Stop):
            does = {source: group.run(exercise, source)
                    for source in (exercise.skeleton, exercise.solution)}
            does[mistake] = group.run(exercise, kinds[-1][exercise.id])
            if not of_ends(exercise, does) and mistake in ran and \
                    same_mistake(ran[mistake], does[mistake]) and \
                    not of_fresh_inputs(group, exercise, DRAWS_OF_SAMPLE):
                return does
        ran.pop(mistake, None)
        return {}

    alone = {each.id: each for each in exercises}
    for exercise, does in in_groups(kit, exercises, kinds, pool, tried):
        ran.update(does)
        if does:
            del alone[exercise.id]
    return list(alone.values())


def in_groups(kit: Kit, exercises: list[Exercise], kinds: Kinds, pool, judge) -> list[tuple]:
    """(exercise, what `judge` returns for it and its group), for all that are in a group."""
    made = together.groups(kit, exercises, kinds)
    for steps in ([group.parts() for group in made], [group.programs() for group in made]):
        list(pool.map(lambda step: step(), [step for each in steps for step in each]))
    members = [(group, exercise) for group in made for exercise in group.group]
    return list(zip((exercise for _, exercise in members),
                    pool.map(lambda member: judge(*member), members)))


def shown_mutant(exercise: Exercise) -> Mistake:
    """The mutant that is run although there is a record of it; always the same one."""
    return min(exercise.mistakes, key=lambda mistake: mistake.name)


def of_fresh_inputs(kit: Kit, exercise: Exercise, draws: int = DRAWS) -> list[str]:
    """The official solution must pass, whatever inputs are drawn."""
    for count in range(draws):
        text = f"{exercise.id} {count}"
        salt = salt_in_turn(hashlib.sha256(text.encode()).hexdigest()[:16], count)
        try:
            outcome = kit.run_fresh(exercise, exercise.solution, salt)
        except Stop as stop:
            return [f"{exercise.id}: with the inputs of {salt}: {stop}"]
        if not outcome.passed:
            return [f"{exercise.id}: the solution fails with the inputs of {salt}: "
                    f"{story(outcome)}"]
    return []


def courses(exercise: Exercise) -> list[Exercise]:
    """The exercise with each of its variants, each with numbers of its own."""
    return [variants.of(exercise, variant, f"{variants.draw(variant.name, exercise.id):016x}")
            for variant in variants.read(exercise.path)[0]]


def of_variants(kit: Kit, several: list[Exercise], pool) -> list[str]:
    def both(course: Exercise) -> list[str]:
        kit.prepare(course)
        return of_variant(kit, course)

    return [line for lines in pool.map(both, several) for line in lines]


def of_variant(kit: Kit, course: Exercise) -> list[str]:
    """With a variant's tests, its own solution must pass and the published one must fail."""
    own, published = kit.run(course, course.solution), kit.run(course, course.published)
    found = []
    if not own.passed:
        found.append(f"{course.variant.place}: its own solution fails: {story(own)}")
    if published.passed or published.error:
        found.append(f"{course.variant.place}: the published solution: {story(published)}")
    return found


def of_first_variants(kit: Kit, exercises: list[Exercise], pool) -> list[str]:
    """In joined programs first; on its own if there is a problem."""
    first = {each.id: course for each in exercises for course in courses(each)[:1]}
    kinds = [{name: course.solution for name, course in first.items()},
             {name: course.published for name, course in first.items()}]

    def tried(group: Together, course: Exercise) -> bool:
        with contextlib.suppress(Stop):
            return not of_variant(group, course)
        return False

    sound = [course.id for course, is_sound in
             in_groups(kit, list(first.values()), kinds, pool, tried) if is_sound]
    return of_variants(kit, [course for name, course in first.items() if name not in sound], pool)


def run(kit: Kit, exercise: Exercise, source: Path | Mistake) -> Outcome:
    return (kit.run_mistake if isinstance(source, Mistake) else kit.run)(exercise, source)


def believed(exercises: list[Exercise]) -> dict[Mistake, Outcome]:
    """The recorded results of the mutants whose records match the current sources."""
    return {mistake: outcome for exercise in exercises
            for mistake, outcome in recorded(exercise).items()}


def of_ends(exercise: Exercise, ran: dict[Path | Mistake, Outcome]) -> list[str]:
    """The problems of the skeleton, from which a learner starts, and of the solution."""
    found: list[str] = []
    skeleton, solution = ran[exercise.skeleton], ran[exercise.solution]
    if exercise.id == PASSES_FROM_THE_START:
        if not skeleton.passed:
            found.append(f"{exercise.id}: the first exercise does not pass from the start")
    elif skeleton.error or not skeleton.threw:
        found.append(f"{exercise.id}: the skeleton does not fail by itself: {story(skeleton)}")
    else:
        wanted = f"{exercise.id}: {shown(exercise.answer)}"
        places = {event["threw"] for event in skeleton.threw}
        found += [f"{exercise.id}: the skeleton throws {place}" for place in places
                  if f'("{wanted}")' not in place]
        if len({event["case"] for event in skeleton.threw}) != exercise.tests:
            found.append(f"{exercise.id}: a test passes with the skeleton")
    if not solution.passed:
        found.append(f"{exercise.id}: the solution fails: {story(solution)}")
    return found


def verdicts(exercise: Exercise, ran: dict[Path | Mistake, Outcome]) -> list[str]:
    found, mutants = [], {mistake: ran[mistake] for mistake in exercise.mistakes}
    known = {mistake: as_recorded(outcome) for mistake, outcome in mutants.items()}
    for mistake, outcome in mutants.items():
        names = [other.name for other in known if same_mistake(outcome, known[other])]
        if outcome.error or outcome.unfinished:
            found.append(f"{mistake.place}: {story(outcome)}")
        elif outcome.passed:
            found.append(f"{mistake.place}: no test rejects it")
        elif names != [mistake.name]:
            found.append(f"{mistake.place}: is named {', '.join(names)}")
    if not is_recorded(exercise, mutants):
        found.append(f"{exercise.id}: exercises/mutants.json is not what the mutants give; "
                     f"./learn verify --record {exercise.id} writes it")
    return found


def story(outcome: Outcome) -> str:
    if outcome.error == "compile":
        return "does not compile:\n" + first_errors(outcome.log)
    if outcome.error:
        return outcome.error
    marks = [mark.get("check") or mark.get("threw") for mark in outcome.failed + outcome.threw]
    return "; ".join(marks) or "it passes"

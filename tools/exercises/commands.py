"""`./learn list|task|try|watch|hint|reset|solution|status`: the commands for exercises."""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import re
import sys
import time

from tools.exercises import boxes, history, manifest as course, mine, renumbered, variants
from tools.exercises.build import PLACE, Kit
from tools.exercises.explain import explain, next_step, show_prints, show_tests
from tools.exercises.keys import Keys
from tools.exercises.manifest import Exercise
from tools.exercises.outcome import Outcome
from tools.exercises.task_text import plain
from tools.language import chinese, in_language, tell
from tools.terminal import (OUT, Doing, Flags, Stop, bold, columns_of, in_turn, lock_file, painted,
                            say, shown, visible, width, wrapped, write_file)

JUDGING = PLACE / "judging.lock"  # avoids compiling the same things twice
BAR = 40  # width of the progress bar in columns
POLL_SECONDS = 0.3  # polls modification times: some file systems lose notifications


def read(arguments: list[str], command: str) -> argparse.Namespace:
    parser = Flags(command)
    parser.add_argument("ids", metavar="ID", nargs="*")
    if command == "solution":
        parser.add_argument("--spoiler", action="store_true")
    if command == "try":
        parser.add_argument("--all", action="store_true")
    parser.add_argument("--seed", metavar="S")
    typed = parser.parse_intermixed_args(arguments)
    course.SEED = variants.course_seed(typed.seed)
    with beside_standard_output():
        mine.move_over(course.everything(), chinese(arguments))
    return typed


def beside_standard_output():
    """Keeps messages out of standard output, which may be redirected to a file."""
    return contextlib.redirect_stdout(sys.stderr)


def chosen(arguments: list[str], command: str) -> Exercise:
    """The named exercise; otherwise the one worked on last, or the next open one."""
    named = read(arguments, command).ids
    exercises = course.everything()
    found = [course.find(name, exercises, command) for name in named]
    say_new_numbers(named, exercises, chinese(arguments))
    if len(found) > 1:
        raise Stop(f"{command}: one exercise at a time\n"
                   f"  next      ./learn {command} {found[0].id}", 2)
    if found:
        return found[0]
    last = course.current(exercises)
    return course.next_open(last) or last or exercises[0]


def say_new_numbers(typed: list[str], exercises: list[Exercise], zh: bool) -> None:
    with beside_standard_output():
        for name in typed:
            if line := renumbered.note(name, exercises, zh):
                tell(line, zh)


PASSES, TRIED, OPEN = "x", "~", " "
MARKS = {PASSES: "green", TRIED: "yellow", OPEN: ""}
CELLS = {PASSES: "#", TRIED: "~", OPEN: "."}  # in the bar of a chapter


def mark_of(exercise: Exercise, kept: dict) -> str:
    tries = kept.get(exercise.id, {}).get("tries")
    return PASSES if course.passes(exercise, kept) else TRIED if tries else OPEN


def marked(exercise: Exercise, zh: bool, kept: dict) -> str:
    mark = mark_of(exercise, kept)
    return (f"  {painted(f'[{mark}]', MARKS[mark])} {exercise.id}  {exercise.points}  "
            f"{exercise.title_zh if zh else exercise.title}")


def list_all(arguments: list[str]) -> int:
    """One line per chapter; or the exercises of one chapter, or those with a word in the title."""
    zh, kept = chinese(arguments), course.progress()
    named = read(arguments, "list").ids
    exercises = course.everything()
    say_new_numbers(named, exercises, zh)
    if not named:
        return overview(exercises, zh, kept)
    for exercise in [one for name in named for one in listed(name, exercises)]:
        tell(marked(exercise, zh, kept), zh)
    tell("  marks     [x] passes   [~] tried, but the file does not pass as it is", zh)
    tell("  points    the number before the title; tries and hints cost nothing", zh)
    return standing(zh)


def overview(exercises: list[Exercise], zh: bool, kept: dict) -> int:
    """The chapters, then the capstones: how much of each is done, and its title."""
    parts: dict[str, list[Exercise]] = {}
    for exercise in exercises:
        parts.setdefault(exercise.id.partition("-")[0], []).append(exercise)
    most = max(map(len, parts.values()))
    for part, its in sorted(parts.items()):
        marks = [mark_of(one, kept) for one in its]
        row = f"  {part:<2}  [{bar_of(marks)}]{' ' * (most - len(its))}  "
        row += f"{f'{marks.count(PASSES)}/{len(its)}':>5}  "
        blanks = columns_of(row)
        say("\n".join(wrapped(row + bold(its[0].heading(zh)), width(), blanks)))
    tell("  marks     one cell per exercise: # passes   ~ tried   . not begun", zh)
    tell("  list      ./learn list 02 lists one chapter, ./learn list A one capstone", zh)
    return standing(zh)


def bar_of(marks: list[str]) -> str:
    """A cell per exercise; those that pass come first."""
    return "".join(painted(sign * marks.count(mark), MARKS[mark]) for mark, sign in CELLS.items())


def listed(name: str, exercises: list[Exercise]) -> list[Exercise]:
    chapter = int(name) if re.fullmatch(r"\d\d?", name) else None
    word = name.casefold()
    if re.fullmatch("[a-z]", word):
        return of_capstone(word.upper(), exercises)
    found = [e for e in exercises if e.chapter == chapter
             or chapter is None and word in f"{e.title}\n{e.title_zh}".casefold()]
    return found or [course.find(name, exercises, "list")]


def of_capstone(letter: str, exercises: list[Exercise]) -> list[Exercise]:
    letters = sorted({e.id[0] for e in exercises if e.is_milestone})
    if letter not in letters:
        raise Stop(f"there is no capstone {letter}; there are {', '.join(letters)}\n"
                   "  next      ./learn list", 2)
    return [e for e in exercises if e.id[0] == letter]


def status(arguments: list[str]) -> int:
    Flags("status").parse_args(arguments)
    course.SEED = variants.course_seed()
    kept, zh, exercises = course.progress(), chinese(arguments), course.everything()
    with beside_standard_output():
        mine.move_over(exercises, zh)
    for exercise in exercises:
        tries, hints = (kept.get(exercise.id, {}).get(name, 0) for name in ("tries", "hints"))
        if tries or hints:
            tell(f"{marked(exercise, zh, kept)}: tries {tries}, hints {hints}", zh)
    own = history.passing(exercises)
    tell(f"  history   {history.line(own)}   ./learn mine history", zh)
    return standing(zh)


def standing(zh: bool) -> int:
    """The learner's progress, and what to type next."""
    exercises, kept = course.manifest(), course.progress()
    done = [e for e in exercises if course.passes(e, kept)]
    got, total = sum(e.points for e in done), sum(e.points for e in exercises)
    tell(f"{len(done)} of {len(exercises)} exercises pass, {got} of {total} points", zh)
    filled = got * BAR // total
    tell(f"  [{'#' * filled}{'.' * (BAR - filled)}]  {100 * got // total}% of the points", zh)
    last = course.current(course.everything())
    go_on(course.next_open(last), zh)
    return 0


def go_on(following: Exercise | None, zh: bool) -> None:
    if following:
        next_step(f"{'try' if following.touched else 'task'} {following.id}", zh)
    else:
        tell("  next      all done: ./learn mine history", zh)


def task(arguments: list[str]) -> int:
    """Shows the task of an exercise."""
    exercise, zh = chosen(arguments, "task"), chinese(arguments)
    say(plain(exercise.task(zh).read_text(encoding="utf-8"), exercise.path))
    say()
    tell_of_course(exercise, zh)
    tell(f"  points    {exercise.points}, when all {exercise.tests} tests pass", zh)
    if exercise.section:
        tell(f"  section   {exercise.section.format('zh' if zh else 'en')}", zh)
    mine.begin(exercise, zh)
    tell(f"  names     {shown(exercise.path / 'exercise.hpp')}", zh)
    tell(f"  edit      {shown(exercise.answer)}", zh)
    next_step(f"try {exercise.id}", zh)
    return 0


def tell_of_course(exercise: Exercise, zh: bool) -> None:
    """Says what this course asks for in place of the published exercise."""
    if exercise.variant:
        tell(f"  course    {exercise.variant.said(zh)}", zh)
    elif exercise.salt:
        tell(f"  course    seed {course.SEED}: the numbers in the tests are your course's", zh)


def require_answer(exercise: Exercise, zh: bool) -> None:
    mine.begin(exercise, zh)
    if not exercise.answer.exists():
        raise Stop(f"{not_there(exercise)}\n  next      ./learn reset {exercise.id}")


def not_there(exercise: Exercise) -> str:
    leads = " is a link that leads nowhere" if exercise.answer.is_symlink() else " is gone"
    return shown(exercise.answer) + leads


def judge(exercise: Exercise, zh: bool) -> bool:
    require_answer(exercise, zh)
    tell_of_course(exercise, zh)
    untouched = as_shipped(exercise)
    if untouched:  # no compiler needed
        explain(None, exercise, untouched, zh)
        course.remember(exercise)
        get_ready(exercise, zh)
        return False
    kit = Kit(zh=zh)
    with in_turn(JUDGING):
        start, as_it_was = time.monotonic(), exercise.as_it_is
        with Doing(in_language("compiling your file and running its tests", zh)):
            outcome = kit.run(exercise, exercise.answer)
    if not outcome.passed:
        mistake = explain(kit, exercise, outcome, zh)
        course.remember(exercise, tries=one_more("tries"), mistake=mistake)
        return False
    if lacks_words(exercise):
        tell(f"{exercise.id}: all {outcome.cases} tests pass, but the written answer is missing",
             zh, "yellow")
        show_prints(exercise, outcome, zh)
        tell(f"  edit      {shown(exercise.answer)}", zh)
        next_step(f"try {exercise.id}", zh)
        course.remember(exercise, tries=one_more("tries"), mistake="")
        return False
    course.remember(exercise, tries=one_more("tries"), passed=as_it_was, mistake="")
    tell(f"{exercise.id}: passed, {outcome.cases} tests ({time.monotonic() - start:.1f} s)", zh,
         "green")
    show_tests(exercise, outcome, zh)
    show_prints(exercise, outcome, zh)
    show_answers(exercise, zh)
    return True


def one_more(name: str):
    """For remember(): increments a count."""
    return lambda kept: kept.get(name, 0) + 1


def text_of(exercise: Exercise) -> str:
    return exercise.answer.read_text(encoding="utf-8", errors="replace")


def lacks_words(exercise: Exercise) -> bool:
    return course.lacks_words(exercise, text_of(exercise))


def show_answers(exercise: Exercise, zh: bool) -> None:
    """Shows the learner's written answer, if one is asked for, with a model answer."""
    model = exercise.path / f"answer.{'zh' if zh else 'en'}.md"
    if not model.exists():
        return
    own = course.written_answer(text_of(exercise))
    tell("your answer:", zh, "bold")
    say("\n" + "\n".join(visible(line) for line in own.split("\n")) + "\n")
    tell("a model answer:", zh, "bold")
    say(f"\n{plain(model.read_text(encoding='utf-8'), exercise.path).rstrip()}\n")


def get_ready(exercise: Exercise, zh: bool) -> None:
    """Builds what the first verdict needs while the learner reads the task."""
    kit = Kit(zh=zh)
    with in_turn(JUDGING), Doing(in_language("compiling the tests", zh)):
        kit.prepare(exercise)


def as_shipped(exercise: Exercise) -> Outcome | None:
    """The result of an untouched skeleton, without running its tests."""
    text = exercise.answer.read_bytes()
    marker = re.search(rb'TODO\("[^"]*"\)', text)
    if marker and text == exercise.skeleton.read_bytes():
        return Outcome(threw=[{"case": "", "at": 0, "threw": marker[0].decode()}])
    return None


def attempt_all(zh: bool) -> int:
    """Judges every file that the learner has changed, one line each."""
    edited, kit = [e for e in course.everything() if e.touched], None
    if not edited:
        tell("none of the files has changed yet", zh)
        return standing(zh)
    passing = 0
    for exercise in edited:
        kit, as_it_was = kit or Kit(zh=zh), exercise.as_it_is
        with in_turn(JUDGING), \
                Doing(in_language("compiling your file and running its tests", zh)):
            outcome = kit.run(exercise, exercise.answer)
        passes = outcome.passed and not lacks_words(exercise)
        passing += passes
        if passes:
            course.remember(exercise, passed=as_it_was, mistake="")
        verdict = ("passes" if passes else "lacks the written answer" if outcome.passed else
                   "does not compile" if outcome.error == "compile" else "fails")
        tell(f"{exercise.id}: {verdict}", zh, "green" if passes else "red")
    tell(f"{passing} of the {len(edited)} that you changed pass", zh)
    standing(zh)
    return 0 if passing == len(edited) else 1


def attempt(arguments: list[str]) -> int:
    if read(arguments, "try").all:
        return attempt_all(chinese(arguments))
    exercise, zh = chosen(arguments, "try"), chinese(arguments)
    if not judge(exercise, zh):
        return 1
    if exercise.id in boxes.PARTS and not exercise.variant:
        tell("  yours     now part of your own Transformer: ./learn mine", zh)
    go_on(course.next_open(exercise), zh)
    return 0


def watch(arguments: list[str]) -> int:
    """Judges again whenever the file changes; after a pass, moves on to the next exercise."""
    exercise, zh = chosen(arguments, "watch"), chinese(arguments)
    mine.refuse_a_folder(exercise)
    PLACE.mkdir(parents=True, exist_ok=True)
    with lock_file(PLACE / "watch.lock") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Stop("another ./learn watch is running here; end it with Ctrl-C, or judge once\n"
                       f"  next      ./learn try {exercise.id}") from None
        try:
            watch_from(exercise, zh)
        except KeyboardInterrupt:  # the way to end it
            say()
    return standing(zh)


def watch_from(exercise: Exercise | None, zh: bool) -> None:
    seen, solved = None, False
    with Keys() as keys:
        while exercise:
            if seen is None:
                mine.begin(exercise, zh)
            now = exercise.answer.stat().st_mtime_ns if exercise.answer.exists() else 0
            if now != seen:
                seen, solved = now, False
                say()
                if not now:
                    tell(not_there(exercise), zh)
                    next_step(f"reset {exercise.id}", zh)
                else:
                    solved = judge(exercise, zh)
                if solved and not keys.there:  # nobody can say `n`
                    exercise, seen = course.next_open(exercise), None
                    continue
                offer(exercise, solved, keys.there, zh)
            key = keys.pressed(POLL_SECONDS)
            if key == "q":
                return
            if key == "n":
                exercise, seen = following(exercise), None
            elif key:
                answer_key(key, exercise, zh)


def offer(exercise: Exercise, solved: bool, keys: bool, zh: bool) -> None:
    """Says what to do now: after a pass, read the solution and the page."""
    if solved and exercise.section:
        tell(f"  section   {exercise.section.format('zh' if zh else 'en')}", zh)
    if keys:
        tell("  keys      h hint   t task   s solution   n next   l list   q quit", zh)
    if not solved:
        tell("  watching  save the file to try again, Ctrl-C to end", zh)


def following(exercise: Exercise) -> Exercise | None:
    """The next open exercise, not this one unless it is the only one."""
    exercises = course.alike(exercise)
    at = exercises.index(exercise) + 1
    return course.first_open(exercises[at:] + exercises[:at])


def answer_key(key: str, exercise: Exercise, zh: bool) -> None:
    commands = {"h": hint, "t": task, "s": solution}
    try:
        if key in commands:
            say()
            commands[key]([exercise.id, "--zh" if zh else "--en"])
        elif key == "l":
            say()
            list_all([exercise.id.partition("-")[0], "--zh" if zh else "--en"])
    except Stop as stop:  # its solution is hidden until it passes
        tell(str(stop), zh)


def hint(arguments: list[str]) -> int:
    exercise, zh = chosen(arguments, "hint"), chinese(arguments)
    levels = course.hints(exercise, zh)
    level = course.remember(
        exercise, hints=lambda kept: min(one_more("hints")(kept), len(levels)))["hints"]
    for number in range(1, level + 1):
        tell(f"{exercise.id}, hint {number} of {len(levels)}", zh, "bold")
        say(f"\n{plain(levels[number - 1], exercise.path)}\n")
    if level == len(levels):
        tell(f"  (the last hint; the solution: ./learn solution {exercise.id} --spoiler)", zh)
    next_step(f"try {exercise.id}", zh)
    return 0


def reset(arguments: list[str]) -> int:
    if not read(arguments, "reset").ids:
        raise Stop("reset: which exercise?\n  next      ./learn list", 2)
    exercise, zh = chosen(arguments, "reset"), chinese(arguments)
    kept = OUT / "exercises" / f"{exercise.id}-{time.strftime('%Y%m%d-%H%M%S')}.cpp"
    skeleton = exercise.skeleton.read_bytes()
    mine.refuse_a_link(exercise.answer)
    mine.refuse_a_folder(exercise)
    with mine.writing(exercise):
        own = exercise.answer.read_bytes() if exercise.answer.exists() else skeleton
    if own != skeleton:
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_file(kept, own)
        tell(f"  kept      your version is in {shown(kept)}", zh)
    mine.put_skeleton(exercise)
    course.remember(exercise)
    tell(f"{exercise.id}: {shown(exercise.answer)} is the skeleton again", zh)
    next_step(f"try {exercise.id}", zh)
    return 0


def solution(arguments: list[str]) -> int:
    typed, zh = read(arguments, "solution"), chinese(arguments)
    exercises = course.everything()
    # Without an id, the exercise just solved.
    exercise = (None if typed.ids else course.current(exercises)) or chosen(arguments, "solution")
    if not course.passed(exercise) and not typed.spoiler:
        raise Stop(f"{exercise.id} does not pass yet; its solution is shown once it does, or with "
                   f"--spoiler\n  next      ./learn hint {exercise.id}")
    if not exercise.solution.exists():  # a lecturer may hand out a tree without solutions
        raise Stop(f"{shown(exercise.solution)} is not here\n"
                   f"  next      ./learn hint {exercise.id}")
    say(exercise.solution.read_text(encoding="utf-8").rstrip())
    go_on(course.next_open(exercise), zh)
    return 0

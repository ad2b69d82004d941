"""`./learn list|try|watch|hint|reset|solution|status`: the exercises."""

from __future__ import annotations

import fcntl
import time

from tools import exercises_manifest as course
from tools.exercises_build import PLACE, Kit
from tools.exercises_manifest import Exercise
from tools.exercises_explain import explain, next_step
from tools.exercises_words import tell
from tools.terminal import OUT, Stop, say, shown

FLAGS = ("--zh", "--en", "--spoiler")
POLL_SECONDS = 0.3  # modification times: notifications get lost on some file systems


def words(arguments: list[str]) -> list[str]:
    unknown = [a for a in arguments if a.startswith("-") and a not in FLAGS]
    if unknown:
        raise Stop(f"{unknown[0]} is no flag here; there are --zh, --en and --spoiler", 2)
    return [a for a in arguments if not a.startswith("-")]


def chosen(arguments: list[str], command: str) -> Exercise:
    """The exercise that was named, or the first one still open."""
    exercises, named = course.manifest(), words(arguments)
    if len(named) > 1:
        again = f"\n  next      ./learn {command} {named[0]}"
        raise Stop(f"{command}: one exercise at a time" + again, 2)
    if named:
        return course.find(named[0], exercises)
    return course.first_open(exercises) or exercises[-1]


def marked(exercise: Exercise, zh: bool) -> str:
    kept = course.progress().get(exercise.id, {})
    mark = "x" if kept.get("passed") else "~" if kept.get("tries") else " "
    return f"  [{mark}] {exercise.id}  {exercise.title_zh if zh else exercise.title}"


def list_all(arguments: list[str]) -> int:
    words(arguments)
    zh = course.chinese(arguments)
    for exercise in course.manifest():
        say(marked(exercise, zh))
    tell("  points    larger exercises count more; tries and hints cost nothing", zh)
    return status(arguments, short=True)


def status(arguments: list[str], short: bool = False) -> int:
    words(arguments)
    exercises, kept, zh = course.manifest(), course.progress(), course.chinese(arguments)
    done = [e for e in exercises if kept.get(e.id, {}).get("passed")]
    tell(f"{len(done)} of {len(exercises)} exercises pass, {sum(e.points for e in done)} of "
         f"{sum(e.points for e in exercises)} points", zh)
    if not short:
        for exercise in exercises:
            facts = kept.get(exercise.id)
            if facts:
                tell(f"{marked(exercise, zh)}: {facts.get('tries', 0)} tries, "
                     f"{facts.get('hints', 0)} hints", zh)
    following = course.first_open(exercises)
    if following:
        next_step(f"try {following.id}", zh)
    else:
        tell("  next      all done: ./learn chapter 8 --help", zh)
    return 0


def require_answer(exercise: Exercise) -> None:
    if not exercise.answer.exists():
        raise Stop(f"{shown(exercise.answer)} is gone\n  next      ./learn reset {exercise.id}")


def judge(kit: Kit, exercise: Exercise, zh: bool) -> bool:
    require_answer(exercise)
    start = time.monotonic()
    outcome = kit.run(exercise, exercise.answer)
    tries = course.progress().get(exercise.id, {}).get("tries", 0) + 1
    if not outcome.passed:
        mistake = explain(kit, exercise, outcome, zh)
        course.remember(exercise, tries=tries, mistake=mistake)
        return False
    course.remember(exercise, tries=tries, passed=True, mistake="")
    tell(f"{exercise.id}: passed, {outcome.cases} tests ({time.monotonic() - start:.1f} s)", zh)
    return True


def attempt(arguments: list[str]) -> int:
    exercise, zh = chosen(arguments, "try"), course.chinese(arguments)
    require_answer(exercise)
    if not judge(Kit(zh=zh), exercise, zh):
        return 1
    following = course.first_open(course.manifest())
    next_step(f"try {following.id}" if following else "status", zh)
    return 0


def watch(arguments: list[str]) -> int:
    """Judges again whenever the file changes; goes on to the next exercise after a pass."""
    exercise, zh = chosen(arguments, "watch"), course.chinese(arguments)
    kit = Kit(zh=zh)
    lock = open(PLACE / "watch.lock", "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise Stop("another ./learn watch is running here; end it with Ctrl-C, or judge once\n"
                   f"  next      ./learn try {exercise.id}") from None
    seen = None
    while exercise:
        now = exercise.answer.stat().st_mtime_ns if exercise.answer.exists() else 0
        if now != seen:
            seen = now
            say()
            if not now:
                tell(f"{shown(exercise.answer)} is gone", zh)
                next_step(f"reset {exercise.id}", zh)
            elif judge(kit, exercise, zh):
                exercise, seen = course.first_open(course.manifest()), None
                continue
            tell("  watching  save the file to try again, Ctrl-C to end", zh)
        time.sleep(POLL_SECONDS)
    return status(["--zh" if zh else "--en"])


def hint(arguments: list[str]) -> int:
    exercise, zh = chosen(arguments, "hint"), course.chinese(arguments)
    levels = course.hints(exercise, zh)
    shown_before = course.progress().get(exercise.id, {}).get("hints", 0)
    level = min(shown_before + 1, len(levels))
    for number in range(1, level + 1):
        tell(f"{exercise.id}, hint {number} of {len(levels)}\n\n{levels[number - 1]}\n", zh)
    course.remember(exercise, hints=level)
    if level == len(levels):
        tell(f"  (the last hint; the solution: ./learn solution {exercise.id} --spoiler)", zh)
    next_step(f"try {exercise.id}", zh)
    return 0


def reset(arguments: list[str]) -> int:
    if not words(arguments):
        raise Stop("reset: which exercise?\n  next      ./learn list", 2)
    exercise, zh = chosen(arguments, "reset"), course.chinese(arguments)
    kept = OUT / "exercises" / f"{exercise.id}-{time.strftime('%Y%m%d-%H%M%S')}.cpp"
    skeleton = exercise.skeleton.read_bytes()
    try:
        if exercise.answer.exists() and exercise.answer.read_bytes() != skeleton:
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_bytes(exercise.answer.read_bytes())
            tell(f"  kept      your version is in {shown(kept)}", zh)
        exercise.answer.write_bytes(skeleton)
    except OSError as error:
        raise Stop(f"{shown(exercise.answer)} cannot be written ({error.strerror}); exercises need "
                   "a checkout of your own\n  next      cp -r . ~/transformer && "
                   "cd ~/transformer") from None
    course.remember(exercise, passed=False)
    tell(f"{exercise.id}: {shown(exercise.answer)} is the skeleton again", zh)
    next_step(f"try {exercise.id}", zh)
    return 0


def solution(arguments: list[str]) -> int:
    exercise = chosen(arguments, "solution")
    if not course.passed(exercise) and "--spoiler" not in arguments:
        raise Stop(f"{exercise.id} does not pass yet; its solution is shown afterwards, or with "
                   f"--spoiler\n  next      ./learn hint {exercise.id}")
    say(exercise.solution.read_text(encoding="utf-8").rstrip())
    next_step(f"try {exercise.id}", course.chinese(arguments))
    return 0

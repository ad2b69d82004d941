"""Names a mistake: which known mistake gives the learner's numbers? The results of all known
mistakes (mistakes.md) are recorded in one file, so that none has to be compiled."""

from __future__ import annotations

import json
import math
import re

from tools import setup
from tools.exercises.build import Kit, digest
from tools.exercises.manifest import Exercise
from tools.exercises.mistakes import Mistake
from tools.exercises.outcome import Outcome
from tools.exercises.run import workers
from tools.terminal import ROOT, write_file

RECORD = ROOT / "exercises" / "mutants.json"
UNRECORDED = "the loss was not recorded on this tape"  # what the tape throws
# A wrong result may be explained by at most this many simultaneous mistakes, otherwise by none.
MOST = 2
FRESH = 1e30  # the initial content of an emulated device's memory, in some orders
MOST_SEEN = 400  # numbers looked at in a tensor; larger tensors are sampled
MOST_KEPT = 16  # numbers compared and recorded per tensor; a longer one is summarised by as many
DIGITS = 5  # of a recorded number; two numbers count as equal if about four digits agree


def is_close(a, b) -> bool:
    a, b = float(a), float(b)
    if math.isnan(a) or math.isnan(b) or math.isinf(a) or math.isinf(b):
        return a == b or (math.isnan(a) and math.isnan(b))
    return abs(a - b) <= 1e-5 + 1e-4 * abs(a)


def same_numbers(a: dict | None, b: dict | None) -> bool:
    if a is None or b is None:
        return a is b
    return a["shape"] == b["shape"] and all(map(is_close, told(a), told(b)))


def told(tensor: dict) -> list[float]:
    """All numbers if there are few. Otherwise 8 parts with one number each and a weighted mean over
    all but NaN and infinity. Only these are recorded."""
    if "told" not in tensor:
        values = list(map(float, seen(tensor)))
        half = MOST_KEPT // 2
        cuts = [len(values) * part // half for part in range(half + 1)]
        parts = [values[begin:end] for begin, end in zip(cuts, cuts[1:])]
        tensor["told"] = values if len(values) <= MOST_KEPT else [
            *(part[7 * at % len(part)] for at, part in enumerate(parts)), *map(mean, parts)]
    return tensor["told"]


def seen(tensor: dict) -> list:
    """A sample of a large tensor, with an odd stride, as rows are often a power of two long."""
    size = math.prod(tensor["shape"])
    step = 1 if size <= MOST_SEEN else size // (MOST_SEEN // 2) | 1
    values = tensor["values"]
    return values[::step] if len(values) == size else values


def mean(values: list[float]) -> float:
    """Weights neighbours and signs differently, to detect swaps and sign changes; no two numbers
    cancel, which would leave rounding errors only."""
    return sum((1 + at % 3) * (value if value > 0 else -2 * value)
               for at, value in enumerate(values) if math.isfinite(value)) / len(values)


# ---- matching ------------------------------------------------------------------------------------


def fingerprint(outcome: Outcome) -> dict:
    """The failed checks, with the numbers they got."""
    marks = {(check["case"], check["check"]): check for check in outcome.failed}
    return {**marks, **{(event["case"], "threw"): event for event in outcome.threw}}


def explained(mine: dict, other: dict) -> set:
    """The marks of `mine` that `other` has with the same numbers."""
    return {key for key in mine.keys() & other.keys()
            if same_mark(mine[key].get("actual"), other[key].get("actual"))
            and cause(mine[key].get("threw", "")) == cause(other[key].get("threw", ""))}


def cause(message: str) -> str:
    """The exception's message without the kernel's name, which the learner is free to choose."""
    return re.sub(r"^[^,]*(?=, block \(\d)", "", without_place(message))


def without_place(message: str) -> str:
    """A failed xtensor check begins with a line of its source, which differs elsewhere."""
    return re.sub(r"^\S+\.hpp:\d+: check failed\s+", "", message)


def same_mark(mine: dict | None, known: dict | None) -> bool:
    """Also matches if the mistake leaves numbers unwritten, as NaN, and the learner has 0 there."""
    if same_numbers(known, mine) or not (mine and known and mine["shape"] == known["shape"]):
        return same_numbers(known, mine)
    pairs = list(zip(told(known), told(mine)))
    written = [(a, b) for a, b in pairs if not math.isnan(a)]
    return (any(a != 0 for a, _ in written) and all(is_close(a, b) for a, b in written)
            and all(b == 0 for a, b in pairs if math.isnan(a)))


def same_mistake(student: Outcome, known: Outcome) -> bool:
    """Do the same checks fail with the same numbers?"""
    mine, other = fingerprint(student), fingerprint(known)
    return bool(mine) and mine.keys() == other.keys() == explained(mine, other)


def telling(mark: dict) -> bool:
    """Can only one mistake cause this? A missing tensor, a claim, all NaN or all 0, and a loss
    without a recorded op have many causes: they count if everything fails alike, but are not enough
    on their own."""
    if "threw" in mark:
        return UNRECORDED not in mark["threw"]
    values = [float(value) for value in (mark.get("actual") or {}).get("values", [])]
    return len(values) == 1 and math.isfinite(values[0]) or len(set(map(str, values))) > 1


def yes_or_no(mark: dict) -> bool:
    """An answer of 0 or 1: a wrong one is always the same, whatever the cause."""
    return is_claim(mark) and len((mark.get("actual") or {}).get("values", [])) == 1


def fits(student: Outcome, other: dict) -> bool:
    """Does the learner fail every test that the mistake fails, with no number that differs from it?
    In a test of several checks, one of them is enough; but if the mistake has a yes or no wrong,
    the learner may not have it right."""
    mine = fingerprint(student)
    shared = explained(mine, other)
    right = {(check["case"], check["check"]) for check in student.checks if check["ok"]}
    return mine.keys() & other.keys() == shared \
        and {case for case, _ in other} == {case for case, _ in shared} \
        and not any(key in right and yes_or_no(mark) for key, mark in other.items())


def named(student: Outcome, outcomes: dict[Mistake, Outcome]) -> list[Mistake]:
    """The mistakes that give the learner's numbers, wherever they occur: one that explains every
    failed check if there is one, otherwise the fewest that explain as many as possible."""
    for mistake, outcome in outcomes.items():
        if same_mistake(student, outcome):
            return [mistake]
    return fewest(fingerprint(student), {mistake: outcome for mistake, outcome in outcomes.items()
                                         if fits(student, fingerprint(outcome))})


def resembled(student: Outcome, outcomes: dict[Mistake, Outcome]) -> list[Mistake]:
    """The one mistake that explains every failed check that any mistake explains, except for yes or
    no answers; empty if that takes several."""
    return fewest({key: mark for key, mark in fingerprint(student).items() if not yes_or_no(mark)},
                  outcomes, most=1)


def fewest(mine: dict, outcomes: dict[Mistake, Outcome], most: int = MOST) -> list[Mistake]:
    """Mistakes that together explain as many failed checks as possible, chosen greedily; empty if
    there are more than `most`. Of two that explain equally many, the one with fewer other failures
    is chosen."""
    found = []
    marks = {mistake: fingerprint(outcome) for mistake, outcome in outcomes.items()}
    shared = {mistake: explained(mine, other) for mistake, other in marks.items()}
    left = {key for key in mine if telling(mine[key])}
    while True:
        best = max(shared, default=None,
                   key=lambda m: (len(shared[m] & left), -len(marks[m].keys() - mine.keys())))
        if best is None or not shared[best] & left:
            return found if len(found) <= most else []
        found.append(best)
        left -= shared.pop(best)


def is_claim(mark: dict) -> bool:
    """Only 0 and 1, both actual and expected: a yes or no, or a list of them."""
    values = [float(value) for side in ("actual", "expected")
              for value in (mark.get(side) or {}).get("values", [])]
    return "threw" not in mark and set(values) <= {0, 1}


def outright(student: Outcome, outcomes: dict[Mistake, Outcome]) -> list[Mistake]:
    """The one mistake that fails exactly the learner's checks, with the same numbers, or none. A
    partial match may have other causes, and so may a yes or no."""
    if all(map(is_claim, fingerprint(student).values())):
        return []
    return [mistake for mistake, outcome in outcomes.items() if same_mistake(student, outcome)][:1]


def looks_like(student: Outcome, outcomes: dict[Mistake, Outcome],
               zh: bool) -> tuple[list[Mistake], str]:
    """The mistake, and the line that names it; for a mere resemblance, only a line, and nothing if
    more than half of the failures stay unexplained."""
    found = outright(student, outcomes)
    if found:
        return found, f"  looks like  {found[0].said(zh)}"
    mine = fingerprint(student)

    def shared(several: list[Mistake]) -> set:
        return set().union(*(explained(mine, fingerprint(outcomes[each])) for each in several))

    likely = max(named(student, outcomes), resembled(student, outcomes),
                 key=lambda several: len(shared(several)))
    if not likely or 2 * len(shared(likely)) < len(mine):
        return [], of_what_is_shown(student, outcomes, zh)
    shown = first_of(student)  # the mistake that explains it comes first
    likely.sort(key=lambda mistake: shown not in explained(mine, fingerprint(outcomes[mistake])))
    words = ("；" if zh else "; also: ").join(mistake.said(zh) for mistake in likely)
    why = "a yes-or-no answer can have other causes" if all(map(is_claim, mine.values())) else \
        "each explains some of the tests" if len(likely) > 1 else \
        "the same numbers, but not in every test" if shown in shared(likely) else \
        "the numbers of a test other than the one shown"
    return [], f"  resembles  {words} ({why})"


def first_of(student: Outcome) -> tuple[str, str]:
    """The check that failed first; it is the one shown to the learner."""
    first = min(student.failed + student.threw, key=lambda mark: mark["at"])
    return first["case"], "threw" if "threw" in first else first["check"]


def of_what_is_shown(student: Outcome, outcomes: dict[Mistake, Outcome], zh: bool) -> str:
    """If two mistakes are made at once, often neither explains half of the failures. The line that
    names the only mistake that gives the numbers shown to the learner, or an empty string."""
    key = first_of(student)
    mark = fingerprint(student)[key]
    if "threw" in mark or not telling(mark) or is_claim(mark):
        return ""
    known = [mistake for mistake, outcome in outcomes.items()
             if key in explained({key: mark}, fingerprint(outcome))]
    if len(known) != 1:
        return ""
    why = "it gives the numbers shown, but not those of the other tests"
    return f"  resembles  {known[0].said(zh)} ({why})"


def resemblance(check: dict, outcome: Outcome) -> str:
    """What the numbers of a failed check are, whatever the mistake; empty if unrecognised."""
    expected, actual = check.get("expected"), check.get("actual")
    if not expected or not actual or check.get("kind") == "text":
        return ""
    for other in outcome.checks:
        wanted = other.get("expected")
        if other["case"] == check["case"] and other["check"] != check["check"] and wanted \
                and tells_results_apart(wanted) and same_numbers(wanted, actual):
            return f"these are the numbers of {other['check']}: two results are swapped"
    if turned(expected, actual):
        return "rows and columns are swapped: this is the transpose of what is expected"
    if expected["shape"] != actual["shape"]:
        return ""
    wanted, numbers = (list(map(float, side["values"])) for side in (expected, actual))
    if any(map(math.isnan, numbers)):
        return ("NaN: 0 / 0, inf - inf, inf / inf (exp of a large number is inf), or a number that "
                "was never written (new memory is full of NaN)")
    if any(FRESH / 10 < abs(number) < math.inf for number in numbers):
        return "about 1e30: a number that was never written (a device's new memory is full of 1e30)"
    pairs = [(e, a) for e, a in zip(wanted, numbers) if abs(e) > 1e-3]
    if len(pairs) < 3 or len({e for e, _ in pairs}) < 2 \
            or not all(map(math.isfinite, wanted + numbers)):
        return ""
    factor = pairs[0][1] / pairs[0][0]
    if factor and all(is_close(e * factor, a) for e, a in zip(wanted, numbers)):
        return ("every number has the wrong sign" if is_close(factor, -1) else
                f"every number is {factor:.4g} times the expected one")
    if all(is_close(e + numbers[0] - wanted[0], a) for e, a in zip(wanted, numbers)):
        return f"every number is the expected one plus {numbers[0] - wanted[0]:.4g}"
    if all(map(is_close, sorted(wanted), sorted(numbers))):
        return "the right numbers, but in other places"
    return ""


def tells_results_apart(numbers: dict) -> bool:
    """A single number, or only 0 and 1, may be equal by chance."""
    return len(numbers["values"]) > 1 and telling({"actual": numbers}) \
        and not set(map(float, numbers["values"])) <= {0, 1}


def turned(expected: dict, actual: dict) -> bool:
    """Is one matrix the transpose of the other, with more than one row and column?"""
    if len(expected["shape"]) != 2 or expected["shape"] != actual["shape"][::-1] \
            or 1 in expected["shape"]:
        return False
    rows, columns = expected["shape"]
    return same_numbers({"shape": [], "values": [expected["values"][r * columns + c]
                                                 for c in range(columns) for r in range(rows)]},
                        {"shape": [], "values": actual["values"]}) \
        and telling({"actual": actual})


# ---- what the mistakes give ----------------------------------------------------------------------


def known_outcomes(kit: Kit, exercise: Exercise, tick=lambda: None) -> dict[Mistake, Outcome]:
    """The recorded results, without compiling anything; rerun if a source has changed since. A
    handout without solutions has the record only. A course has other numbers, so all mistakes are
    rerun, along with the published solution if the course asks for a variant."""
    if exercise.salt:
        if not exercise.published.exists():
            return {}
        published = {PUBLISHED: kit.run(exercise, exercise.published)} if exercise.variant else {}
        return {**published, **run_all(kit, exercise, tick)}
    there = recorded(exercise)
    return there or (run_all(kit, exercise, tick) if exercise.solution.exists() else {})


PUBLISHED = Mistake("published", "the published exercise: your course asks for something else, "
                    "which ./learn task shows", "公开的那道题：你这门课要求的不一样，见 ./learn task",
                    "variants.md", 1, ())


def run_all(kit: Kit, exercise: Exercise, tick) -> dict[Mistake, Outcome]:
    """Runs all mistakes; `tick` is called after each."""
    def run(mistake: Mistake) -> Outcome:
        outcome = kit.run_mistake(exercise, mistake)
        tick()
        return outcome

    mistakes = exercise.mistakes
    with workers(setup.parallel_jobs()) as pool:
        return dict(zip(mistakes, pool.map(run, mistakes)))


def stamps(exercise: Exercise) -> dict[str, str]:
    """Hashes of the sources that a record is made from."""
    changes = [(mistake.name, *((block.kind, *block.code) for block in mistake.blocks))
               for mistake in exercise.mistakes]
    return {"stamp": digest(exercise.path / "test.cpp", *sorted(exercise.path.glob("*.hpp")),
                            *changes),
            "solution": digest(exercise.solution) if exercise.solution.exists() else ""}


def recorded(exercise: Exercise) -> dict[Mistake, Outcome]:
    """What `./learn verify --record` wrote, or nothing if it is damaged or from other sources."""
    try:
        text, begin = RECORD.read_text(encoding="utf-8"), f'"{exercise.id}":'
        at = text.index(begin + '{"stamp"') + len(begin)  # parsing the whole file is slower
        record, _ = json.JSONDecoder().raw_decode(text, at)
        if any(stamp and record.get(name) != stamp for name, stamp in stamps(exercise).items()):
            return {}
        return {mistake: outcome_with(record["mutants"][mistake.name], record["names"])
                for mistake in exercise.mistakes}
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return {}


def outcome_with(marks: list[list], names: list[str]) -> Outcome:
    """Each mark is [case, check, shape, numbers], [case, check] without a tensor, or [case, message
    of the exception]; cases and checks are indices into the list of names."""
    outcome = Outcome()
    for case, what, *tensor in marks:
        if isinstance(what, str):
            outcome.threw.append({"case": names[case], "threw": what})
        else:
            actual = {"actual": {"shape": tensor[0], "values": tensor[1]}} if tensor else {}
            outcome.checks.append({"case": names[case], "check": names[what], "ok": False,
                                   **actual})
    return outcome


def kept(mark: dict, names: dict[str, int]) -> list:
    """In the format that outcome_with() reads; adds to the names."""
    def number(name: str) -> int:
        return names.setdefault(name, len(names))

    if "threw" in mark:
        return [number(mark["case"]), without_place(mark["threw"])]
    actual = mark.get("actual")
    return [number(mark["case"]), number(mark["check"]), *(
        [actual["shape"], [shorter(value) for value in told(actual)]] if actual else [])]


def shorter(value: float) -> float | int:
    value = float(f"{value:.{DIGITS}g}")
    return int(value) if value.is_integer() and abs(value) < 10 ** DIGITS else value


def record(exercise: Exercise, outcomes: dict[Mistake, Outcome]) -> None:
    """Replaces the record of the exercise."""
    names: dict[str, int] = {}
    mutants = {mistake.name: [kept(mark, names) for mark in outcome.failed + outcome.threw]
               for mistake, outcome in outcomes.items()}
    everything = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    everything[exercise.id] = {**stamps(exercise), "names": list(names), "mutants": mutants}
    write_file(RECORD, "{" + ",\n".join(map(lines_of, sorted(everything.items()))) + "}\n")


def lines_of(entry: tuple[str, dict]) -> str:
    """One line per mistake, for readable diffs."""
    def text(value) -> str:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    name, record = entry
    head = "".join(f'"{key}":{text(record[key])},\n' for key in ("stamp", "solution", "names"))
    marks = ",\n".join(f"{text(mutant)}:{text(marks)}"
                       for mutant, marks in record["mutants"].items())
    return f'"{name}":{{{head}"mutants":{{\n{marks}}}}}'


def as_recorded(outcome: Outcome) -> Outcome:
    """What a record would preserve of it: a learner's answer is compared with no more than that."""
    names: dict[str, int] = {}
    marks = [kept(mark, names) for mark in outcome.failed + outcome.threw]
    return outcome_with(marks, list(names))


def is_recorded(exercise: Exercise, outcomes: dict[Mistake, Outcome]) -> bool:
    """Does the record match the results of the mistakes?"""
    there = recorded(exercise)
    return bool(there) and all(same_mistake(there[each], outcomes[each]) for each in there)

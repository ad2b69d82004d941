"""The outcome of running the tests, parsed from the report of the test program."""

from __future__ import annotations

import json
import math
import signal
from dataclasses import dataclass, field

from tools.exercises.run import MOST_PRINTED, MOST_REPORTED, Limits, Ran

# For running tests. WALL covers sleeping or starved programs. Some tests start three dozen threads
# again and again, and the kernel still counts those that have ended for a while.
CPU_SECONDS = 4
TEST_LIMITS = Limits(wall=30, cpu=CPU_SECONDS, file=1 << 20, processes=256)
SLACK = 10  # for fresh inputs with unknown rounding; memorised answers are far off
MOST_AXES, MOST_DIGITS = 8, 18  # for untrusted reports
TAMPERED = "the report was tampered with"


@dataclass
class Outcome:
    """The outcome of running the tests. `error` is a one-line message if there is no verdict."""
    checks: list[dict] = field(default_factory=list)  # with "case", "check", "ok", ...
    threw: list[dict] = field(default_factory=list)
    cases: int = 0
    names: list[str] = field(default_factory=list)  # the tests that were started, in order
    error: str = ""
    log: str = ""  # the compiler's errors, or the program's output

    @property
    def failed(self) -> list[dict]:
        return [check for check in self.checks if not check["ok"]]

    @property
    def bad(self) -> set[str]:
        """The names of the failing tests."""
        return {mark["case"] for mark in self.failed + self.threw}

    @property
    def unfinished(self) -> str:
        """The name of the function that is still to be written according to its TODO."""
        first = self.threw[0]["threw"] if self.threw else ""
        return first.split('"')[1] if first.startswith("TODO(") and '"' in first else ""

    @property
    def passed(self) -> bool:
        return not (self.error or self.failed or self.threw)

    @property
    def prints(self) -> list[tuple[str, str]]:
        """What the learner's code printed: (the running test, "" before the first; the text)."""
        before, *parts = self.log.split("\x1e")
        cut = [("", before), *((part.partition("\n")[0], part.partition("\n")[2])
                               for part in parts)]
        return [(case, text) for case, text in cut if text.strip()]


def outcome_of(ran: Ran) -> Outcome:
    """What the program reported, not yet compared with the expected values."""
    outcome = read_report(ran.report.decode("utf-8", "replace").splitlines(), ran.status,
                          ran.printed.decode("utf-8", "replace"))
    if ran.flooded == "printed":
        outcome.error = f"stopped: it printed more than {MOST_PRINTED >> 20} MiB"
    elif ran.flooded:
        outcome.error = f"stopped: its numbers take more than {MOST_REPORTED >> 20} MiB"
    return outcome


def judged(answer: Outcome, expected: Outcome, slack: float = 1) -> Outcome:
    """Compares the answer's numbers with the judge's, which the answer's process never had. The
    same tests must have run, each with the same checks; if one threw, with a prefix of them."""
    for check in answer.checks:
        check["ok"] = False
    faults = [check for check in answer.checks if "fault" in check]
    numbers = [check for check in answer.checks if "fault" not in check]
    ended_by = {event["case"] for event in answer.threw}
    wanted = {case: [c for c in expected.checks if c["case"] == case] for case in expected.names}
    for case, checks in wanted.items():
        mine = [check for check in numbers if check["case"] == case]
        names = [check["check"] for check in checks]
        for check, right in zip(mine, checks):
            check.update(expected=right["expected"], kind=right["kind"],
                         ok=close(right["expected"], check.get("actual"), slack))
        if [check["check"] for check in mine] != names[:len(mine)] or (
                len(mine) != len(names) and case not in ended_by and not answer.error):
            answer.error = answer.error or TAMPERED
    begun = len(answer.names)
    if answer.names != expected.names[:begun] or not (
            answer.error or begun == answer.cases == expected.cases):
        answer.error = answer.error or TAMPERED
    for fault in faults:
        fault["check"] = fault["fault"]
    return answer


def close(expected: dict | None, actual: dict | None, slack: float = 1) -> bool:
    if expected is None or actual is None or expected["shape"] != actual["shape"]:
        return False
    return all(e == a  # two infinities, too
               or (math.isfinite(e) and abs(e - a) <= slack * (1e-5 + 1e-4 * abs(e)))  # NaN is not
               for e, a in zip(expected["values"], actual["values"]))


def read_report(lines: list[str], status: int, log: str) -> Outcome:
    outcome, case, ended = Outcome(log=log), "", False
    for number, line in enumerate(lines):
        event = parsed(line)
        if ended or not event:  # nothing may follow the end, and no line may be meaningless
            outcome.error = TAMPERED
        elif "case" in event:
            case = event["case"]
            outcome.names.append(case)
        elif "threw" in event:
            outcome.threw.append({"case": case, "at": number, **event})
        elif "end" in event:
            ended, outcome.cases = True, event["end"]
        else:
            outcome.checks.append({"case": case, "at": number, **event})
    if outcome.error:
        return outcome
    where = f" in the test \"{case}\"" if case else ""
    if status in (-signal.SIGXCPU, -signal.SIGKILL, -signal.SIGALRM):
        seconds = TEST_LIMITS.wall if status == -signal.SIGALRM else CPU_SECONDS
        outcome.error = (f"stopped after {seconds} s{where}: a loop that never ends, or far too "
                         "many steps?")
    elif status < 0:
        outcome.error = f"crashed ({signal_name(-status)}){where}"
    elif not ended:
        outcome.error = f"the program ended{where} before the tests did (exit?)"
    elif status and not outcome.threw:  # a test failed, but the report does not say which
        outcome.error = TAMPERED
    return outcome


def parsed(line: str) -> dict:
    """The event in a line, or an empty dict: the line may come from anybody."""
    try:
        event = json.loads(line, parse_int=whole)
        if set(event) == {"check", "actual"} and isinstance(event["check"], str):
            return {"check": event["check"], "actual": tensor(event["actual"])}
        if set(event) == {"check", "kind", "expected"}:  # only from the judge's program
            return {**event, "expected": tensor(event["expected"])}
        for name, kind in (("case", str), ("threw", str), ("fault", str), ("end", int)):
            if set(event) == {name} and type(event[name]) is kind:
                return event
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        pass
    return {}


def whole(digits: str) -> int:
    """Parsing an integer with a million digits would take Python minutes."""
    if len(digits) > MOST_DIGITS:
        raise ValueError("no size")
    return int(digits)


def tensor(told: dict | None) -> dict | None:
    """Raises ValueError if it is not a valid tensor."""
    if told is None:
        return None
    shape, values = told["shape"], told["values"]
    if len(shape) > MOST_AXES or not all(type(size) is int and size >= 0 for size in shape) \
            or math.prod(shape) != len(values):
        raise ValueError("no tensor")
    return {"shape": shape, "values": [float(value) for value in values]}


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # one of the real-time signals
        return f"signal {number}"

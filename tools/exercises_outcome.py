"""What a run of the tests did, read from what came back of it."""

from __future__ import annotations

import json
import signal
from dataclasses import dataclass, field

from tools.exercises_run import MOST_PRINTED, MOST_REPORTED, Limits, Ran

# Of the tests. WALL is for a sleeping or starved program.
CPU_SECONDS = 4
TEST_LIMITS = Limits(wall=30, cpu=CPU_SECONDS, file=1 << 20, processes=64)
TAMPERED = "the report was tampered with"


@dataclass
class Outcome:
    """What a run of the tests did. `error` is a line when no verdict was reached."""
    checks: list[dict] = field(default_factory=list)  # with "case", "check", "ok", ...
    threw: list[dict] = field(default_factory=list)
    cases: int = 0
    names: list[str] = field(default_factory=list)  # of the tests that began, in order
    error: str = ""
    log: str = ""  # of the compiler, or what the program printed

    @property
    def failed(self) -> list[dict]:
        return [check for check in self.checks if not check["ok"]]

    @property
    def bad(self) -> set[str]:
        """The names of the tests that fail."""
        return {mark["case"] for mark in self.failed + self.threw}

    @property
    def unfinished(self) -> str:
        """The place that the skeleton names, when the function was not written yet."""
        first = self.threw[0]["threw"] if self.threw else ""
        return first.split('"')[1] if first.startswith("TO" + "DO(") and '"' in first else ""

    @property
    def passed(self) -> bool:
        return not (self.error or self.failed or self.threw)

    @property
    def prints(self) -> list[tuple[str, str]]:
        """What the learner's code printed: the test that ran ("" before the first), the text."""
        before, *parts = self.log.split("\x1e")
        cut = [("", before), *((part.partition("\n")[0], part.partition("\n")[2])
                               for part in parts)]
        return [(case, text) for case, text in cut if text.strip()]


def outcome_of(ran: Ran) -> Outcome:
    """Only lines behind the secret of this run count, and there may be no others."""
    lines, prefix = ran.report.split(b"\n"), ran.secret + b" "
    genuine = [line[len(prefix):].decode("utf-8", "replace") for line in lines
               if line.startswith(prefix)]
    outcome = read_report(genuine, ran.status, ran.printed.decode("utf-8", "replace"))
    if ran.flooded == "printed":
        outcome.error = f"stopped: it printed more than {MOST_PRINTED >> 20} MiB"
    elif ran.flooded and all(line[:len(prefix)] == prefix[:len(line)] for line in lines):
        outcome.error = f"stopped: its numbers take more than {MOST_REPORTED >> 20} MiB"
    elif ran.flooded or len(genuine) + 1 != len(lines) or lines[-1]:
        outcome.error = TAMPERED
    return outcome


def read_report(lines: list[str], status: int, log: str) -> Outcome:
    outcome, case, ended = Outcome(log=log), "", False
    for number, line in enumerate(lines):
        event = parsed(line)
        case = event.get("case", case)
        if "case" in event:
            outcome.names.append(case)
        elif "check" in event:
            outcome.checks.append({"case": case, "at": number, **event})
        elif "threw" in event:
            outcome.threw.append({"case": case, "at": number, **event})
        elif "end" in event:
            ended, outcome.cases = True, event["end"]
    where = f" in the test \"{case}\"" if case else ""
    if status in (-signal.SIGXCPU, -signal.SIGKILL, -signal.SIGALRM):
        seconds = TEST_LIMITS.wall if status == -signal.SIGALRM else CPU_SECONDS
        outcome.error = f"stopped after {seconds} s{where}: a loop that never ends?"
    elif status < 0:
        outcome.error = f"crashed ({signal_name(-status)}){where}"
    elif not ended:
        outcome.error = f"the program ended{where} before the tests did (exit?)"
    elif status and outcome.passed:  # doctest counted a failure that no check reported
        outcome.error = TAMPERED
    return outcome


def parsed(line: str) -> dict:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return event if isinstance(event, dict) else {}


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # one of the real-time signals
        return f"signal {number}"

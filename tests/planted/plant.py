#!/usr/bin/env python3
"""Plants faults in the product, one after the other, and runs the tests that should notice: those
of faults.py, or the ones that are named. Fails when one of them is not noticed.

It works in a clone of this checkout's last commit, in build/planted, so nothing here is touched.
Before the first fault the same tests must pass there.

    tests/planted/plant.py [NAME …]
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from tests.planted.faults import FAULTS, Fault  # noqa: E402

PLACE = ROOT / "build" / "planted"
BUILD = PLACE / "build" / "release"


@dataclass
class Test:
    """A test of ctest, or some of its cases: `pages Findings`, `ops -tc=softmax*`."""
    command: list[str]
    folder: str
    environment: list[str]
    seconds: int

    def programs(self) -> set[str]:
        """Those that it starts: in its command, or named in the script."""
        found = {Path(word).name for word in self.command if Path(word).parent == BUILD / "bin"}
        script = next((word for word in self.command if word.endswith(".py")), None)
        text = Path(script).read_text(encoding="utf-8") if script else ""
        return found | {name for name in re.findall(r'"(\d\d_\w+|live|bench)"', text)
                        if (BUILD / "bin" / name).exists()}

    def fails(self, more: list[str]) -> bool:
        try:
            ran = subprocess.run(["env", *self.environment, *self.command, *more], cwd=self.folder,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                 timeout=self.seconds)
        except subprocess.TimeoutExpired:
            return True
        return ran.returncode not in (0, 77)


def tests() -> dict[str, Test]:
    told = subprocess.run(["ctest", "--test-dir", str(BUILD), "--show-only=json-v1"], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    found = {}
    for test in json.loads(told)["tests"]:
        properties = {one["name"]: one["value"] for one in test["properties"]}
        found[test["name"]] = Test(test["command"], properties["WORKING_DIRECTORY"],
                                   properties.get("ENVIRONMENT", []),
                                   int(properties.get("TIMEOUT", 1500)))
    return found


def build(programs: set[str] = frozenset()) -> bool:
    """These programs of build/release/bin, or everything."""
    targets = ["--target", *(f"bin/{name}" for name in sorted(programs))] if programs else []
    return subprocess.run(["cmake", "--build", str(BUILD), *targets], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode == 0


def prepare() -> None:
    if not (PLACE / ".git").exists():
        subprocess.run(["git", "clone", "-q", str(ROOT), str(PLACE)], check=True)
    for command in (["fetch", "-q", "origin", "HEAD"], ["reset", "-q", "--hard", "FETCH_HEAD"]):
        subprocess.run(["git", *command], cwd=PLACE, check=True)
    subprocess.run(["cmake", "--preset", "release"], cwd=PLACE, check=True,
                   stdout=subprocess.DEVNULL)
    if not build():
        sys.exit("plant.py: the commit does not build")
    subprocess.run(["ctest", "--test-dir", str(BUILD), "-R", "^lesson_"], check=True,
                   stdout=subprocess.DEVNULL)


def failing(known: dict[str, Test], wanted: tuple[str, ...]) -> list[str]:
    """Which of the tests fail."""
    failed = []
    for name in wanted:
        test, *more = name.split(" ")
        if known[test].fails(more):
            failed.append(name)
    return failed


def planted(fault: Fault, known: dict[str, Test]) -> str:
    """What became of it."""
    path = PLACE / fault.file
    text = path.read_text(encoding="utf-8")
    path.write_text(fault.planted_in(text), encoding="utf-8")
    try:
        started = [known[test.split(" ")[0]].programs() for test in fault.tests]
        if path.suffix in (".cpp", ".hpp", ".js") and not build(
                set().union(*started) if all(started) else set()):
            return "does not build"
        failed = failing(known, fault.tests)
        return f"noticed by {', '.join(failed)}" if failed else "NOT NOTICED"
    finally:
        path.write_text(text, encoding="utf-8")


def main(names: list[str]) -> int:
    chosen = [fault for fault in FAULTS if not names or fault.name in names]
    unknown = set(names) - {fault.name for fault in FAULTS}
    if unknown:
        print(f"plant.py: no fault is called {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    prepare()
    known = tests()
    wrong = failing(known, tuple(dict.fromkeys(test for fault in chosen for test in fault.tests)))
    if wrong:
        print(f"without any fault these fail: {', '.join(wrong)}")
        return 1
    missed = 0
    for fault in chosen:
        start = time.monotonic()
        found = planted(fault, known)
        missed += not found.startswith("noticed")
        print(f"{fault.room:12} {fault.name:28} {found}  ({time.monotonic() - start:.0f} s)",
              flush=True)
    build()
    print(f"{len(chosen) - missed} of {len(chosen)} are noticed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

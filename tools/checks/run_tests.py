"""`./learn test`: builds everything, or what the tests of `--filter` start, runs ctest, and counts.
With `--preset asan` or `--preset tsan` it builds with sanitizers, in build/PRESET, and runs the
tests that start what was built."""

from __future__ import annotations

import argparse
import re
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from tools import setup
from tools.checks import long
from tools.terminal import BUILD, Flags, Stop, quiet_environment, say, say_what_is_unset

PRESETS = ("release", "asan", "tsan")  # of CMakePresets.json


def main(arguments: list[str]) -> int:
    parser = Flags("test", description="build and run the tests")
    parser.add_argument("--filter", metavar="NAME", type=expression,
                        help="only tests whose name contains NAME")
    parser.add_argument("--long", metavar="NAME", nargs="*", choices=long.NAMES,
                        help="the checks that take too long for every commit, some with other "
                        "compilers and processors: only those named or, with no name, all of them, "
                        "after a list with the date and the log of each")
    parser.add_argument("--preset", metavar="NAME", default=PRESETS[0], choices=PRESETS,
                        help="asan: with AddressSanitizer and UBSan; tsan: the tests of threads, "
                        "with ThreadSanitizer")
    options = parser.parse_args(arguments)
    if options.long is not None:
        return long.main(options.long)
    folder = BUILD.parent / options.preset
    with setup.alone_in(folder):
        setup.install(setup.TEST_PACKAGES)
        setup.configure([], folder)
        setup.build(started_by(options.filter, folder), folder)
    setup.offered("chromium", setup.BROWSERS, "the tests of pages will be skipped")
    say_what_is_unset()
    report = folder / "ctest.xml"
    report.unlink(missing_ok=True)
    status = subprocess.call(ctest(report, options.filter), env=quiet_environment())
    if not report.exists():
        raise Stop("ctest wrote no report: 0 tests ran")
    return verdict(status, *counts(report))


def expression(text: str) -> str:
    """The regular expression for ctest; checked before anything is built."""
    try:
        re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"'{text[:40]}' is not a regular expression ({error})") \
            from None
    return text


def ctest(report: Path, only: str | None) -> list[str]:
    command = ["ctest", "--preset", report.parent.name, "--no-label-summary",
               "--parallel", str(setup.parallel_jobs() + 2),  # some wait
               "--output-junit", str(report)]
    return command + (["-R", only] if only else [])


def started_by(only: str | None, folder: Path) -> list[str] | None:
    """The programs in bin that the tests named by --filter start, according to CMake's lists; None,
    for everything, if one of them may start others, that is, if it is a script without the label
    `sources`."""
    lists = "".join(path.read_text() for path in sorted(folder.glob("*/CTestTestfile.cmake")))
    labelled = r'set_tests_properties\((?:\[=\[)?([\w-]+)[^\n]*\bLABELS "sources"'
    first = r'^add_test\((?:\[=\[)?([\w-]+)(?:\]=\])? (?:"[^"]*" "[^"]*/keep_lesson.sh" )?"([^"]*)"'
    known = dict(re.findall(first, lists, re.M))
    known.update(dict.fromkeys(re.findall(labelled, lists), ""))
    chosen = {start for name, start in known.items() if only and re.search(only, name)}
    if not chosen or any(Path(start).parent != folder / "bin" for start in chosen - {""}):
        return None
    return sorted(Path(start).name for start in chosen - {""})


def counts(report: Path) -> tuple[int, int, int]:
    """The numbers of passed, failed and skipped tests; a test that could not start failed."""
    passed = failed = skipped = 0
    for test in ElementTree.parse(report).getroot().iter("testcase"):
        if test.get("status") == "run":
            passed += 1
        elif is_skip(test):
            skipped += 1
        else:
            failed += 1
    return passed, failed, skipped


def is_skip(test: ElementTree.Element) -> bool:
    """ctest gives the reason: SKIP_RETURN_CODE, SKIP_REGULAR_EXPRESSION, or DISABLED."""
    reason = test.find("skipped")
    return test.get("status") == "disabled" or (
        reason is not None and reason.get("message", "").startswith("SKIP"))


def verdict(status: int, passed: int, failed: int, skipped: int) -> int:
    if passed + failed == 0:
        say("0 tests ran: that is a failure")
    say(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 0 if status == 0 and failed == 0 and passed > 0 else 1

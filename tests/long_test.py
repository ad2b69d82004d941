#!/usr/bin/env python3
"""`./learn test --long`: its list, its logs and what is run, without what takes long."""

from __future__ import annotations

import datetime
import re
import unittest
from unittest import mock

from support.checkout import ROOT, WithFolder, output_of, read
from tests.planted.faults import FAULTS
from tools import setup
from tools.checks import digits, long, matrix

GOOD, BAD = "cmake -E echo good", "cmake -E false"
TODAY = datetime.date.today().isoformat()


def said(names: list[str]) -> tuple[int, str]:
    return output_of(long.main, names)


class Long(WithFolder):
    def setUp(self):
        self.log = self.folder / "log.txt"

    def items(self, **commands: tuple[str, ...]) -> None:
        """The list is of these alone, all with one log."""
        self.patch(long, "ITEMS", tuple(long.Item(name, "it", self.log, each)
                                        for name, each in commands.items()))

    def test_the_list_has_the_last_date_and_the_log_of_each(self):
        self.items(one=(GOOD,), other=(GOOD,))
        for text, dates in (("", ["never"] * 2),
                            ("by hand, 2025-01-02 and 2025-01-03\n", ["2025-01-03"] * 2),
                            ("2025-01-03\n# ./learn test --long one, 2026-02-03\n2027-01-01\n",
                             ["2026-02-03", "2025-01-03"])):
            self.log.write_text(text)
            self.assertEqual(re.findall(r"^  (?:one|other) +it +(\S+) +\S+log.txt$",
                                        output_of(long.show)[1], re.M), dates)

    def test_each_fault_can_be_planted_in_what_stands_there_now(self):
        self.assertEqual(len({fault.name for fault in FAULTS}), len(FAULTS))
        for fault in FAULTS:
            text = read(fault.file)
            self.assertNotEqual(text, fault.planted_in(text), fault.name)

    def test_of_rows_the_oldest_counts(self):
        self.log.write_text("a: 2026-03-04\nb: 2026-01-02\n")
        self.assertEqual(long.Item("x", "it", self.log, rows=("a", "b")).last(), "2026-01-02")

    def test_each_log_that_is_named_is_there_or_was_never_written(self):
        for item in long.ITEMS:
            self.assertEqual(item.log.exists(), bool(re.match("20", item.last())), item.name)

    def test_what_is_named_is_run_and_all_of_it_though_a_part_fails(self):
        self.items(one=(BAD, GOOD), other=(GOOD,))
        self.log.write_text("by hand\n")
        status, text = said(["one"])
        self.assertEqual(status, 1)
        self.assertTrue(text.endswith(f"$ {BAD}\n$ {GOOD}\ngood\nfailed: one\n"), text)
        said(["other"])
        self.assertEqual(said([])[0], 1)  # without a name, all; what was written goes
        first, *parts = re.split(f"^(?={long.HEAD})", self.log.read_text(), flags=re.M)
        self.assertEqual(first, "by hand\n")
        self.assertEqual(len(parts), 2)
        self.assertRegex(parts[0], rf"^{long.HEAD}one, {TODAY}, .* s: failed: {BAD}\n"
                                   rf"\$ {BAD}\n\$ {GOOD}\ngood\n$")
        self.assertRegex(parts[1], rf"^{long.HEAD}other, {TODAY}, .* s: nothing failed\n")

    def test_what_skips_all_of_its_tests_has_failed(self):
        for said_of_tests, status in (("ss", 1), ("", 1), ("s.", 0), ("test_x ... ok", 0)):
            self.items(one=(f"printf '{said_of_tests}\\n\\nOK (skipped=2)\\n'",))
            self.assertEqual(said(["one"])[0], status)

    def test_what_tests_start_is_built_first(self):
        self.items(one=("tests/no_such_test.py",), other=(GOOD,))
        with mock.patch.object(setup, "set_up") as built:
            self.assertEqual(said([])[0], 1)
        built.assert_called_once_with(setup.TEST_PACKAGES)

    def test_a_log_has_no_path_of_this_machine(self):
        self.items(one=(f"cmake -E echo {ROOT}/build {ROOT}",))
        self.assertEqual(said(["one"])[0], 0)
        self.assertTrue(self.log.read_text().endswith("\nbuild .\n"), self.log.read_text())

    def test_rows_are_run_alone_or_all_of_them(self):
        for names, of_matrix, of_digits in ((["matrix"], [], None), (["g++-v2"], None, ["g++-v2"]),
                                            (["clang-14", "digits"], ["clang-14"], [])):
            with mock.patch.object(matrix, "main", return_value=0) as one, \
                    mock.patch.object(digits, "main", return_value=0) as other:
                self.assertEqual(said(names)[0], 0)
                for ran, wanted in ((one, of_matrix), (other, of_digits)):
                    self.assertEqual([call.args[0] for call in ran.call_args_list],
                                     [] if wanted is None else [wanted])

    def test_what_it_starts_is_there(self):
        for item in long.ITEMS:
            for command in item.commands:
                first = command.split()[0]
                self.assertTrue(first == "cmake" or (ROOT / first).is_file(), command)
        self.assertEqual(len(set(long.NAMES)), len(long.NAMES))


if __name__ == "__main__":
    unittest.main()

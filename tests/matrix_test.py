#!/usr/bin/env python3
"""`./learn test --long matrix`: its rows, records and the tables of the pages, without building."""

from __future__ import annotations

import re
import unittest
from pathlib import Path
from unittest import mock

from support.checkout import ROOT, WithFolder, learn, output_of, read
from tools import setup, terminal
from tools.checks import arm64, matrix

REPORT = """<testsuite>
  <testcase name="ops" status="run"><system-out>[doctest] test cases:  61 |  61 passed | 0 failed
  </system-out></testcase>
  <testcase name="commands" status="run"><system-out>
Ran 35 tests in 2.5s
  </system-out></testcase>
  <testcase name="chapters" status="fail"><failure/><system-out>[doctest] test cases: 9 | 8 passed
  </system-out></testcase>
  <testcase name="processes" status="notrun"><skipped/><system-out>skipped: without MPI
  </system-out></testcase>
</testsuite>"""


def said(names: list[str]) -> tuple[int, str]:
    return output_of(matrix.main, names)


class Matrix(WithFolder):
    def test_to_a_row_that_does_not_exist_the_answer_names_those_that_do(self):
        answer = learn("test", "--long", "msvc")
        self.assertEqual(answer.returncode, 2)
        for name in ("msvc", *(row.name for row in matrix.ROWS)):
            self.assertRegex(answer.stderr.splitlines()[0], rf"\b{re.escape(name)}\b")

    def test_a_compiler_that_is_not_installed_is_skipped_by_name(self):
        with mock.patch("shutil.which", lambda program: None):
            status, text = said(["clang-19", "aarch64"])
        self.assertEqual(status, 0)
        self.assertEqual(text, "clang-19: skipped, not installed: clang-19\naarch64: skipped, "
                         "not installed: g++-aarch64-linux-gnu qemu-user\n")

    def test_a_row_of_the_same_sources_is_done_unless_it_is_named(self):
        done = {row.name: {"sources": matrix.fingerprint()} for row in matrix.ROWS}
        with mock.patch.object(matrix, "records", lambda: done), \
                mock.patch.object(matrix.Row, "missing", lambda row: []), \
                mock.patch.object(matrix, "run", return_value=True) as run:
            self.assertEqual(said([])[0], 0)
            self.assertEqual(run.call_count, 0)
            said(["g++-11"])
            self.assertEqual(run.call_count, 1)

    def test_programs_and_cases_are_counted_and_failures_named(self):
        report = self.folder / "ctest.xml"
        report.write_text(REPORT)
        self.assertEqual(matrix.results(report), {"programs": 3, "passed": 2, "cases": 96,
                                                  "failed": ["chapters"]})

    def test_every_name_of_its_filter_is_a_test(self):
        lists = read("tests/CMakeLists.txt") + "".join(
            path.name for path in (ROOT / "tests").iterdir())
        for name in matrix.TESTS:
            name = re.split(r"_\.\*|\(|_\\d", name)[0]
            self.assertIn(name, lists + "bench")

    def test_an_emulated_processor_leaves_out_the_lessons_that_train(self):
        rows = {row.name: matrix.testing(row, Path("r")) for row in matrix.ROWS}
        self.assertEqual([name for name, command in rows.items() if "-E" in command], ["aarch64"])

    def test_packages_for_another_processor_go_into_a_folder_of_their_own(self):
        commands = []
        with mock.patch.object(arm64, "timed", lambda _, command, *__, **___: (
                commands.append(command), (0, 0.0))[1]):
            arguments = arm64.cmake_arguments(self.folder)
        self.assertEqual([command[0] for command in commands], ["apt-get", "apt-get"])
        for command in commands:
            self.assertIn(f"Dir::State={self.folder / 'apt'}", command)
        self.assertIn("-DCMAKE_SYSTEM_PROCESSOR=aarch64", arguments)

    def test_apt_get_that_fails_is_named_with_its_log(self):
        with mock.patch.object(arm64, "timed", return_value=(100, 0.0)):
            with self.assertRaisesRegex(terminal.Stop, "apt-get failed .*apt.log"):
                arm64.cmake_arguments(self.folder)

    def test_versions_are_read_from_each_kind_of_compiler(self):
        said_by = {"g++-11": "g++-11 (Debian 11.3.0-12) 11.3.0\nCopyright",
                   "clang-14": "Debian clang version 14.0.6\nTarget: x86_64",
                   "aarch64": "aarch64-linux-gnu-g++ (Debian 12.2.0-14) 12.2.0",
                   "clang-tidy": "Debian LLVM version 19.1.7\n  Optimized build."}
        wanted = ["g++ 11.3.0", "clang 14.0.6", "g++ 12.2.0", "clang-tidy 19.1.7"]
        rows = [row for row in matrix.ROWS if row.name in said_by]
        for row, version in zip(rows, wanted):
            with mock.patch("subprocess.run", return_value=mock.Mock(stdout=said_by[row.name])):
                self.assertEqual(matrix.version_of(row.compiler), version)

    def test_the_dev_container_has_every_package(self):
        installed = read(".devcontainer/Dockerfile").split()
        wanted = {*setup.TEST_PACKAGES, *(row.package for row in matrix.ROWS if
                                          row.name != "g++-12"), "qemu-user"}
        self.assertEqual(wanted - set(installed), set())

    def test_the_pages_hold_the_table_of_the_records(self):
        for language, page in matrix.PAGES.items():
            text = read(page)
            self.assertEqual(matrix.with_table(text, language, matrix.records()), text,
                             f"{page.name} is not what ./learn test --long matrix would write")


if __name__ == "__main__":
    unittest.main(verbosity=2)

#!/usr/bin/env python3
"""`./learn test --preset` and CMakePresets.json, without building."""

from __future__ import annotations

import re
import subprocess
import unittest
from pathlib import Path
from unittest import mock

from support.checkout import ROOT, WithFolder, json_of, learn, output_of
from tools import setup
from tools.checks import run_tests

RELEASE = ROOT / "build/release"


class Presets(WithFolder):
    """`./learn test --preset`: which build folder, which tests."""

    def commands_of(self, *arguments: str, lists: str = "") -> list[list[str]]:
        """What is called; nothing is built, and ctest writes the report of one test. CMake has
        written these `lists` of tests, where BIN is the folder of the programs."""
        called = []

        def call(command, **_options):
            called.append(command)
            report = Path(command[command.index("--output-junit") + 1])
            report.write_text('<testsuite><testcase name="a" status="run"/></testsuite>')
            return 0

        def build(_title, command, log, **_options):
            called.append(command)
            log.parent.mkdir(parents=True, exist_ok=True)
            log.write_text("ninja: no work to do.")
            return 0, 0.0

        place = self.folder / "release" / "tests" / "CTestTestfile.cmake"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(lists.replace("BIN", f"{self.folder}/release/bin"))
        with mock.patch.object(run_tests, "BUILD", self.folder / "release"), \
                mock.patch.object(setup, "install"), mock.patch.object(setup, "timed", build), \
                mock.patch("subprocess.call", call):
            self.assertEqual(output_of(run_tests.main, list(arguments))[0], 0)
        return called

    def test_a_build_folder_is_built_by_one_at_a_time(self):
        with mock.patch.object(setup, "alone_in", side_effect=InterruptedError) as alone, \
                self.assertRaises(InterruptedError):
            self.commands_of("--preset", "asan")
        self.assertEqual("asan", alone.call_args.args[0].name)

    def test_each_preset_has_its_build_folder_and_its_tests(self):
        for arguments, name in (((), "release"), (("--preset", "asan"), "asan"),
                                (("--preset", "tsan"), "tsan")):
            configured, built, tested = self.commands_of(*arguments)
            self.assertEqual(configured, ["cmake", "--preset", name])
            self.assertEqual(Path(built[2]).name, name)
            self.assertEqual(tested[:3], ["ctest", "--preset", name])
            self.assertEqual(Path(tested[-1]).parent.name, name)

    def test_a_filter_goes_with_a_preset(self):
        self.assertEqual(self.commands_of("--preset", "asan", "--filter", "ops")[-1][-2:],
                         ["-R", "ops"])

    def test_for_a_filter_only_what_its_tests_start_is_built(self):
        lists = ('add_test([=[ops]=] "BIN/test_ops")\nadd_test(text "BIN/test_text")\n'
                 'add_test([=[lesson_02_attention]=] "BIN/02_attention" "--out" "x")\n'
                 'add_test([=[house]=] "python3" "house_test.py")\n'
                 'set_tests_properties([=[house]=] PROPERTIES  LABELS "sources" X "y")\n'
                 'add_test([=[language]=] "python3" "language_test.py")\n')
        for only, programs in (("ops|house", ["ops"]), ("ops|text", ["ops", "text"]), ("house", []),
                               ("ops|language", None), ("lesson_02|language", None),
                               ("no such test", None)):
            built = [command[command.index("--target") + 1:] if "--target" in command else None
                     for command in self.commands_of("--filter", only, lists=lists)[1:-1]]
            wanted = programs and [f"bin/test_{name}" for name in programs]
            self.assertEqual(built, [] if programs == [] else [wanted], only)

    def test_to_an_unknown_preset_the_answer_names_those_that_there_are(self):
        answer = learn("test", "--preset", "msan")
        self.assertEqual(answer.returncode, 2)
        for name in ("msan", *run_tests.PRESETS):
            self.assertRegex(answer.stderr.splitlines()[0], rf"\b{name}\b")

    @unittest.skipUnless(RELEASE.is_dir(), "the release is not built")
    def test_the_presets_are_those_of_cmake_and_their_filters_name_tests(self):
        presets = json_of(ROOT / "CMakePresets.json")
        listed = subprocess.run(["ctest", "--test-dir", RELEASE, "-N"], stdout=subprocess.PIPE,
                                text=True).stdout
        tests = re.findall(r"^ *Test +#\d+: (\S+)$", listed, re.M)
        for kind in ("configurePresets", "buildPresets", "testPresets"):
            self.assertLessEqual(set(run_tests.PRESETS), {one["name"] for one in presets[kind]})
        for one in presets["testPresets"]:
            include = one.get("filter", {}).get("include", {}).get("name", "^()$")
            for name in filter(None, include[2:-2].split("|")):
                self.assertTrue(any(re.fullmatch(name, test) for test in tests), name)


if __name__ == "__main__":
    unittest.main(verbosity=2)

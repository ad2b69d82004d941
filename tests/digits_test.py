"""The same digits on every machine, as far as a short test can show it: all lessons but the 7th
give the recorded bytes with 1 thread and with 2, and one of them also when it is compiled for
x86-64-v2, for a processor of 2009. `./learn test --long digits` compares everything."""

import os
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from tools.book import recorded  # noqa: E402
from tools.checks import digits  # noqa: E402

BIN = Path(os.environ.get("XF_BIN", ROOT / "build/release/bin"))
QUICK = [name for name in recorded.LESSONS if name != recorded.TRAINING]
COMPILED = ["06_decoder"]  # which has the layers of the five before it
MEANT = "a lesson that is meant to print this: ./learn docs --record digits"
OLD = digits.Row("v2", "g++", "x86-64-v2")


class Digits(unittest.TestCase):
    def test_the_lessons_give_the_recorded_bytes_with_any_number_of_threads(self):
        for threads in (1, 2):
            for name in QUICK:
                with self.subTest(lesson=name, threads=threads):
                    found = recorded.digests_of_its_test(name) if threads == 2 else None
                    found = found or recorded.digests(name, BIN, threads)
                    self.assertEqual(recorded.differences(name, found), [], MEANT)

    def test_so_does_the_training_in_its_own_test(self):
        found = recorded.digests_of_its_test(recorded.TRAINING)
        if not found:
            self.skipTest(f"the test of {recorded.TRAINING} has not run")
        self.assertEqual(recorded.differences(recorded.TRAINING, found), [], MEANT)

    @unittest.skipIf(OLD.obstacle(), OLD.obstacle())
    def test_so_do_programs_for_a_processor_with_other_vectors(self):
        digits.build(OLD, COMPILED, ("-DXF_OPTIMISED=OFF",))
        for name in COMPILED:
            with self.subTest(lesson=name):
                found = recorded.digests(name, OLD.folder / "bin", 1)
                self.assertEqual(recorded.differences(name, found), [])

    def test_what_the_pages_quote_of_the_trainings_is_what_they_print(self):
        for name in (recorded.TRAINING, "08_transformer_xl"):
            text = (ROOT / f"docs/recorded/{name}.txt").read_text(encoding="utf-8")
            printed = text.split("\n", 1)[1].replace(f"out/{name}", ".")
            self.assertEqual(recorded.digest(recorded.unmeasured(printed).encode()),
                             recorded.known_digests()[name][""],
                             f"./learn docs --record {name} prints it again")

    def test_a_digit_that_differs_is_named(self):
        known = dict(recorded.known_digests()["06_decoder"])
        self.assertEqual(recorded.differences("06_decoder", known), [])
        known["influence.svg"] = "0"
        self.assertEqual(recorded.differences("06_decoder", known),
                         ["06_decoder: influence.svg differ"])

    def test_what_is_measured_does_not_count_and_all_else_does(self):
        printed = "  S    ms\n------\n 16  0.65 ms\nupdate 1  loss 2.5\n"
        other = "  S      ms\n--------\n 16  10.65 ms\nupdate 1  loss 2.5\n"
        self.assertEqual(recorded.unmeasured(printed), recorded.unmeasured(other))
        self.assertNotEqual(recorded.unmeasured(printed),
                            recorded.unmeasured(other.replace("2.5", "2.6")))


if __name__ == "__main__":
    unittest.main()

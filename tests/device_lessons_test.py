#!/usr/bin/env python3
"""--device of lessons 1 to 6, cuda-emulated, or what XF_DEVICE says: they say what they say on the
CPU, but for rounding.

Of each lesson the sections that train little, as the emulator takes its time, and without section
7 of lesson 5: through its 24 layers one number comes so near to ReLU's corner that rounding decides
on which side it lies, and one gradient moves by 0.1 % (with other seeds, none). The programs are
those in $XF_BIN, or of the release build. Exits with 77, for ctest a skip, where they were built
without that device.
"""

from __future__ import annotations

import re

from device_test import ON_DEVICE, main
from runs_test import Case
from support.checkout import BIN

LESSONS = {"01_embedding": (1, 2, 7), "02_attention": range(1, 11), "03_layer_norm": range(1, 6),
           "04_feed_forward": range(1, 9), "05_encoder": range(1, 7), "06_decoder": range(1, 6)}
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]\d+)?")
NOISE = 2e-6  # what is printed of this size is itself the rounding of two ways to one number


def unit(number: str) -> float:
    """One in the last digit that is printed: 0.01 of 3.14, 1e-8 of 2.5e-07."""
    digits, _, power = number.partition("e")
    return 10.0 ** (int(power or 0) - len(digits.partition(".")[2]))


def near(one: str, other: str) -> bool:
    away = abs(float(one) - float(other))
    return away <= 1.01 * max(unit(one), unit(other)) or max(abs(float(one)),
                                                             abs(float(other))) <= NOISE


def differences(here: str, there: str) -> list[tuple[str, str]]:
    """The lines that differ in more than the last digit of a number."""
    ours, theirs = here.splitlines(), there.splitlines()
    found = [(one, other) for one, other in zip(ours, theirs) if one != other and not (
        NUMBER.sub("0", one).split() == NUMBER.sub("0", other).split()
        and all(map(near, NUMBER.findall(one), NUMBER.findall(other))))]
    return found if len(ours) == len(theirs) else [*found, (f"{len(ours)}", f"{len(theirs)} lines")]


class Lessons(Case):
    def said(self, lesson: str, section: int, *more) -> str:
        words = [BIN / lesson, "--section", section, "--language", "en", "--out",
                 self.place("out"), *more]
        return self.done([str(word) for word in words])

    def test_they_say_what_they_say_on_the_cpu(self):
        every = [(lesson, section) for lesson, sections in LESSONS.items() for section in sections]
        for lesson, section in every:
            with self.subTest(lesson=lesson, section=section):
                here = self.said(lesson, section)
                self.assertGreater(len(here), 200)
                self.assertEqual(differences(here, self.said(lesson, section, *ON_DEVICE)), [])

    def test_a_difference_is_seen(self):
        self.assertEqual(differences("y = 3.14 and 2.1e-07", "y = 3.15  and 5e-08"), [])
        for wrong in ("y = 3.16 and 2.1e-07", "x = 3.14 and 2.1e-07", "y = 3.14 and 2.1e-05",
                      "y = 3.14 and nan", "y = 3.14 and 2.1e-07\nmore"):
            self.assertTrue(differences("y = 3.14 and 2.1e-07", wrong), wrong)


if __name__ == "__main__":
    main("01_embedding")

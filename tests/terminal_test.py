#!/usr/bin/env python3
"""On a terminal every line fits and headings stand out; in a pipe nothing depends on it."""

from __future__ import annotations

import re
import unittest

from support.checkout import BIN, WithFolder
from support.programs import on_terminal
from tools.terminal import columns_of

COLOUR = re.compile(r"\033\[[\d;]*m")


class Terminal(WithFolder):
    def seen(self, columns: int, program: str, *arguments: str, **environment: str) -> str:
        code, said = on_terminal(columns, [BIN / program, *arguments, "--out", self.folder],
                                 **environment)
        self.assertEqual(code, 0)
        return said

    def test_every_line_of_a_lesson_fits(self):
        for columns, program, language in ((80, "02_attention", "en"), (80, "05_encoder", "zh"),
                                           (48, "01_embedding", "en"), (60, "09_since_2017", "zh")):
            with self.subTest(program=program, columns=columns):
                said = self.seen(columns, program, "--language", language)
                lines = COLOUR.sub("", said).splitlines()
                # A path, and what is one word, is as long as it is.
                wide = [line for line in lines if columns_of(line) > columns
                        and len(line.split()) > 2]
                self.assertEqual([], wide)
                self.assertGreater(len(lines), 100)

    def test_every_line_of_the_help_fits(self):
        for language in ("en", "zh"):
            lines = self.seen(80, "02_attention", "--help", "--language", language).splitlines()
            self.assertEqual([], [line for line in lines if columns_of(line) > 80])

    def test_headings_and_findings_stand_out_where_colours_are_wanted(self):
        def colours(**environment: str) -> set[str]:
            return set(COLOUR.findall(self.seen(100, "05_encoder", **environment)))

        self.assertEqual({"\033[1m", "\033[1;36m", "\033[32m", "\033[0m"}, colours())
        self.assertEqual(set(), colours(NO_COLOR="1"))
        self.assertEqual(set(), colours(TERM="dumb"))


if __name__ == "__main__":
    unittest.main()

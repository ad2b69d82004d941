#!/usr/bin/env python3
"""axe-core on the live page: nothing serious in any panel, as it opens, in a lecture, on a
telephone, while it trains, when that is stopped and when it is reset, in both languages, light and
dark.

axe-core is no part of this project: XF_AXE is the path of its axe.min.js (npm install axe-core).
"""

from __future__ import annotations

import os
import unittest
from pathlib import Path

import live_page_test as live_page

AXE = Path(os.environ.get("XF_AXE", ""))
FINDINGS = """axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations
  .filter(({ impact }) => ['serious', 'critical'].includes(impact))
  .map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 160))
    .join(' | ')}`))"""
# What a training has come to when it is looked at.
UPDATES = {"norm": 60, "recall": 40, "train": 45, "without": 30, "neighbours": 300}


@unittest.skipUnless(AXE.is_file(), "XF_AXE does not name axe-core's axe.min.js")
class Axe(live_page.Live):
    def check(self, *state: str) -> None:
        """In both languages, light and dark, as it is now."""
        for language in ("en", "zh"):
            for theme in ("light", "dark"):
                self.js(f"state.lang = '{language}'; state.theme = '{theme}'; draw(); 0")
                self.page.frame()
                if self.js("typeof axe === 'undefined'"):
                    self.js(AXE.read_text(encoding="utf-8") + "; 0")
                with self.subTest(state=state, language=language, theme=theme):
                    self.assertEqual(self.js(FINDINGS), [])

    def at_sizes(self, *state: str) -> None:
        for width, height, lecture in ((1280, 720, True), (390, 844, False), (1280, 900, False)):
            self.page.resize(width, height, mobile=width < 500)
            self.js(f"state.lecture = {str(lecture).lower()}; 0")
            self.check(*state, f"{width} pixels" + (", a lecture" if lecture else ""))

    def test_panels(self):
        for panel in live_page.PANELS:
            self.open(panel=panel)
            self.at_sizes(panel)

    def test_what_is_shown_of_a_translation(self):
        for link in ({"together": "1", "query": "1", "key": "2"}, {"off": "mask"}, {"beam": "3"},
                     {"text": "they wotched"}, {"view": "0", "query": "1", "key": "2"}):
            self.open(**link)
            self.at_sizes("translate", str(link))
        self.js("show_keys()")
        self.check("the keys")

    def test_trainings(self):
        for panel, updates in UPDATES.items():
            self.open(panel=panel)
            self.js(f"go(training.{panel}), 0")
            self.page.wait(f"training.{panel}.runs.every(({{ update }}) => update >= {updates})",
                           300)
            self.check(panel, "while it trains")
            self.js(f"training.{panel}.going = false; 0")
            self.page.wait("engine.waiting.size === 0", 60)
            self.at_sizes(panel, "stopped")
            self.js(f"reset(training.{panel})")
            self.at_sizes(panel, "reset")


if __name__ == "__main__":
    unittest.main(verbosity=2)

#!/usr/bin/env python3
"""The page's module gives the answers of the program `live`, bit for bit: the same code, compiled
by em++ and run by node, in the arithmetic that is the same everywhere. Exits with 77, for ctest a
skip, where one of the two is missing: `./learn site` installs them, `./learn test` does not, as
they take 1.3 GB.

The program is that in $XF_BIN, or that of the release build.
"""

from __future__ import annotations

import json
import subprocess
import sys
import unittest

from live_test import load_request
from support.checkout import BIN, GOLDEN, ROOT
from tools import setup
from tools.book import live

ASK = ROOT / "tests/support/ask_module.js"
CLOCK = ("seconds", "gflops")  # what differs between two runs of the same program

TEXT = "i like the winter games"
REQUESTS = [
    {"do": "positions", "d_model": 32, "positions": 40, "base": 500},
    {"do": "translate", "text": TEXT},  # an error: nothing was loaded
    load_request(GOLDEN / "model_word"),
    {"do": "vocabulary"},
    {"do": "translate", "text": TEXT},
    {"do": "translate", "text": TEXT, "beam": 3},
    {"do": "translate", "text": TEXT, "switches": {"heads_off": [["cross", 0, 1]]}},
    {"do": "translate", "text": TEXT, "switches": {"scale": False, "positions": False}},
    {"do": "translate", "text": TEXT, "switches": {"mask": False}},
    {"do": "translate", "text": TEXT, "switches": {"residual": False}},
    {"do": "translate", "text": "<b> \u202e \" \\"},
    {"do": "taught", "number": 3},
    {"do": "by_hand", "q": [[2, 1]], "k": [[2, 0.3], [-1, 1]], "v": [[1, 0], [0, 1]]},
    {"do": "load", "config": "{"},
    {"do": "sing"},
]


def lines(requests: list[dict]) -> str:
    return "".join(json.dumps(request) + "\n" for request in requests)


def answers(command: list, requests: list[dict]) -> list[dict]:
    run = subprocess.run(command, input=lines(requests), stdout=subprocess.PIPE, text=True,
                         check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def differences(native, module, place: str = ""):
    """(place, what the program says, what the module says) wherever they are not the same."""
    if isinstance(native, dict) and isinstance(module, dict) and native.keys() == module.keys():
        for key in native.keys() - set(CLOCK):
            yield from differences(native[key], module[key], f"{place}.{key}")
    elif isinstance(native, list) and isinstance(module, list) and len(native) == len(module):
        for number, both in enumerate(zip(native, module)):
            yield from differences(*both, f"{place}[{number}]")
    elif native != module:
        yield place, native, module


class Wasm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        live.module()

    def agree(self, requests: list[dict]) -> list[dict]:
        native = answers([BIN / "live"], requests)
        module = answers(["node", ASK, live.MODULE], requests)
        self.assertEqual(len(native), len(requests))
        self.assertEqual(list(differences(native, module)), [])
        return native

    def test_each_request_has_the_same_answer(self):
        answered = self.agree(REQUESTS)
        refused = [request["do"] for request, one in zip(REQUESTS, answered) if "error" in one]
        self.assertEqual(refused, [REQUESTS[1]["do"], "load", "sing"])

    def test_twenty_updates_of_the_recall_task_are_the_same(self):
        answered = self.agree([{"do": "start", "task": "recall", "seed": 7},
                               *[{"do": "steps", "id": 1, "n": 5}] * 4,
                               {"do": "score", "id": 1, "count": 50}])
        losses = sum((one["losses"] for one in answered[1:5]), [])
        self.assertEqual(len(losses), 20)
        self.assertLess(losses[-1], losses[0])

    def test_the_other_trainings_are_the_same(self):
        for task, options in (("translator", {}), ("translator", {"mask": False, "heads": 1}),
                              ("translator", {"scale": False, "heads": 1, "smoothing": 0}),
                              ("norm", {"norm": "post"}),
                              ("norm", {"norm": "pre"}), ("recall", {"model": "vanilla"}),
                              ("recall", {"memory": False}),
                              ("neighbours", {"heads": 1}), ("neighbours", {"heads": 2})):
            with self.subTest(task=task, options=options):
                self.agree([{"do": "start", "task": task, "options": options},
                            {"do": "steps", "id": 1, "n": 20}, {"do": "stop", "id": 1}])


if __name__ == "__main__":
    missing = [name for name in ("em++", "node") if not setup.works(name)]
    if missing:
        print(f"skipped: there is no {' and no '.join(missing)} that works "
              "(Debian's package emscripten)")
        sys.exit(77)
    unittest.main(verbosity=2)

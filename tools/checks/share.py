"""What is alike and takes long is not looked at whole in every `./learn test`, but a share of it,
another one at each commit, and the same one each time at one commit. With XF_ALL in the
environment, as `./learn test --all` sets it, it is all."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import unittest
from collections.abc import Iterable

from tools.terminal import ROOT


@functools.cache
def turn() -> int:
    """A number that every commit has of its own; outside git 0."""
    if not shutil.which("git"):
        return 0
    command = ["git", "-c", f"safe.directory={ROOT}", "rev-parse", "--verify", "HEAD"]
    answer = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                            text=True)
    return int(answer.stdout.strip() or "0", 16)


def share(things: Iterable, one_in: int) -> list:
    """Every `one_in`-th of the things, from where it is this commit's turn."""
    things = list(things)
    return things if "XF_ALL" in os.environ else things[turn() % one_in::one_in]


def in_turns(one_in: int):
    """Of a class of tests a share is run: the others say that it is not their turn."""
    def chosen(tests: type) -> type:
        names = unittest.defaultTestLoader.getTestCaseNames(tests)
        for name in set(names) - set(share(names, one_in)):
            setattr(tests, name, unittest.skip("its turn is at another commit")(
                getattr(tests, name)))
        return tests
    return chosen

"""The checkout that is tested: its files, its programs and its `./learn`. Whoever imports this can
import `tools`, too."""

from __future__ import annotations

import contextlib
import functools
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ.get("XF_BUILD") or ROOT / "build/release")
BIN = Path(os.environ.get("XF_BIN") or ROOT / "build/release/bin")
GOLDEN = ROOT / "tests/golden"
LANGUAGES = (("en", False), ("zh", True))  # of the pages; is it Chinese?
HAN = "[\u4e00-\u9fff]"
sys.path.insert(0, str(ROOT))


def read(path: Path | str) -> str:
    """The text of a file of the checkout, or of another one."""
    return (ROOT / path).read_text(encoding="utf-8")


def data_of(page: Path) -> dict:
    """What an explorer's page, or that of a trace, has to show."""
    return json.loads(re.search(r'id="data">(.*?)</script>', read(page), re.S)[1])


def json_of(path: Path, **changed) -> dict:
    """What a file of JSON holds; what is changed is written into it, None takes a key away."""
    found = json.loads(read(path))
    if changed:
        gone = {key for key, value in changed.items() if value is None}
        found = {key: value for key, value in {**found, **changed}.items() if key not in gone}
        path.write_text(json.dumps(found), encoding="utf-8")
    return found


def learn(*arguments, **options) -> subprocess.CompletedProcess:
    """`./learn` with these arguments, and what it says."""
    return subprocess.run([sys.executable, ROOT / "learn", *arguments], capture_output=True,
                          encoding="utf-8", **options)


def output_of(call, *arguments, **options) -> tuple:
    """What it returns, and what it prints."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        return call(*arguments, **options), printed.getvalue()


class WithFolder(unittest.TestCase):
    @functools.cached_property
    def folder(self) -> Path:
        """Of this test alone, and gone with it."""
        place = tempfile.TemporaryDirectory(prefix="xf-test-")
        self.addCleanup(place.cleanup)
        return Path(place.name)

    def patch(self, *what, **how):
        """For this test alone: as mock.patch.object()."""
        patch = mock.patch.object(*what, **how)
        self.addCleanup(patch.stop)
        return patch.start()

    def environment(self, **variables: str) -> None:
        """For this test alone."""
        patch = mock.patch.dict(os.environ, variables)
        patch.start()
        self.addCleanup(patch.stop)

    @classmethod
    def folder_of_class(cls) -> Path:
        """Of all tests of a class, for its setUpClass()."""
        place = Path(tempfile.mkdtemp(prefix="xf-tests-"))
        cls.addClassCleanup(shutil.rmtree, place)
        return place

"""The checkout that is tested: its files, its programs and its `./learn`. Whoever imports this can
import `tools`, too."""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

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
        found = {key: value for key, value in {**found, **changed}.items() if value is not None}
        path.write_text(json.dumps(found), encoding="utf-8")
    return found


def learn(*arguments, **options) -> subprocess.CompletedProcess:
    """`./learn` with these arguments, which nobody but a test has typed."""
    return subprocess.run([sys.executable, ROOT / "learn", *arguments], capture_output=True,
                          encoding="utf-8", **options)


class WithFolder(unittest.TestCase):
    @functools.cached_property
    def folder(self) -> Path:
        """Of this test alone, and gone with it."""
        place = tempfile.TemporaryDirectory(prefix="xf-test-")
        self.addCleanup(place.cleanup)
        return Path(place.name)

    @classmethod
    def folder_of_class(cls) -> Path:
        """Of all tests of a class, for its setUpClass()."""
        place = Path(tempfile.mkdtemp(prefix="xf-tests-"))
        cls.addClassCleanup(shutil.rmtree, place)
        return place

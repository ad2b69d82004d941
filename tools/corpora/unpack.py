"""Extracts files from archives. No name from an archive is used as a path: its names are only
compared with the wanted ones, and files are written under names of our own."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import os
import stat
import tarfile
import zipfile
import zlib
from pathlib import Path
from typing import IO, Iterator

from tools.corpora.download import mega, writing
from tools.terminal import Stop, quoted, shown, through_no_link

RATIO = 100  # of unpacked to packed size; text has 3 to 10, a bomb 1,000 and more
CHUNK = 1 << 20
ZIPS, TARS = (".zip", ".whl"), (".tar.gz", ".tgz", ".tar")
BROKEN = (zipfile.BadZipFile, tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile,
          NotImplementedError, RuntimeError, ValueError)  # RuntimeError: password-protected


@contextlib.contextmanager
def reading(path: Path):
    try:
        yield
    except BROKEN as error:
        what = quoted(" ".join(str(error).split())) or type(error).__name__
        raise Stop(f"{shown(path)}: cannot be unpacked ({what})", 2) from error


class Budget:
    """Limits what a packed file expands to: at most `most` bytes, and RATIO times its size."""

    def __init__(self, path: Path, most: int):
        self.path, self.count = path, 0
        self.most = min(most, RATIO * path.stat().st_size + CHUNK)

    def take(self, count: int) -> None:
        self.count += count
        self.refuse(self.count)

    def refuse(self, count: int) -> None:
        """Refuses if that many bytes, received or only announced, are too many."""
        if count > self.most:
            raise Stop(f"{shown(self.path)}: {mega(self.path.stat().st_size)} MB would unpack to "
                       f"more than {mega(self.most)} MB: refused", 2)


class Counted:
    """A stream whose bytes all count against a budget."""

    def __init__(self, stream: IO[bytes], budget: Budget):
        self.stream, self.budget = stream, budget

    def read(self, count: int) -> bytes:
        data = self.stream.read(count)
        self.budget.take(len(data))
        return data


class Plain:
    """A single file that is itself the wanted one."""

    def __init__(self, path: Path, most: int):
        self.path, self.budget = path, Budget(path, most)

    def names(self) -> list[str]:
        return [self.path.name]

    def find(self, wanted: tuple[str, ...]) -> str | None:
        """The first of `wanted` that exists, here or in a folder; the least deep of several."""
        names = self.names()
        for name in names:
            if name.startswith("/") or "\\" in name or ".." in name.split("/"):
                raise Stop(f"{shown(self.path)}: {quoted(name)} would end up outside: refused", 2)
        for want in wanted:
            fits = sorted((name.count("/"), name) for name in names
                          if name == want or name.endswith("/" + want))
            if len(fits) > 1 and fits[0][0] == fits[1][0]:
                raise Stop(f"{shown(self.path)}: holds both {quoted(fits[0][1])} and "
                           f"{quoted(fits[1][1])}", 2)
            if fits:
                return fits[0][1]
        return None

    @contextlib.contextmanager
    def open(self, _name: str) -> Iterator[IO[bytes]]:
        with open(self.path, "rb") as stream:
            yield Counted(stream, self.budget)


class Zip(Plain):
    def names(self) -> list[str]:
        with reading(self.path), zipfile.ZipFile(self.path) as archive:
            return [self.checked(each) for each in archive.infolist() if not each.is_dir()]

    def checked(self, each: zipfile.ZipInfo) -> str:
        mode = each.external_attr >> 16
        if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
            raise Stop(f"{shown(self.path)}: {quoted(each.filename)} is not a plain file: "
                       "refused", 2)
        return each.filename

    @contextlib.contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        with zipfile.ZipFile(self.path) as archive, archive.open(name) as stream:
            yield Counted(stream, self.budget)


class Tar(Plain):
    """Read from the beginning to the end, so that a bomb is noticed before any name is known."""

    @contextlib.contextmanager
    def members(self) -> Iterator[tarfile.TarFile]:
        self.budget.count = 0
        packed = self.path.name.endswith("gz")
        with (gzip.open if packed else open)(self.path, "rb") as stream:
            with tarfile.open(fileobj=Counted(stream, self.budget), mode="r|") as archive:
                yield archive

    def names(self) -> list[str]:
        found = []
        with reading(self.path), self.members() as archive:
            for each in archive:
                # A sparse file is mostly zeros that are not stored in the archive.
                if not each.isdir() and (not each.isreg() or each.issparse()):
                    raise Stop(f"{shown(self.path)}: {quoted(each.name)} is not a plain file: "
                               "refused",
                               2)
                self.budget.refuse(each.size)  # tarfile trusts the size and reads past the end
                if each.isreg():
                    found.append(each.name)
        return found

    @contextlib.contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        with self.members() as archive:
            yield next(archive.extractfile(each) for each in archive if each.name == name)


class Folder:
    def __init__(self, path: Path, most: int):
        self.path, self.most = path, most

    def find(self, wanted: tuple[str, ...]) -> str | None:
        return next((name for name in wanted if (self.path / name).is_file()), None)

    def open(self, name: str):
        return Plain(self.path / name, self.most).open(name)


def opened(path: Path, most: int):
    """A reader of `path`, as a folder, as an archive by its name, or as the file itself."""
    if path.is_dir():
        return Folder(path, most)
    if path.name.endswith(ZIPS):
        return Zip(path, most)
    if path.name.endswith(TARS):
        return Tar(path, most)
    return Plain(path, most)


def is_archive(name: str) -> bool:
    return name.endswith(ZIPS + TARS)


def unpack(stream: IO[bytes], packed: bool, path: Path, budget: Budget, target: Path) -> str:
    """Writes the stream, decompressed by gzip if it is `packed`, next to the target.

    Returns its SHA-256; the caller moves TARGET.new into place."""
    total = hashlib.sha256()
    source = Counted(gzip.GzipFile(fileobj=stream), budget) if packed else stream
    beside = target.with_name(target.name + ".new")
    with writing(beside), open(beside, "wb", opener=through_no_link) as file:
        while True:
            with reading(path):
                chunk = source.read(CHUNK)
            if not chunk:
                break
            total.update(chunk)
            file.write(chunk)
        file.flush()
        os.fsync(file.fileno())
    return total.hexdigest()

"""Files out of archives. Nothing in an archive names a place on the disk: its names are compared
with those that are wanted, and what is wanted is written under names of our own."""

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

RATIO = 100  # of unpacked to packed bytes; text has 3 to 10, a bomb 1,000 and more
CHUNK = 1 << 20
BROKEN = (zipfile.BadZipFile, tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile,
          NotImplementedError, RuntimeError, ValueError)  # RuntimeError: a password


@contextlib.contextmanager
def reading(path: Path):
    try:
        yield
    except BROKEN as error:
        what = quoted(" ".join(str(error).split())) or type(error).__name__
        raise Stop(f"{shown(path)}: cannot be unpacked ({what})", 2) from error


class Budget:
    """What may come out of a packed file: at most `most` bytes, and RATIO times what went in."""

    def __init__(self, path: Path, most: int):
        self.path, self.count = path, 0
        self.most = min(most, RATIO * path.stat().st_size + CHUNK)

    def take(self, count: int) -> None:
        self.count += count
        self.refuse(self.count)

    def refuse(self, count: int) -> None:
        """Of so many bytes, whether they came or are only promised, if they are too many."""
        if count > self.most:
            raise Stop(f"{shown(self.path)}: more than {mega(self.most)} MB come out of "
                       f"{mega(self.path.stat().st_size)}: refused", 2)


class Counted:
    """A stream of which every byte counts against a budget."""

    def __init__(self, stream: IO[bytes], budget: Budget):
        self.stream, self.budget = stream, budget

    def read(self, count: int) -> bytes:
        data = self.stream.read(count)
        self.budget.take(len(data))
        return data


class Plain:
    """A file that is itself what is wanted."""

    def __init__(self, path: Path, most: int):
        self.path, self.budget = path, Budget(path, most)

    def names(self) -> list[str]:
        return [self.path.name]

    def find(self, wanted: tuple[str, ...]) -> str | None:
        """The first of `wanted` that there is, here or in a folder; of several, the least deep."""
        names = self.names()
        for name in names:
            if name.startswith("/") or "\\" in name or ".." in name.split("/"):
                raise Stop(f"{shown(self.path)}: {quoted(name)} would lie outside: refused", 2)
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
            raise Stop(f"{shown(self.path)}: {quoted(each.filename)} is no plain file: refused", 2)
        return each.filename

    @contextlib.contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        with zipfile.ZipFile(self.path) as archive, archive.open(name) as stream:
            yield Counted(stream, self.budget)


class Tar(Plain):
    """Read from its beginning to its end, so that a bomb is noticed before a name is known."""

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
                # A sparse one is mostly zeros that are not in the archive.
                if not each.isdir() and (not each.isreg() or each.issparse()):
                    raise Stop(f"{shown(self.path)}: {quoted(each.name)} is no plain file: refused",
                               2)
                self.budget.refuse(each.size)  # tarfile believes it, and reads on behind the end
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
    """What `path` is: a folder, an archive by its name, or the file itself."""
    if path.is_dir():
        return Folder(path, most)
    if path.name.endswith((".zip", ".whl")):
        return Zip(path, most)
    if path.name.endswith((".tar.gz", ".tgz", ".tar")):
        return Tar(path, most)
    return Plain(path, most)


def is_archive(name: str) -> bool:
    return name.endswith((".zip", ".whl", ".tar.gz", ".tgz", ".tar"))


def unpack(stream: IO[bytes], packed: bool, path: Path, budget: Budget, target: Path) -> str:
    """Writes the stream, unpacked by gzip if it is `packed`, beside the target.

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

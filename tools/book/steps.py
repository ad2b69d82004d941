"""The steps of `./learn site`: each says what it makes and how long that took, and is skipped if
its inputs have not changed. An interrupted step is repeated."""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from tools.terminal import (ROOT, Stop, column, read_json, said, say_seconds, shown,
                            write_changed)

BUILD = ROOT / "build" / "site"
HTML = BUILD / "html"  # the latest build of the site; what is published is a copy of it
# What a site may contain, as publishing replaces the whole folder.
PARTS = {"en", "zh", "code", "live", "slides", "index.html", ".nojekyll",
         "transformer-by-hand-en.pdf", "transformer-by-hand-zh.pdf"}
TITLE = "<title>Transformer by Hand</title>"


def digest(parts: Iterable[Path | str]) -> str:
    """A digest of texts, of the contents of files, and of folders with everything in them."""
    sha = hashlib.sha256()

    def add(data: bytes) -> None:
        sha.update(b"%d:" % len(data) + data)

    for part in parts:
        if isinstance(part, str):
            add(part.encode())
            continue
        for file in sorted(part.rglob("*")) if part.is_dir() else [part]:
            if file.is_file() and file.parent.name != "__pycache__":
                add(shown(file).encode())
                add(file.read_bytes())
    return sha.hexdigest()


def step(title: str, result: Path, made_from: dict[str, Iterable[Path | str]],
         make: Callable[[set[str]], None]) -> bool:
    """Calls make(changed) unless the result exists and its inputs are unchanged since it was made.

    changed: the names of `made_from` that differ, or all of them if there is no finished run. The
    digests are in a file named after the title, which is deleted before and written afterwards.
    """
    stamp = BUILD / "steps" / (title.replace(" ", "_") + ".json")
    wanted = {name: digest(parts) for name, parts in made_from.items()}
    known = read_json(stamp) if result.exists() else {}
    changed = {name for name in {*wanted, *known} if wanted.get(name) != known.get(name)}
    if not changed:
        say_up_to_date(title)
        return False
    start = time.monotonic()
    stamp.unlink(missing_ok=True)
    result.parent.mkdir(parents=True, exist_ok=True)
    make({*wanted} if not known else changed)
    write_changed(stamp, json.dumps(wanted, indent=0))
    say_seconds(title, time.monotonic() - start)
    return True


def say_up_to_date(title: str) -> None:
    print(f"  {column(title, 22)} {said('up to date'):>7}", flush=True)


# ---- files ---------------------------------------------------------------------------------------


def keep_only(folder: Path, pattern: str, wanted: Iterable[str]) -> int:
    """Removes the files below the folder that match the pattern and are not wanted, and folders
    that are then empty; returns how many files were removed."""
    stale = {path for path in folder.rglob(pattern) if path.is_file()} - {
        folder / name for name in wanted}
    for path in stale:
        path.unlink()
    for path in sorted((path for path in folder.rglob("*") if path.is_dir()), reverse=True):
        if not any(path.iterdir()):
            path.rmdir()
    return len(stale)


def refuse_others(target: Path) -> None:
    """Refuses a folder that holds anything else, which would be lost."""
    if target.exists() and not target.is_dir():
        raise Stop(f"{shown(target)}: this is a file, but the site needs a folder", 2)
    names = {path.name for path in target.iterdir()} if target.exists() else set()
    first = target / "index.html"
    if first.is_file() and TITLE in first.read_text(encoding="utf-8", errors="replace"):
        names -= PARTS
    if names:
        raise Stop(f"{shown(target)}: contains {min(names)}, which is not part of the site; choose "
                   "a folder for the site only", 2)


def publish(folder: Path, target: Path) -> None:
    """Makes `target` a copy of the folder. It is replaced as a whole, so that a reader never sees a
    mixture of old and new files."""
    title = shown(target)
    if contents(folder) == contents(target):
        say_up_to_date(title)
        return
    start = time.monotonic()
    refuse_others(target)
    new, old = (target.with_name(f".{target.name}.{name}") for name in ("new", "old"))
    for path in (new, old):
        shutil.rmtree(path, ignore_errors=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(folder, new)
    if target.exists():
        target.rename(old)
    new.rename(target)
    shutil.rmtree(old, ignore_errors=True)
    say_seconds(title, time.monotonic() - start)


def contents(folder: Path) -> dict[str, tuple[int, int]]:
    """The size and time of each file, which a copy preserves."""
    return {str(path.relative_to(folder)): (path.stat().st_size, path.stat().st_mtime_ns)
            for path in folder.rglob("*") if not path.is_dir()}

"""`./learn grade FOLDER --compete MINUTES`: each hand-in's parts train a translator of the little
language for the same time, and the book's parts measure how well it translates sentences that are
not in the training data. A hand-in's own choices are one line of flags, competition.txt."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from tools.exercises import own_parts
from tools.exercises.boxes import boxes, exercises_of
from tools.exercises.build import digest, first_errors
from tools.exercises.run import Limits
from tools.grading.judge import Bench
from tools.terminal import ROOT, plain, say

NOT_IN_TRAINING = ("cache", "greedy search", "beam search", "byte pairs", "BLEU", "relative scores")
CHOSEN = ("--d-model", "--d-ff", "--heads", "--layers", "--dropout", "--norm", "--schedule", "--lr",
          "--warmup", "--clip", "--batch-tokens", "--label-smoothing")
SHEET = "competition.txt"


def parts() -> list[str]:
    """The exercises whose solutions run when a model is trained on the little language."""
    return sorted(exercises_of(box for box in boxes(False) if box.name not in NOT_IN_TRAINING))


def chosen(sheet: bytes | None) -> list[str]:
    """The flags of a hand-in. Raises ValueError for one that is not allowed."""
    words = (sheet or b"").decode("utf-8", "replace").split()
    for name, value in zip(words[::2], [*words[1::2], ""]):
        if name not in CHOSEN or not re.fullmatch(r"[a-z0-9.]+", value):
            raise ValueError(f"{SHEET}: {plain(name)} {plain(value)} cannot be chosen")
    return words


class Competition:
    def __init__(self, bench: Bench, minutes: float):
        self.bench, self.minutes = bench, minutes
        program = own_parts.built()
        own_parts.make_language(program)
        self.place = bench.place / "competition"
        self.place.mkdir()
        for file in (program, *own_parts.LANGUAGE.glob("t*")):
            shutil.copy2(file, self.place)
        tree = bench.tree  # without solutions
        shutil.copytree(own_parts.MINE, tree / own_parts.MINE.relative_to(ROOT))
        self.flags = [word.replace(str(ROOT), str(tree)) for word in own_parts.flags_of_parts()]
        self.flags += ["-O2"]
        self.kit = tree / "parts"
        self.kit.mkdir()
        own_parts.make_kit(self.kit, self.flags)

    def library(self, exercise: str, text: bytes) -> Path:
        """Compiled in the sandbox; identical files only once."""
        folder = self.place / digest(exercise, text)
        library, declared = folder / f"{exercise}.so", self.bench.tree / exercise
        if library.exists():
            return library
        folder.mkdir(exist_ok=True)
        (folder / "exercise.cpp").write_bytes(text)
        outcome = self.bench.tool(
            [*self.flags[1:], *own_parts.flags_of_library(self.kit, exercise, declared,
                                                          "./exercise.cpp"),
             "-o", str(library)], folder, [self.bench.tree])
        if outcome:
            raise ValueError(f"{exercise} does not compile as a part: "
                             + first_errors(outcome.log, 1).strip())
        return library

    def run(self, command: list[str], folder: Path, readable: list[Path], libraries: list[Path],
            seconds: float) -> str:
        """The output of the program. Raises ValueError with the reason if it fails."""
        limits = Limits(wall=int(seconds), cpu=int(64 * seconds), file=256 << 20, processes=256)
        program = self.place / "mine"
        ran = self.bench.sandbox.run(
            [str(program), *command], limits, folder,
            {**self.bench.environment, "LC_ALL": "C", "XF_OUT": str(folder),
             "XF_PARTS": ":".join(map(str, libraries))},
            [program, *readable, *libraries], writable=not readable[1:])  # it saves a model
        text = ran.printed.decode("utf-8", "replace")
        if ran.status != 0:
            raise ValueError(plain((text.splitlines() or ["it was stopped"])[-1]))
        return text

    def bleu(self, texts: dict[str, bytes], flags: list[str]) -> float:
        """Trains with one hand-in's parts; returns the BLEU. Raises ValueError if they fail."""
        libraries = [self.library(exercise, text) for exercise, text in texts.items()]
        folder, train = self.place / "entry", self.place / "train.tsv"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        model = folder / "model"
        self.run(["train", *own_parts.training_flags(
            ["--pairs", str(train), "--out", str(model), "--bleu-tokens", "none", "--updates",
             "0", "--minutes", f"{self.minutes:g}", *flags])],
            folder, [train], libraries, 60 * self.minutes + 60)
        source, target = self.place / "test.en", self.place / "test.zh"
        said = self.run(["evaluate", "--model", str(model), "--src", str(source), "--tgt",
                         str(target), "--beam", "1", "--bleu-tokens", "none"],
                        folder, [source, target], [], 600)
        return float(re.search(r"BLEU\W+([\d.]+)", said)[1])

    def entry(self, files: dict[str, bytes], sheet: bytes | None) -> tuple[float, str]:
        """BLEU, or -1 and the reason."""
        try:
            flags = chosen(sheet)
            return self.bleu(files, flags), " ".join(flags)
        except ValueError as error:
            return -1, str(error)


def compete(bench: Bench, minutes: float, entries: dict[str, dict[str, bytes]],
            sheets: dict[str, bytes | None]) -> None:
    """Prints the ranking. `entries`: for each hand-in, the parts that pass. Only complete hand-ins
    are ranked: otherwise the book's parts would compete in place of the missing ones."""
    competition = Competition(bench, minutes)
    say(f"  competition: {minutes:g} minutes of training each, BLEU on 500 unseen sentences")
    reference, _ = competition.entry({}, None)
    found = []
    for student, files in entries.items():
        missing = [part for part in parts() if part not in files]
        found.append((student, *competition.entry(files, sheets[student])) if not missing else
                     (student, -1, f"{len(files)} of {len(parts())} parts, without "
                      + ", ".join(missing[:6]) + (" ..." if len(missing) > 6 else "")))
    width = max(map(len, ["the book", *entries]))
    ranked = sorted(found, key=lambda one: -one[1])
    for place, (student, bleu, text) in enumerate(ranked, 1):
        say(f"  {place:>3}.  {student:<{width}}  {bleu:6.2f}  {text}".rstrip() if bleu >= 0 else
            f"        {student}: {text}")
    say(f"        {'the book':<{width}}  {reference:6.2f}")

#!/usr/bin/env python3
"""A training and its directory, in chapters 7 and 8: killed, hung up, shared, damaged.

The programs are those in $XF_BIN, or of the release build.
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import time
import unittest
from pathlib import Path

from support.checkout import BIN, WithFolder
from support.programs import parts_of, replaced, save_parts

WHO = (("a dog", "ein Hund"), ("a cat", "eine Katze"), ("the bird", "der Vogel"))
DOES = (("runs", "rennt"), ("sings", "singt"), ("sleeps", "schläft"), ("eats", "frisst"))
PAIRS = "".join(f"{a} {b}\t{x} {y}\n" for a, x in WHO for b, y in DOES)
SMALL = ["--d-model", "8", "--d-ff", "12", "--heads", "2", "--layers", "1", "--threads", "2",
         "--lr", "0.01", "--warmup", "5", "--dropout", "0.2", "--average", "3"]
NOBODY = 65534


def command(chapter: int, text: Path, out: Path, *more) -> list:
    """A training of 400 updates with a validation and a checkpoint every 20."""
    own = ["--pairs", text, "--valid-pairs", text, "--batch-tokens", "24", "--tokenizer", "bpe",
           "--vocab", "50", "--bpe-dropout", "0.2"]
    if chapter == 8:
        own = ["--text", text, "--valid", text, "--segment", "6", "--memory", "9", "--batch", "3"]
    program = BIN / ("07_transformer" if chapter == 7 else "08_transformer_xl")
    limits = [] if "--updates" in more else ["--updates", "400", "--valid-every", "20"]
    return [str(word) for word in [program, "train", *own, "--out", out, *SMALL, *limits, *more]]


def metadata(path: Path) -> dict:
    return parts_of(path)[0]["__metadata__"]


def change_metadata(path: Path, **values) -> None:
    header, numbers = parts_of(path)
    changed = {**header["__metadata__"], **values}
    header["__metadata__"] = {key: value for key, value in changed.items() if value is not None}
    save_parts(path, header, numbers)


def result(folder: Path) -> dict:
    """Every file of a finished training, without the times."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if name == "checkpoint.safetensors":
            found[name] = [parts_of(path)[1], {**metadata(path), "seconds": ""}]
        elif name == "history.csv":
            rows = [line.split(",") for line in path.read_text().splitlines()]
            found[name] = [row[:2] + row[3:5] + row[6:] for row in rows]
        elif path.is_file():
            found[name] = path.read_bytes()
    return found


class Case(WithFolder):
    @classmethod
    def setUpClass(cls):
        if not (BIN / "08_transformer_xl").exists():
            raise unittest.SkipTest(f"{BIN} is not built")
        cls.shared = cls.folder_of_class()
        cls.text = cls.shared / "text"
        cls.text.write_text(PAIRS, encoding="utf-8")

    def place(self, chapter) -> Path:
        return self.shared / f"{self.id().split('.')[-1]}-{chapter}"

    def answer(self, words, **options):
        return subprocess.run(words, capture_output=True, text=True, timeout=120, **options)

    def done(self, words, **options) -> str:
        answer = self.answer(words, **options)
        self.assertEqual((answer.returncode, answer.stderr), (0, ""), words)
        return answer.stdout

    def refused(self, words, *names, **options):
        """One line that names `names`, and exit code 2."""
        answer = self.answer(words, **options)
        self.assertEqual(answer.returncode, 2, answer)
        self.assertRegex(answer.stderr, r"^error: [^\n]*\n$")
        for name in names:
            self.assertIn(str(name), answer.stderr)

    def started(self, words, **options) -> subprocess.Popen:
        """A training that has begun."""
        program = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   bufsize=0, **options)
        self.addCleanup(program.communicate)
        self.addCleanup(program.kill)
        while b" parameters" not in (line := program.stdout.readline()):
            self.assertTrue(line, "the program ended")
        return program

    def wait_for(self, path: Path, text: str = ""):
        for _ in range(2000):
            if path.exists() and text in path.read_text(errors="replace"):
                return
            time.sleep(0.01)
        self.fail(f"{path} did not come")


class Killed(Case):
    def test_killed_at_any_moment_and_resumed_is_uninterrupted(self):
        seed = random.randrange(10 ** 6)
        chance = random.Random(seed)
        for chapter in (7, 8):
            whole, cut = self.place(f"{chapter}-whole"), self.place(f"{chapter}-cut")
            def goes_on() -> list:
                resume = ["--resume"] if (cut / "checkpoint.safetensors").exists() else []
                return command(chapter, self.text, cut, *resume)

            before = time.monotonic()
            self.done(command(chapter, self.text, whole))
            seconds, kills = time.monotonic() - before, 0
            while kills < 6:
                program = subprocess.Popen(goes_on(), stdout=subprocess.DEVNULL,
                                           stderr=subprocess.PIPE)
                time.sleep(chance.uniform(0, 0.4 * seconds))
                program.kill()
                self.assertEqual(program.communicate()[1], b"", f"seed {seed}, after {kills}")
                kills += 1
                if program.returncode == 0:
                    break
            self.done(goes_on())
            self.assertEqual(result(cut), result(whole), f"chapter {chapter}, seed {seed}")

    def test_killed_before_the_first_checkpoint_a_fresh_run_goes_on(self):
        for chapter in (7, 8):
            whole, stuck = self.place(f"{chapter}-whole"), self.place(f"{chapter}-stuck")
            self.done(command(chapter, self.text, whole, "--updates", "2"))
            self.refused(command(chapter, self.text, stuck, "--updates", "2"),
                         "checkpoint.safetensors", "File too large",
                         preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (3000, -1)))
            self.assertTrue((stuck / "config.json").exists())
            self.refused(command(chapter, self.text, stuck, "--updates", "2", "--norm", "pre"),
                         "config.json belongs to another model", "remove it")
            self.done(command(chapter, self.text, stuck, "--updates", "2"))
            self.assertEqual(result(stuck), result(whole))
            (stuck / "checkpoint.safetensors").unlink()
            self.refused(command(chapter, self.text, stuck, "--updates", "2"),
                         "model.safetensors", "no checkpoint", "remove it")

    def test_what_killed_runs_left_half_written_is_removed(self):
        for chapter in (7, 8):
            out, far = self.place(chapter), self.place(f"{chapter}-far")
            far.mkdir()
            self.done(command(chapter, self.text, out, "--updates", "40", "--valid-every", "20"))
            os.rename(out / "checkpoint.safetensors", far / "c")
            (out / "checkpoint.safetensors").symlink_to(far / "c")
            left = [out / "config.json.tmp4242-0", out / "average/00000020.safetensors.tmp4242-7",
                    far / "c.tmp4242-3"]
            others = [out / "notes.tmp", far / "d.tmp4242-3"]
            for path in left + others:
                path.write_bytes(b"half")
            self.done(command(chapter, self.text, out, "--updates", "50", "--resume"))
            self.assertEqual([path for path in left + others if path.exists()], others)
            self.assertTrue((out / "checkpoint.safetensors").is_symlink())
            self.assertEqual(metadata(far / "c")["update"], "50")


class Stopped(Case):
    def test_a_closed_terminal_saves_a_checkpoint_but_not_under_nohup(self):
        for chapter in (7, 8):
            out = self.place(chapter)
            program = self.started(command(chapter, self.text, out, "--updates", "1000000"))
            program.send_signal(signal.SIGHUP)
            output, error = program.communicate(timeout=60)
            self.assertEqual((program.returncode, error), (130, b""))
            self.assertIn(b"--resume continues", output)
            self.assertGreater(int(metadata(out / "checkpoint.safetensors")["update"]), 0)
            resumed = command(chapter, self.text, out, "--updates", "1000000", "--resume")
            program = self.started(resumed, preexec_fn=lambda: signal.signal(signal.SIGHUP,
                                                                             signal.SIG_IGN))
            program.send_signal(signal.SIGHUP)
            time.sleep(0.3)
            self.assertIsNone(program.poll())

    def test_a_reader_that_has_gone_saves_a_checkpoint(self):
        for chapter in (7, 8):
            out = self.place(chapter)
            program = self.started(command(chapter, self.text, out, "--updates", "1000000",
                                           "--valid-every", "10"))
            program.stdout.close()
            self.assertEqual(program.stderr.read(), b"error: standard output cannot be written\n")
            self.assertEqual(program.wait(), 2)
            found = int(metadata(out / "checkpoint.safetensors")["update"])
            self.assertGreater(found, 0)
            self.done(command(chapter, self.text, out, "--updates", found + 1, "--resume"))

    def test_a_limit_of_the_file_size_is_named_and_the_checkpoint_stays(self):
        for chapter in (7, 8):
            out = self.place(chapter)
            self.done(command(chapter, self.text, out, "--updates", "1"))
            before = result(out)
            self.refused(command(chapter, self.text, out, "--updates", "2", "--resume"),
                         out, "File too large",
                         preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (3000, -1)))
            after = result(out)
            for name in ("checkpoint.safetensors", "config.json", "model.safetensors"):
                self.assertEqual(after[name], before[name])
            self.assertEqual([name for name in after if ".tmp" in name], [])
            self.done(command(chapter, self.text, out, "--updates", "2", "--resume"))


class Shared(Case):
    def test_a_second_training_in_the_same_directory_is_refused(self):
        for chapter in (7, 8):
            out = self.place(chapter)
            words = command(chapter, self.text, out, "--updates", "1000000")
            program = self.started(words)
            self.wait_for(out / "checkpoint.safetensors")
            for more in ([], ["--resume"]):
                self.refused(words + more, f"--out: another training run is active in {out}")
            self.assertIsNone(program.poll())
            program.kill()
            program.wait()
            self.done(command(chapter, self.text, out, "--updates", "1", "--resume"))
            self.assertFalse((out / "lock").exists())

    def test_a_refusal_leaves_no_directory_behind(self):
        for chapter in (7, 8):
            out = self.place(chapter)
            self.refused(command(chapter, self.text, out / "a/b", "--updates", "-1"), "--updates")
            self.assertFalse(out.exists())

    def test_a_directory_that_may_not_be_searched_or_written_is_named(self):
        def as_nobody():
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)

        self.shared.chmod(0o777)
        for chapter in (7, 8):
            out = self.place(chapter)
            words = command(chapter, self.text, out, "--updates", "2")
            try:
                may_run = self.answer([words[0], "--help"], preexec_fn=as_nobody).returncode == 0
            except PermissionError:  # as in /root
                may_run = False
            if not may_run:
                self.skipTest("another user may not run the program")
            self.done(words)
            for mode in (0o600, 0o555):
                out.chmod(mode)
                for more in ([], ["--resume"]):
                    self.refused(words + more, out, "Permission denied", preexec_fn=as_nobody)
                if mode == 0o600:
                    use = [words[0], "evaluate", "--model", str(out)]
                    use += ["--text", str(self.text)] if chapter == 8 else [
                        "--src", str(self.text), "--tgt", str(self.text)]
                    self.refused(use, out, "Permission denied", preexec_fn=as_nobody)
                    self.refused(command(chapter, self.text, out / "below", "--updates", "2"),
                                 out, "Permission denied", preexec_fn=as_nobody)
            out.chmod(0o755)
        sealed = self.shared / "sealed"
        sealed.mkdir()
        (sealed / "a.md").write_text("a")
        sealed.chmod(0o600)
        self.addCleanup(sealed.chmod, 0o700)
        for text in (sealed, sealed / "a.md"):
            self.refused(command(8, text, self.shared / "new"), sealed, "Permission denied",
                         preexec_fn=as_nobody)


class Damaged(Case):
    def test_counters_that_cannot_be_are_refused(self):
        for chapter in (7, 8):
            out = self.place(chapter)
            self.done(command(chapter, self.text, out, "--updates", "5", "--valid-every", "2"))
            path = out / "checkpoint.safetensors"
            whole = path.read_bytes()
            words = command(chapter, self.text, out, "--updates", "9", "--resume")
            offset = "next_batch" if chapter == 7 else "offset"
            wrong = [(offset, value) for value in
                     ("-1", "1999999999", "0x10", "1e3", "", "7.5", "nan")]
            wrong += [("adam.steps", value) for value in ("2147483647", "-1", "4", "0x5", "5x")]
            wrong += [("update", value) for value in ("-1", "0x5", "6", "2147483647", "1e1")]
            wrong += [("epoch", "0x1"), ("epoch", "-1"), ("seconds", "-1"), ("seconds", "inf"),
                      ("window_tokens", "-3"), ("window_loss", "0x2"), ("best", "many"),
                      ("validations_without_gain", "-1"), ("seed", "0x1"), ("seed", "-1"),
                      ("seed", "99999999999999999999")]
            for name, value in wrong:
                change_metadata(path, **{name: value})
                self.refused(words, path, name)
                path.write_bytes(whole)
            options = json.loads(metadata(path)["options"])
            size = "batch_tokens" if chapter == 7 else "batch"
            change_metadata(path, options=json.dumps({**options, size: 2147483647}))
            self.refused(words, "batch")
            path.write_bytes(whole)
            if chapter == 8:  # as the first checkpoints called it
                change_metadata(path, offset=None, place=metadata(path)["offset"])
            self.done(words)

    def test_the_mean_of_snapshots_that_have_gone_is_not_taken_in_silence(self):
        for chapter in (7, 8):
            out = self.place(chapter)
            self.done(command(chapter, self.text, out, "--updates", "10", "--valid-every", "2"))
            words = command(chapter, self.text, out, "--updates", "14", "--resume")
            shutil.copytree(out / "average", out / "kept")
            (out / "average/00000008.safetensors").write_bytes(b"cut")
            self.refused(words, "average/00000008.safetensors: ", "--average 1")
            (out / "average/00000008.safetensors").unlink()
            self.refused(words, "average/00000008.safetensors is missing", "--average 1")
            shutil.rmtree(out / "average")
            self.refused(words, "average/00000006.safetensors is missing", "--average 1")
            os.rename(out / "kept", out / "average")
            change_metadata(out / "checkpoint.safetensors", average=None)  # as older runs have it
            self.done(words)
            shutil.rmtree(out / "average")
            self.done(replaced(replaced(words, "--updates", "16"), "--average", "1"))


if __name__ == "__main__":
    unittest.main()

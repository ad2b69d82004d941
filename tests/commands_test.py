#!/usr/bin/env python3
"""`07_transformer train | translate | evaluate | score | attend`, run as a user would.

Every refusal is one line on stderr that names the file, line or flag, exit code 2, and every file
that existed is as it was. The program is $XF_BIN/07_transformer, or that of the release build.
"""

from __future__ import annotations

import html
import json
import math
import os
import re
import select
import shutil
import subprocess
import unittest
from pathlib import Path

from support.checkout import BIN, GOLDEN, data_of, json_of, read
from support.hostile_models import HOSTILE
from support.programs import (Commands, parts_of, replaced, save_parts, tensors_of,
                              without_sanitizer)


SOURCE = ["a dog runs", "a cat sleeps", "the dog sleeps", "the cat runs", "a bird sings",
          "the bird runs", "a dog sings loudly", "the cat sings"]
TARGET = ["ein Hund rennt", "eine Katze schläft", "der Hund schläft", "die Katze rennt",
          "ein Vogel singt", "der Vogel rennt", "ein Hund singt laut", "die Katze singt"]
SMALL = ["--d-model", "8", "--d-ff", "12", "--heads", "2", "--layers", "1", "--threads", "2"]


def join(lines) -> str:
    return "".join(line + "\n" for line in lines)


class Case(Commands):
    program = BIN / "07_transformer"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.src, cls.tgt = cls.shared / "train.en", cls.shared / "train.de"
        cls.src.write_text(join(SOURCE), encoding="utf-8")
        cls.tgt.write_text(join(TARGET), encoding="utf-8")
        cls.model = cls.shared / "model"
        shutil.copytree(GOLDEN / "model_word", cls.model)

    def copied(self, model: str, name: str) -> Path:
        """A golden model, to be changed."""
        shutil.rmtree(self.shared / name, ignore_errors=True)
        return shutil.copytree(GOLDEN / model, self.shared / name)

    def scores(self, model: Path, *more) -> list[float]:
        """Of the texts that lie beside a golden model."""
        return [float(score) for score in self.done(
            "score", "--model", model, *self.texts_of(model), *more).split()]

    @staticmethod
    def texts_of(model: Path) -> list:
        return ["--src", model / "source.txt", "--tgt", model / "target.txt"]

    def train(self, *more, out="new", src=None, tgt=None, updates=1):
        return ["train", "--src", src or self.src, "--tgt", tgt or self.tgt, "--out",
                self.shared / out, *SMALL, "--updates", updates, *more]

    def reading(self, src=None, tgt=None):
        """The subcommands that read two files."""
        text = ["--src", src or self.src, "--tgt", tgt or self.tgt]
        valid = ["--valid-src", text[1], "--valid-tgt", text[3]]
        yield self.train(src=src, tgt=tgt)
        yield self.train(*valid)
        for command in ("evaluate", "score"):
            yield [command, "--model", self.model, *text]


class BadText(Case):
    def test_missing_file(self):
        for command in self.reading(src=self.shared / "no.en"):
            self.refused(*command, names="no.en: No such file")
        self.refused("train", "--pairs", self.shared / "no.tsv", "--out", self.shared / "new",
                     "--updates", "1", names="no.tsv: No such file")

    @unittest.skipIf(os.geteuid() == 0, "root reads every file")
    def test_unreadable_file(self):
        path = self.file("secret.en", join(SOURCE))
        path.chmod(0)
        for command in self.reading(src=path):
            answer = self.run_program(*command)
            self.assertEqual(answer.returncode, 2)
            self.assertIn("secret.en: Permission denied", answer.stderr.decode())
        path.unlink()

    def test_a_directory_is_no_text(self):
        for command in self.reading(src=self.shared):
            self.refused(*command, names=[self.shared, "Is a directory"])

    def test_what_is_no_parallel_text(self):
        for side, name, content, said in (
                ("tgt", "short.de", join(TARGET[:-1]), ["train.en has 8 lines", "short.de has 7"]),
                ("tgt", "gap.de", join(TARGET[:3] + [" "] + TARGET[4:]), "gap.de:4: an empty line"),
                ("tgt", "latin1.de", join(TARGET[:2]).encode("latin-1") + join(TARGET[2:]).encode(),
                 "latin1.de:2: invalid UTF-8 at byte 16"),
                ("src", "long.en", join(SOURCE[:4] + ["dog " * 10000] + SOURCE[5:]),
                 "long.en:5: a line of 10000 words"),
                ("src", "book.en", join(SOURCE[:4]) + "x" * (1 << 24) + "\n" + join(SOURCE[5:]),
                 "book.en:5: a line of more than 65536 bytes")):
            for command in self.reading(**{side: self.file(name, content)}):
                self.refused(*command, names=said)

    def test_what_is_no_sentence(self):
        for lines, said in ((b"fine\nb\xe4d\n", ":2: invalid UTF-8 at byte 2"),
                            (b"dog " * 10000, ":1: a line of 10000 words"),
                            (b"fine\n" + b"x" * (1 << 24), ":2: a line of more than 65536 bytes")):
            self.refused("translate", "--model", self.model, stdin=lines,
                         names=f"standard input{said}")
        for source, said in ((os.fsdecode(b"b\xe4d"), ": invalid UTF-8 at byte 2"),
                             ("dog " * 10000, ":1: a line of 10000 tokens")):
            self.refused("attend", "--model", self.model, "--source", source, "--out",
                         self.shared / "new", names=f"--source{said}")

    def test_empty_file(self):
        path = self.file("empty", "")
        for command in self.reading(src=path, tgt=path):
            self.refused(*command, names="empty: no sentences")

    def test_10000_characters_without_a_space(self):
        path = self.file("long.zh", join(TARGET[:2] + ["汉" * 10000] + TARGET[3:]))
        message = "long.zh:3: a line of 10000 tokens (at most 1000)"
        self.refused(*self.train("--target-tokenizer", "char", tgt=path), names=message)
        self.done(*self.train("--tokenizer", "char", out="char"))
        model = self.shared / "char"
        for command in ("evaluate", "score"):
            self.refused(command, "--model", model, "--src", self.src, "--tgt", path, names=message)
        self.refused("translate", "--model", model, stdin=("汉" * 10000).encode(),
                     names="standard input:1: a line of 10000 tokens")
        blank = self.done("translate", "--model", model, stdin=b"  \n\n \n")
        self.assertEqual(blank, "\n\n\n")

    def test_a_standard_input_that_cannot_be_read(self):
        command = [self.program, "translate", "--model", self.model]
        closed = subprocess.run(["sh", "-c", '"$0" "$@" <&-', *command], capture_output=True)
        folder = os.open(self.shared, os.O_RDONLY)
        unreadable = subprocess.run(command, stdin=folder, capture_output=True)
        os.close(folder)
        for answer in (closed, unreadable):
            self.assertEqual((answer.returncode, answer.stdout, answer.stderr.decode()),
                             (2, b"", "error: standard input cannot be read\n"))

    def test_what_is_printed_to_a_closed_standard_output_goes_into_no_file(self):
        command = [self.program, *self.train(out="unheard", updates=2)]
        answer = subprocess.run(["sh", "-c", '"$0" "$@" >&-', *map(str, command)],
                                capture_output=True)
        self.assertEqual((answer.returncode, answer.stderr.decode()),
                         (2, "error: standard output cannot be written\n"))

    def test_pairs_without_a_tab(self):
        path = self.file("bad.tsv", "a\tb\nno tab\n")
        self.refused("train", "--pairs", path, "--out", self.shared / "new", "--updates", "1",
                     names="bad.tsv:2: expected 2 columns")

    def test_what_is_no_text_is_named_before_it_fills_the_memory(self):
        for command in self.reading(src="/dev/zero"):
            self.refused(*command, names="/dev/zero: a device")
        with (self.shared / "sparse.en").open("wb") as file:
            file.truncate(1 << 42)
        for command in self.reading(src=self.shared / "sparse.en"):
            answer = self.run_program(*command)
            self.assertEqual(answer.returncode, 2)
            self.assertIn("sparse.en", answer.stderr.decode())
        (self.shared / "sparse.en").unlink()

    def test_a_message_is_short_and_holds_no_escape_sequence(self):
        def message(*arguments, stdin=b""):
            answer = self.run_program(*arguments, stdin=stdin)
            self.assertEqual(answer.returncode, 2)
            text = answer.stderr.decode()
            self.assertLess(len(text), 1200)
            self.assertRegex(text, r"^error: [^\x00-\x1f\x7f-\x9f\u202a-\u202e]*\n$")
            return text

        evil = "a\x1b[2Jb\x9b\u202ec"
        self.assertIn(r"a\x1b[2Jb", message("translate", "--model", evil))
        self.assertIn(r"\xff", message("translate", "--model", os.fsdecode(b"no\xff")))
        folder = self.copied("model_word", "evil")
        (folder / "source.vocab.txt").write_text("x" * 60_000 + evil + "\n", encoding="utf-8")
        self.assertIn("source.vocab.txt:1: expected <pad>", message("translate", "--model", folder))
        self.assertIn("--beam", message("translate", "--model", folder, "--beam", "9" * 100_000))
        shutil.rmtree(folder)

    def test_an_unknown_word_is_no_error(self):
        answer = self.done("translate", "--model", self.model, stdin=b"xyzzy\n")
        self.assertEqual(answer.count("\n"), 1)
        path = self.file("unknown.en", "xyzzy winter\n")
        float(self.done("score", "--model", self.model, "--src", path, "--tgt", path))


class BadFlags(Case):
    def test_unknown_and_misspelt_flags(self):
        for flag, near in (("--modle", "--model"), ("--bean", "--beam")):
            for command in ("translate", "evaluate"):
                self.refused(command, flag, "5", names=["unknown flag " + flag, near])
        self.refused(*self.train("--dropuot", "0"), names=["--dropuot", "--dropout"])
        self.refused(*self.train("--hedas=2"), names=["unknown flag --hedas;", "--heads"])
        self.refused("trian", names=["trian", "train"])
        self.refused("evaluate", "--model", self.model, "--src", self.src, "--tgt", self.tgt,
                     "--section", "1", names="--section: evaluate has no sections")

    def test_what_must_be_given(self):
        for command in ("translate", "evaluate", "score", "attend"):
            self.refused(command, names="--model")
        for command in ("evaluate", "score"):
            self.refused(command, "--model", self.model, "--tgt", self.tgt, names="--src")
        self.refused("attend", "--model", self.model, names="--source")
        without_tgt = replaced(self.train(), "--tgt")
        self.refused(*replaced(self.train(), "--out"), names="--out is missing")
        self.refused(*without_tgt, names="--tgt")
        self.refused(*replaced(without_tgt, "--src"), names="--src")
        self.refused(*self.train("--valid-src", self.src), names="--valid-tgt is missing")
        self.refused(*self.train("--pairs", self.src), names="--pairs:")

    def test_flags_that_the_tokenizers_do_not_have(self):
        self.refused(*self.train("--bpe-dropout", "0.1"), names=["--bpe-dropout", "bpe"])
        self.refused(*self.train("--tokenizer", "bpe", "--vocab", "40", "--min-count", "2"),
                     names=["--min-count", "bpe"])

    def test_values_out_of_range_name_the_flag_as_it_was_typed(self):
        for flag, value in (
                ("--heads", 3), ("--heads", 0), ("--d-model", 7), ("--d-model", -8), ("--d-ff", 0),
                ("--layers", 0), ("--layers", -1), ("--encoder-layers", 0), ("--updates", -1),
                ("--epochs", -1), ("--minutes", -1), ("--batch-tokens", 0), ("--lr", -1),
                ("--lr", "nan"), ("--warmup", -1), ("--clip", -1), ("--valid-every", -1),
                ("--average", 0), ("--weight-decay", -1), ("--r-drop", -1),
                ("--patience", -1), ("--keep-every", -1),
                ("--vocab", 4), ("--vocab", -1), ("--vocab", "many"),
                ("--min-count", 0), ("--dropout", 1), ("--dropout", -0.1),
                ("--label-smoothing", 1), ("--bpe-dropout", 1), ("--norm-eps", 0),
                ("--norm", "both"), ("--activation", "tanh"), ("--schedule", "cosine"),
                ("--tokenizer", "syllable"), ("--seed", -1), ("--threads", 0),
                ("--device", "tpu"), ("--updates", "1.5"), ("--updates", "99999999999")):
            arguments = replaced(self.train(out="range"), flag)
            if flag == "--encoder-layers":
                arguments = replaced(arguments, "--layers")
            self.refused(*arguments, f"{flag}={value}", names=flag)

    def test_a_model_beyond_what_is_free_is_refused_before_it_is_made(self):
        for flag in ("--d-model", "--d-ff", "--layers"):
            self.refused(*replaced(self.train(out="huge"), flag, 2000000000), names=[flag, "GiB"])

    def test_layers_are_given_for_both_sides_or_for_each(self):
        self.refused(*self.train("--decoder-layers", "2"), names=["--layers", "--decoder-layers"])

    def test_values_that_are_empty_or_beyond_all_numbers(self):
        for flag in ("--tokenizer", "--source-tokenizer", "--target-tokenizer", "--init", "--norm",
                     "--valid-src", "--valid-pairs", "--lr", "--schedule"):
            for value in ([flag, ""], [flag + "="]):
                self.refused(*self.train(*value, out="empty"), names=flag + ": its value is empty")
        text = ["--src", self.src, "--tgt", self.tgt]
        for value in ("", "1x", "0x1", "nan", "inf", "1e999"):
            self.refused("evaluate", "--model", self.model, *text, "--length-penalty", value,
                         names="--length-penalty")
        self.refused(*self.train("--seed", "99999999999999999999"), names="--seed")
        self.refused(*self.train("--seed", "18446744073709551616"), names="--seed")
        self.refused("translate", "--model", "", names="--model")

    def test_no_limit_at_all(self):
        arguments = self.train(out="endless")
        for limit in ([], ["--updates", "0"], ["--epochs", "0"], ["--minutes", "0"]):
            self.refused(*arguments[:-2], *limit, names=["--updates", "--epochs", "--minutes"])

    def test_search_flags(self):
        for command in (["translate"], ["evaluate", "--src", self.src, "--tgt", self.tgt],
                        ["attend", "--source", "winter"]):
            for flag, value in (("--beam", 0), ("--beam", -1), ("--beam", "wide"),
                                ("--length-penalty", -1), ("--length-penalty", "nan")):
                self.refused(*command, "--model", self.model, flag, value, names=flag)
        self.refused("evaluate", "--model", self.model, "--src", self.src, "--tgt", self.tgt,
                     "--bleu-tokens", "14a", names="--bleu-tokens")


class BadModel(Case):
    """Each file of a model directory missing, cut, misshapen, of another model."""

    def broken(self, names, change, model="model_word"):
        folder = self.copied(model, "broken")
        change(folder)
        text = self.texts_of(folder)
        for command in (["translate"], ["evaluate", *text], ["score", *text],
                        ["attend", "--source", "winter", "--out", self.shared / "new"]):
            self.refused(*command, "--model", folder, names=names, stdin=b"winter\n")

    def test_no_directory(self):
        self.refused("translate", "--model", self.shared / "no", names="no/config.json")

    def test_missing(self):
        for name in ("config.json", "model.safetensors", "source.vocab.txt", "target.vocab.txt"):
            self.broken(f"{name}: No such file", lambda folder: (folder / name).unlink())
        self.broken("target.model: No such file",
                    lambda folder: (folder / "target.model").unlink(), "model_bpe")

    def test_truncated(self):
        def half(folder):
            path = folder / "source.model"
            path.write_bytes(path.read_bytes()[:path.stat().st_size // 2])
        self.broken("broken/source.model", half, "model_bpe")

    def test_what_is_no_model(self):
        for name, change, said in HOSTILE:
            with self.subTest(file=name, said=said):
                self.broken(re.compile(said), lambda folder: (folder / name).write_bytes(
                    change((folder / name).read_bytes())))

    def test_shared_embeddings_need_one_vocabulary(self):
        for kind, more in (("word", []), ("bpe", ["--vocab", "60"])):
            out = self.shared / f"shared-{kind}"
            self.done("train", "--src", self.src, "--tgt", self.tgt, "--out", out, *SMALL,
                      "--updates", "1", "--shared-embeddings", "--tokenizer", kind, *more)
            self.done("translate", "--model", out, stdin=b"a dog\n")
            if kind == "word":
                path = out / "target.vocab.txt"
                lines = path.read_text(encoding="utf-8").splitlines()
                path.write_text(join(lines[:4] + lines[:3:-1]), encoding="utf-8")
            else:
                path = out / "target.model"
                path.write_bytes(path.read_bytes().replace("▁d".encode(), "▁q".encode()))
            self.refused("translate", "--model", out, names=["config.json", "shared_embeddings"])

    def test_vocabulary_lines(self):
        def append(text):
            def edit(folder):
                path = folder / "source.vocab.txt"
                path.write_text(path.read_text() + text)
            return edit

        self.broken("source.vocab.txt:13: \"winter\" is already on line", append("winter\n"))
        self.broken("source.vocab.txt:13: an empty token", append("\n"))
        self.broken(["source.vocab.txt", "source_vocabulary"], append("summer\n"))
        self.broken("source.vocab.txt:1", lambda folder: (folder / "source.vocab.txt").write_text(
            "winter\n"))


class Training(Case):
    ALL = ["--tokenizer", "bpe", "--vocab", "40", "--dropout", "0.2", "--bpe-dropout", "0.3",
           "--r-drop", "3", "--average", "3", "--batch-tokens", "24", "--lr", "0.01",
           "--warmup", "5"]

    def everything(self, out, *more):
        return ["train", "--src", self.src, "--tgt", self.tgt, "--valid-src", self.src,
                "--valid-tgt", self.tgt, "--out", self.shared / out, *SMALL, *self.ALL, *more]

    def weights(self, out):
        return (self.shared / out / "model.safetensors").read_bytes()

    def test_interrupted_and_resumed_is_uninterrupted(self):
        limits = ["--updates", "1000", "--valid-every", "300", "--seed", "7"]
        self.done(*self.everything("whole", *limits))
        stops = []
        command = self.everything("stopped", *limits)
        for line, *resume in ([b" for validation"], [b"resumed", "--resume"]):
            self.interrupted(line, *command, *resume)
            stops.append(self.counter("stopped", "update"))
        self.assertTrue(0 < stops[0] <= stops[1] < 1000, stops)
        self.refused(*self.everything("stopped", *limits[:-1], "8", "--resume"), names="--seed")
        self.refused(*self.everything("stopped", *limits, "--resume", "--lr", "0.5"), names="--lr")
        self.refused(*self.everything("stopped", *limits, "--resume", "--d-model", "16"),
                     names="--d-model")
        self.refused(*self.everything("stopped", *limits), names=["--out", "--resume"])
        self.done(*command, "--resume")
        self.assertEqual(self.weights("stopped"), self.weights("whole"), stops)
        self.checkpoint_damage()

    def test_the_best_model_of_a_validated_run_is_not_replaced_by_its_last(self):
        command = self.train("--lr", "0.01", "--warmup", "5", out="validated", updates=60)
        valid = ["--valid-src", self.src, "--valid-tgt", self.tgt]
        self.done(*command, *valid)
        history = read(self.shared / "validated" / "history.csv").splitlines()[1:]
        self.assertGreater(max(float(line.split(",")[-1]) for line in history), 0)
        command = [*replaced(command, "--updates", 61), "--resume"]
        self.refused(*command, names=["--resume", "--valid-src"])
        self.refused(*command, *replaced(valid, "--valid-src", self.tgt),
                     names=["--resume", "another validation text"])
        self.done(*command, *valid)

    def test_bleu_that_cannot_tell_says_so_and_perplexity_decides(self):
        pairs = self.file("zh.tsv", join(f"{english}\t{chinese}" for english, chinese in (
            ("a dog runs", "一只狗在跑步"), ("a cat sleeps", "一只猫在睡觉"),
            ("the dog sleeps", "狗正在睡觉"), ("the cat runs", "猫正在跑步"),
            ("a bird sings", "一只鸟在唱歌"), ("the bird runs", "鸟正在跑步"))))
        log = self.done("train", "--pairs", pairs, "--valid-pairs", pairs, "--target-tokenizer",
                        "char", "--out", self.shared / "zh", *SMALL, "--updates", "60",
                        "--valid-every", "20", "--lr", "0.01", "--warmup", "10", "--dropout", "0",
                        "--average", "1")
        lines = [line for line in log.splitlines() if "valid BLEU" in line]
        self.assertEqual(len(lines), 3, log)
        for line in lines:  # a sentence is one word, so that all are 0; the perplexity falls
            self.assertIn("valid BLEU 0.00  *", line)
        said = [line for line in log.splitlines() if line.startswith("--bleu-tokens")]
        self.assertEqual(len(said), 1, log)
        self.assertIn("--bleu-tokens zh is more informative", said[0])
        answer = self.run_program("evaluate", "--model", self.shared / "zh", "--src",
                                  self.file("zh.src", "a dog runs\n"), "--tgt",
                                  self.file("zh.tgt", "一只狗在跑步\n"))
        self.assertEqual(answer.returncode, 0)
        self.assertIn("--bleu-tokens 13a: ", answer.stderr.decode())

    def test_what_somebody_removes_during_a_training_is_written_again(self):
        out = self.shared / "robbed"
        process = self.begun(*self.everything(out, "--updates", "300", "--valid-every", "300"),
                             line=b" for validation")
        kept = {out / name: (out / name).read_bytes()
                for name in ("config.json", "source.model", "target.model")}
        for path in kept:
            path.unlink()
        _, errors = process.communicate(timeout=300)
        self.assertEqual((process.returncode, errors), (0, b""))
        self.assertEqual({path: path.read_bytes() for path in kept}, kept)
        self.done("translate", "--model", out, stdin=b"a dog\n")

    def first_loss(self, out, *more):
        self.done(*self.train("--norm", "pre", *more, out=out))
        return float((self.shared / out / "history.csv").read_text().splitlines()[1].split(",")[3])

    def test_r_drop_measures_what_dropout_does_to_the_predictions(self):
        # Without dropout both readings of the batch predict the same: there is nothing to add.
        plain = self.first_loss("plain", "--dropout", "0")
        self.assertAlmostEqual(self.first_loss("drop0", "--dropout", "0", "--r-drop", "5"), plain,
                               places=4)
        weak, strong, twice = (self.first_loss(f"drop{x}", "--dropout", "0.5", "--r-drop", x)
                               for x in ("1e-9", "1", "2"))
        self.assertGreater(strong, weak + 0.01)
        self.assertAlmostEqual(twice - weak, 2 * (strong - weak), places=3)

    def test_training_may_begin_with_a_trained_model(self):
        text = ["--src", self.src, "--tgt", self.tgt]
        self.done(*self.train("--tokenizer", "bpe", "--vocab", "40", "--lr", "0.01", out="trained",
                              updates=20))
        init = ["--init", self.shared / "trained"]
        still = ["train", *text, "--updates", "1", "--lr", "1e-12", "--threads", "2"]
        self.done(*still, *init, "--out", self.shared / "tuned")
        before, after = ([float(line) for line in self.done("score", "--model", self.shared / out,
                                                            *text).split()]
                         for out in ("trained", "tuned"))
        for one, other in zip(before, after, strict=True):
            self.assertAlmostEqual(one, other, places=4)
        new = [*still, "--out", self.shared / "new"]
        self.done(*still, *init, "--dropout", "0.3", "--out", self.shared / "dropped")
        for model, dropout in (("trained", 0.1), ("tuned", 0.1), ("dropped", 0.3)):
            self.assertEqual(json_of(self.shared / model / "config.json")["dropout"], dropout)
        self.refused(*new, *init, "--dropout", "1", names="--dropout")
        self.refused(*new, *init, "--d-model", "16", names=["--d-model", "model.safetensors"])
        self.refused(*new, *init, "--tokenizer", "word", names="--tokenizer")
        self.refused(*new, *init, "--vocab", "50", names="--vocab")
        self.refused(*new, "--init", self.shared / "nowhere", names="config.json")
        self.refused(*still, *init, "--out", self.shared / "tuned", "--resume", names="--init")

    def test_a_seed_gives_its_model_again(self):
        for out, seed in (("first", 7), ("second", 7), ("third", 8)):
            self.done(*self.everything(out, "--updates", "20", "--seed", seed))
        self.assertEqual(self.weights("first"), self.weights("second"))
        self.assertNotEqual(self.weights("first"), self.weights("third"))

    def counter(self, out, name):
        header, _ = parts_of(self.shared / out / "checkpoint.safetensors")
        return int(header["__metadata__"][name])

    def checkpoint_damage(self):
        command = self.everything("stopped", "--updates", "1100", "--seed", "7", "--resume")
        path = self.shared / "stopped" / "checkpoint.safetensors"
        whole = path.read_bytes()
        for data in (b"", whole[:100], whole[:-1],
                     whole.replace(b'"update":"1000"', b'"update":"3x0"'),
                     whole.replace(b'"seed":"7"', b'"seed":"x"'),
                     whole.replace(b'"adam.steps"', b'"adam.stops"')):
            path.write_bytes(data)
            self.refused(*command, names="checkpoint.safetensors")
        path.write_bytes(whole)

    def test_another_text_is_noticed_on_resume(self):
        src = self.file("moving.en", join(SOURCE))
        arguments = self.train(src=src, out="moving")
        self.done(*arguments)
        longer = [*replaced(arguments, "--updates", 2), "--resume"]
        for lines in (SOURCE[::-1], SOURCE[:-1] + ["the cat sinks"]):
            src.write_text(join(lines))
            self.refused(*longer, names=["--resume", "another training text", "bytes"])
        src.write_text(join(SOURCE))
        self.done(*longer)

    def test_the_tokenizers_need_not_be_repeated_on_resume(self):
        sides = ["--source-tokenizer", "char", "--target-tokenizer", "bpe", "--vocab", "40"]
        command = self.train(out="sides")
        self.done(*command, *sides)
        command = replaced(command, "--updates", 2)
        self.done(*command, *sides, "--resume")
        self.done(*command, "--resume")
        for flag in ("--vocab", "--min-count"):
            self.refused(*command, "--resume", flag, 41, names=flag + ": ")
        path = self.shared / "sides" / "checkpoint.safetensors"  # as in a directory from before
        header, numbers = parts_of(path)
        options = json.loads(header["__metadata__"]["options"])
        self.assertEqual((options.pop("vocab"), options.pop("min_count")), (40, 1))
        header["__metadata__"]["options"] = json.dumps(options)
        save_parts(path, header, numbers)
        self.done(*command, "--resume")
        self.done(*command, *sides, "--resume")
        self.refused(*command, "--resume", "--source-tokenizer", "word", names="--source-tokenizer")

    def test_where_no_training_may_begin(self):
        self.refused(*self.train(out="model"), names=["--out", str(self.model)])
        self.refused(*self.train(out="train.en"), names="train.en")
        for out in ("model", "nowhere"):
            self.refused(*self.train("--resume", out=out), names=["--resume", "checkpoint"])

    def test_a_loss_that_is_not_finite_stops(self):
        steep = ["--lr", "1e30", "--warmup", "1", "--valid-every", "100"]
        answer = self.run_program(*self.train(*steep, out="nan", updates=50))
        message = answer.stderr.decode()
        self.assertEqual(answer.returncode, 2, message)
        self.assertRegex(message, r"^error: update \d+: .*finite.*--lr.*update 0\)\n$")
        self.assertEqual(self.counter("nan", "update"), 0)
        self.refused(*self.train("--resume", "--lr", "1", out="nan"), names="--lr")


class Using(Case):
    def test_scores_agree_with_pytorch(self):
        for name in ("model_word", "model_torch", "model_bpe"):
            folder = GOLDEN / name
            found = self.done("score", "--model", folder, *self.texts_of(folder)).split()
            for one, other in zip(found, read(folder / "scores.txt").split(), strict=True):
                self.assertRegex(one, r"^-\d+\.\d{6}$")
                self.assertAlmostEqual(float(one), float(other), delta=1e-4, msg=name)

    def test_directories_from_before_final_norm_still_load(self):
        self.assertNotIn("final_norm", (GOLDEN / "model_word/config.json").read_text())
        names = ["model.safetensors", "the model has no decoder.final_norm"]
        folder = self.copied("model_torch", "torch")
        for final_norm in ("pre", "never", None):
            json_of(folder / "config.json", final_norm=final_norm)
            self.refused("translate", "--model", folder, names=names)
        json_of(folder / "config.json", final_norm="perhaps")
        self.refused("translate", "--model", folder, names=["config.json", "final_norm", "always"])

    def test_learned_positions_are_trained_kept_and_used(self):
        self.done(*self.train("--positions", "learned", out="learned"))
        folder, text = self.shared / "learned", b"a dog runs\n"
        path = folder / "config.json"
        self.assertEqual(json_of(path)["positions"], "learned")
        self.assertEqual(self.done("translate", "--model", folder, stdin=text).count("\n"), 1)
        json_of(path, positions="relative")
        self.refused("translate", "--model", folder, stdin=text,
                     names=["config.json", "positions", "sinusoidal", "learned"])
        json_of(path, positions=None)  # as in a directory from before
        self.refused("translate", "--model", folder, stdin=text,
                     names=["model.safetensors", "learned_positions.weight"])

    def test_a_state_dict_of_pytorch_goes_both_ways(self):
        golden, folder = GOLDEN / "model_torch", self.copied("model_torch", "exchanged")
        theirs, state, weights = (golden / "state.safetensors", self.shared / "state.safetensors",
                                  folder / "model.safetensors")
        self.done("export", "--model", folder, "--state", state)
        self.assertEqual(tensors_of(state), tensors_of(theirs))
        self.assertIn("decoder.layers.1.multihead_attn.in_proj_weight", tensors_of(state))
        weights.unlink()
        self.done("import", "--model", folder, "--state", theirs)
        self.assertEqual(tensors_of(weights), tensors_of(golden / "model.safetensors"))
        for score, wanted in zip(self.scores(folder), read(golden / "scores.txt").split()):
            self.assertAlmostEqual(score, float(wanted), delta=1e-4)
        first, again = weights.read_bytes(), self.shared / "again.safetensors"
        self.done("export", "--model", folder, "--state", again)
        self.assertEqual(again.read_bytes(), state.read_bytes())
        self.done("import", "--model", folder, "--state", again)
        self.assertEqual(weights.read_bytes(), first)
        self.refused("export", "--model", folder, "--state", f"{folder}/./model.safetensors",
                     names="--state: ")
        self.refused("import", "--model", folder, "--state", again, "--out", self.shared / "i",
                     names="--out: ")

    def test_sources_that_begin_and_whose_padding_is_seen(self):
        folder = self.copied("model_padded", "padded")
        flags = ["import", "--model", folder, "--state", GOLDEN / "model_padded/state.safetensors"]
        text = ["score", "--model", folder, *self.texts_of(folder)]
        wanted = [float(x) for x in read(folder / "scores.txt").split()]

        def apart() -> float:
            return max(abs(a - b) for a, b in zip(self.scores(folder), wanted))
        self.done(*flags)
        self.assertGreater(apart(), 0.01)  # it was trained on other sources
        self.done(*flags, "--source-begins", "--source-length", 24)
        self.assertLess(apart(), 1e-4)
        config = json_of(folder / "config.json")
        self.assertEqual((True, 24), (config["source_begins"], config["source_length"]))
        state = self.shared / "padded.safetensors"  # goes both ways from now on
        self.done("export", "--model", folder, "--state", state)
        self.done("import", "--model", folder, "--state", state)
        self.assertLess(apart(), 1e-4)
        self.refused(*flags, "--source-length", 24,
                     names="--source-length: the model in this directory already has one")
        self.refused(*flags, "--source-length", -1, names="--source-length")
        for length in (-1, 2000):
            json_of(folder / "config.json", source_length=length)
            self.refused(*text, names=["config.json", "source_length"])
        json_of(folder / "config.json", source_length=24)
        words = folder / "source.vocab.txt"
        words.write_text(read(words).replace("<fill>", "x"))
        self.refused(*text, names=["config.json", "source_length", "<fill>"])

    def test_a_state_dict_that_does_not_fit_is_refused(self):
        folder = self.copied("model_torch", "unfit")
        state = folder / "state.safetensors"
        whole = state.read_bytes()
        header = b"encoder.layers.0.self_attn.in_proj_weight"
        for content, names in ((whole.replace(header, header[:-1] + b"T"), [header.decode()]),
                               (whole[:-9], ["state.safetensors"]), (b"", ["state.safetensors"])):
            state.write_bytes(content)
            self.refused("import", "--model", folder, "--state", state, names=names)
        state.write_bytes(whole)
        self.refused("import", "--model", self.model, "--state", state, names="decoder.norm")
        self.refused("import", "--model", folder, "--state", self.shared / "none", names="none")

    def test_a_score_does_not_depend_on_the_other_sentences(self):
        folder = GOLDEN / "model_bpe"
        source, target = (read(folder / name).splitlines() for name in ("source.txt", "target.txt"))
        for a, b, score in zip(source, target, self.scores(folder)):
            alone = self.done("score", "--model", folder, "--src", self.file("one.a", a), "--tgt",
                              self.file("one.b", b))
            self.assertAlmostEqual(float(alone), score, delta=1e-4)

    def test_perplexity_is_that_of_the_scores(self):
        folder = GOLDEN / "model_word"
        text = ["--model", folder, *self.texts_of(folder)]
        total = sum(self.scores(folder))
        tokens = sum(len(line.split()) + 1 for line in read(folder / "target.txt").splitlines())
        for beam in (1, 5):
            answer = self.done("evaluate", *text, "--beam", beam)
            self.assertRegex(answer, r"(?m)^BLEU = .*\nsignature nrefs:1\|.*\|tok:13a\|")
            perplexity = float(re.search(r"(?m)^perplexity ([\d.e+]+)", answer)[1])
            self.assertAlmostEqual(perplexity / math.exp(-total / tokens), 1, delta=1e-4)

    def test_eight_bits_say_nearly_the_same_with_any_threads(self):
        wider = {"8": "64", "12": "256"}  # smaller weights stay as they are
        answer = self.run_program(*(wider.get(word, word) for word in self.train(out="wide")))
        self.assertEqual(answer.returncode, 0, answer.stderr)
        text = ["--model", self.shared / "wide", "--src", self.src, "--tgt", self.tgt]
        exact = [float(line) for line in self.done("score", *text).split()]
        eight = {self.done("score", *text, "--precision", "int8", "--arithmetic", "same",
                           "--threads", threads) for threads in (1, 2)}
        self.assertEqual(len(eight), 1)
        scores = [float(line) for line in eight.pop().split()]
        self.assertNotEqual(scores, exact)
        for score, wanted in zip(scores, exact, strict=True):
            self.assertAlmostEqual(score / wanted, 1, delta=0.01)
        lines = self.src.read_bytes()
        for beam in (1, 3):
            said = self.done("translate", *text[:2], "--beam", beam, "--precision", "int8",
                             stdin=lines)
            self.assertEqual(said.count("\n"), lines.count(b"\n"))
        self.refused("translate", *text[:2], "--precision", "int4", names="--precision")

    def test_a_line_is_answered_when_nothing_more_is_waiting(self):
        for command in (["translate", "--beam", "1"], ["tokens"]):
            process = subprocess.Popen([self.program, *command, "--model", self.model],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            answers = []
            for line in (b"i like winter\n", b"\n", b"the games\n"):
                process.stdin.write(line)
                process.stdin.flush()
                ready = select.select([process.stdout], [], [], 60)[0]
                self.assertTrue(ready, f"{command[0]} waits for the end of its input")
                answers.append(process.stdout.readline())
            process.stdin.close()
            self.assertEqual((process.stdout.read(), process.wait()), (b"", 0))
            process.stdout.close()
            whole = self.done(*command, "--model", self.model,
                              stdin=b"i like winter\n\nthe games\n")
            self.assertEqual(b"".join(answers).decode(), whole)

    def test_a_line_that_is_refused_is_an_error_of_its_own(self):
        winter = self.done("translate", "--model", self.model, stdin=b"winter\n").strip()
        answer = self.run_program("translate", "--model", self.model,
                                  stdin=b"winter\n" + b"w " * 1001 + b"\nb\xe4d\nwinter\n")
        self.assertEqual((answer.returncode, answer.stdout.decode().split("\n")),
                         (2, [winter, "", "", winter, ""]))
        self.assertEqual(answer.stderr.decode().splitlines(),
                         ["error: standard input:2: a line of 1001 words (at most 1000)",
                          "error: standard input:3: invalid UTF-8 at byte 2"])
        sources = self.file("some.en", join(["winter", "w " * 1001, "the games", "i like"]))
        targets = self.file("some.zh", join(["dong", "dong", "", "wo ai"]))
        answer = self.run_program("score", "--model", self.model, "--src", sources, "--tgt",
                                  targets)
        scores = answer.stdout.decode().split("\n")
        self.assertEqual((answer.returncode, [bool(score) for score in scores]),
                         (2, [True, False, False, True, False]))
        self.assertEqual(answer.stderr.decode().splitlines(),
                         [f"error: {sources}:2: a line of 1001 words (at most 1000)",
                          f"error: {targets}:3: an empty line"])
        alone = self.done("score", "--model", self.model, "--src",
                          self.file("one.en", "i like\n"), "--tgt", self.file("one.zh", "wo ai\n"))
        self.assertAlmostEqual(float(scores[3]), float(alone), places=4)

    @without_sanitizer
    def test_few_addresses_are_an_error_and_not_a_standstill(self):
        for limit in (120_000, 200_000, 300_000, 8_000_000):
            answer = subprocess.run(
                ["sh", "-c", f'ulimit -v {limit}; exec "$0" "$@"', self.program, "translate",
                 "--model", self.model, "--threads", "1"], input=b"winter\n", capture_output=True,
                timeout=60)
            if answer.returncode == 0:
                self.assertEqual(answer.stdout.count(b"\n"), 1)
                continue
            self.assertLess(limit, 8_000_000)
            self.assertEqual((answer.returncode, answer.stderr.count(b"\n")), (2, 1), answer)
            self.assertIn(b"memory", answer.stderr)

    def test_translations_keep_order_and_blank_lines(self):
        lines = ["winter", "", "i like the winter games", "   ", "the games", "winter", ""]
        for beam in (1, 5):
            def translate(text):
                return self.done("translate", "--model", self.model, "--beam", beam,
                                 stdin=text.encode())
            found = translate(join(lines)).split("\n")
            self.assertEqual(found.pop(), "")
            self.assertEqual(len(found), len(lines))
            self.assertTrue(any(found))
            for i in (1, 3, 6):
                self.assertEqual(found[i], "")
            self.assertEqual(found[0], found[5])
            for line, translation in zip(lines, found):
                self.assertEqual(translate(line + "\n"), translation + "\n")
            self.assertEqual(translate(""), "")
            self.assertEqual(translate("winter"), found[0] + "\n")

    @without_sanitizer
    def test_a_text_of_any_length_takes_no_more_memory(self):
        def peak(lines):
            kib, code, said, _ = self.peak("translate", "--model", self.model, "--beam", "1",
                                           stdin=b"winter games like winter\n" * lines)
            self.assertEqual((code, said.count(b"\n")), (0, lines))
            return kib
        few = peak(9_000)
        self.assertLess(peak(27_000), few + 8 * 1024)

    def test_attend_draws_three_pictures_with_their_labels(self):
        out = self.shared / "pictures"
        answer = self.done("attend", "--model", self.model, "--source", "i like winter", "--target",
                           "wo ai xyzzy", "--out", out)
        source, target = ["i", "like", "winter", "<eos>"], ["<bos>", "wo", "ai", "<unk>"]
        for name, rows, columns, layers in (("encoder", source, source, 1),
                                            ("decoder", target, target, 2),
                                            ("cross", target, source, 2)):
            path = out / f"attention_{name}.svg"
            self.assertIn(str(path), answer)
            texts = re.findall(r"<text[^>]*>(.*?)</text>", path.read_text(encoding="utf-8"))
            found = [html.unescape(re.sub(r"<tspan.*?</tspan>\s*", "", text)) for text in texts]
            for label in {*rows, *columns}:
                # the rows' words once a layer, the columns' once a head, of which there are two
                times = rows.count(label) * layers + columns.count(label) * 2
                self.assertEqual(found.count(label), times, (name, label, found))
        self.refused("attend", "--model", self.model, "--source", " ", "--out",
                     self.shared / "new", names="--source")

    def explorer(self, *arguments, out="explorer"):
        """The data of the page that attend writes."""
        self.done("attend", "--out", self.shared / out, *arguments)
        return data_of(self.shared / out / "attention.html")

    def test_the_explorer_has_the_search_of_the_model_and_not_that_of_another_target(self):
        found = self.done("translate", "--model", self.model, "--beam", 3, stdin=b"i like winter\n")
        data = self.explorer("--model", self.model, "--source", "i like winter", "--beam", 3)
        self.assertEqual([view["kind"] for view in data["views"]], ["encoder", "decoder", "cross"])
        self.assertEqual(data["sentence"], ["i like winter", found.strip()])
        self.assertEqual(data["search"]["result"], found.split() + ["<eos>"])
        for step, candidates in enumerate(data["search"]["steps"]):
            self.assertTrue(all(len(one["before"]) == step for one in candidates))
            self.assertLessEqual(len(candidates), 6)
            falling = [one["all"] for one in candidates]
            self.assertEqual(falling, sorted(falling, reverse=True))
        other = self.explorer("--model", self.model, "--source", "i like winter", "--target",
                              "wo wo wo wo wo")
        self.assertIsNone(other["search"])

    def test_what_training_keeps_is_in_the_explorer(self):
        self.done(*self.train("--keep-every", 2, "--average", 1, out="kept", updates=4))
        model = self.shared / "kept"
        names = sorted(path.name for path in (model / "kept").iterdir())
        self.assertEqual(names, [f"0000000{n}.safetensors" for n in (0, 2, 4)])
        data = self.explorer("--model", model, "--source", "a dog runs")
        self.assertEqual(data["checkpoints"], ["update 0", "update 2", "update 4", "model"])
        weights = [layers[0]["weights"]["data"] for layers in data["views"][0]["checkpoints"]]
        self.assertEqual(len(set(weights)), 3)  # the last one is the model
        self.assertEqual(weights[2], weights[3])
        (model / "kept/00000002.safetensors").write_bytes(b"short")
        self.refused("attend", "--model", model, "--source", "a dog", "--out",
                     self.shared / "none", names="00000002.safetensors")


if __name__ == "__main__":
    unittest.main()

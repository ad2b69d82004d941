#!/usr/bin/env python3
"""Published translation models in `07_transformer`: the answers of transformers, by the program.

tests/golden/marian_reference.py made the models and the answers. The program is
$XF_BIN/07_transformer, or that of the release build.
"""

from __future__ import annotations

import hashlib
import json
import random
import shutil
import unittest
from pathlib import Path

from support.checkout import BIN, GOLDEN, json_of, read
from support.hostile_lines import hostile_lines
from support.programs import Commands, save_tensors, tensors_of

MARIAN = GOLDEN / "marian"
ANSWERS = json_of(MARIAN / "answers.json")
FILES = ["config.json", "generation_config.json", "model.safetensors", "source.spm", "target.spm",
         "vocab.json"]


def lines_of(texts) -> bytes:
    return "".join(text + "\n" for text in texts).encode()


class MarianTest(Commands):
    program = BIN / "07_transformer"

    def model(self, name: str) -> Path:
        """The directory as one is downloaded."""
        folder = self.shared / name
        if not folder.exists():
            shutil.copytree(MARIAN / name, folder)
            vocabularies = {"vocab.json": "vocab.json"} if name != "separate" else {
                "source_vocab.json": "vocab.json", "target_vocab.json": "target_vocab.json"}
            for own, its in vocabularies.items():
                shutil.copy(MARIAN / own, folder / its)
            for spm in ("source.spm", "target.spm"):
                shutil.copy(MARIAN / spm, folder)
        return folder

    def copied(self, name: str) -> Path:
        """The `plain` model, to be changed."""
        shutil.rmtree(self.shared / name, ignore_errors=True)
        return shutil.copytree(self.model("plain"), self.shared / name)

    def assert_answers(self, model: Path, answers: list[dict], kind: str, *flags) -> None:
        said = self.done("translate", "--model", model, *flags,
                         stdin=lines_of(answer["source"] for answer in answers))
        self.assertEqual(said, lines_of(answer[f"{kind}_text"] for answer in answers).decode())

    def test_translates_as_transformers_does(self):
        for name, answers in ANSWERS["models"].items():
            for kind, *flags in (["beam"], ["greedy", "--beam", "1"]):
                with self.subTest(name=name, kind=kind):
                    self.assert_answers(self.model(name), answers, kind, *flags)

    def in_shards(self, name: str) -> Path:
        """The `plain` model, its weights in two files with an index."""
        folder = self.copied(name)
        single = folder / "model.safetensors"
        tensors = tensors_of(single)
        single.unlink()
        self.shards = [folder / f"model-0000{i}-of-00002.safetensors" for i in (1, 2)]
        weight_map = {}
        for i, shard in enumerate(self.shards):
            part = dict(list(tensors.items())[i::2])
            save_tensors(shard, part)
            weight_map |= {tensor: shard.name for tensor in part}
        self.index = folder / "model.safetensors.index.json"
        self.index.write_text(json.dumps({"metadata": {}, "weight_map": weight_map}))
        return folder

    def test_weights_in_shards_are_the_same_model(self):
        self.assert_answers(self.in_shards("in_shards"), ANSWERS["models"]["plain"], "beam")

    def test_shards_that_do_not_fit_are_named_with_the_key(self):
        folder = self.in_shards("unfit")
        first, second = self.shards
        wholes = {path: path.read_bytes() for path in (first, second, self.index,
                                                       folder / "config.json")}
        index = json.loads(wholes[self.index])
        tensor = next(name for name, shard in index["weight_map"].items() if shard == second.name)
        shape, numbers = tensors_of(second)[tensor]

        def refused(*names):
            self.refused("translate", "--model", folder, names=names, stdin=b"a\n")
            for path, content in wholes.items():
                path.write_bytes(content)

        second.write_bytes(wholes[second][:-1])
        refused(second, "truncated")
        second.write_bytes(wholes[second][:40])
        refused(second, "truncated")
        second.unlink()
        refused(self.index, f"weight_map.{tensor}", f"there is no file {second.name}")
        save_tensors(second, tensors_of(second) | {tensor: (shape[::-1] + [1], numbers)})
        refused(second, tensor, "the model needs")
        save_tensors(second, {name: each for name, each in tensors_of(second).items()
                              if name != tensor})
        refused(self.index, f"weight_map.{tensor}", f"missing from {second.name}")
        del index["weight_map"][tensor]
        self.index.write_text(json.dumps(index))
        refused(self.index, f"{tensor} is missing")
        index["weight_map"][tensor] = "../" + second.name
        self.index.write_text(json.dumps(index))
        refused(self.index, f"weight_map.{tensor}")
        for kind in ("marianmt", "llama"):
            json_of(folder / "config.json", model_type=kind)
            refused(folder / "config.json", "model_type", "marian", kind)
        first.write_bytes(wholes[first][:8][::-1] + wholes[first][8:])  # of another endianness
        refused(first, "not a safetensors file")

    def test_a_pass_is_traced(self):
        page = self.shared / "trace.html"
        self.done("translate", "--model", self.model("plain"), "--trace-page", page,
                  stdin="the boat\n".encode())
        self.assertIn("encoder.layers.0.self_attention", read(page))

    def test_ten_thousand_hostile_lines_give_the_same_tokens(self):
        said = self.done("tokens", "--ids", "--model", self.model("plain"),
                         stdin=lines_of(hostile_lines(10_000)))
        rows = said.split("\n")[:-1]
        self.assertEqual(len(rows), 10_000)
        digests = [hashlib.sha256(lines_of(rows[first:first + 100])).hexdigest()
                   for first in range(0, 10_000, 100)]
        self.assertEqual(digests, ANSWERS["hostile"])

    def test_tokens_are_shown_as_pieces(self):
        said = self.done("tokens", "--model", self.model("plain"), stdin="the boat</s>\n".encode())
        self.assertTrue(said.startswith("▁"), said)
        self.assertTrue(said.endswith(" </s> </s>\n"), said)

    def test_scores_evaluates_and_draws(self):
        model = self.model("swish_deep")
        src = self.file("src.txt", "the old boat waits\nsnow\n")
        tgt = self.file("tgt.txt", "das alte boot im schnee\nschnee auf dem boot\n")
        self.assertEqual(
            len(self.done("score", "--model", model, "--src", src, "--tgt", tgt).split()), 2)
        said = self.done("evaluate", "--model", model, "--src", src, "--tgt", tgt)
        self.assertIn("beam 6  length penalty 1\n", said)
        out = self.shared / "drawn"
        self.done("attend", "--model", model, "--source", "the old boat", "--out", out)
        self.assertIn("▁", read(out / "attention.html"))
        self.assertTrue((out / "beam.svg").exists())

    def test_a_line_of_too_many_tokens_is_named(self):
        model = self.model("plain")  # 64 positions, one of them for </s>
        self.refused("translate", "--model", model, stdin=lines_of(["a", "x y " * 40]),
                     names=["standard input:2", "63"])

    def test_damaged_files_are_refused_or_read(self):
        """Whatever a file holds: no crash, and one line that names the directory's file."""
        chance = random.Random(7)
        for number in range(60):
            folder = self.copied("damaged")
            path = folder / FILES[number % len(FILES)]
            content = bytearray(path.read_bytes())
            if number % 3 == 0:
                content = content[:chance.randrange(len(content))]
            for _ in range(chance.randrange(1, 5) if content else 0):
                content[chance.randrange(len(content))] = chance.randrange(256)
            path.write_bytes(content)
            answer = self.run_program("translate", "--model", folder, stdin=b"the boat\n")
            said = answer.stderr.decode(errors="replace")
            with self.subTest(number=number, file=path.name, said=said):
                self.assertIn(answer.returncode, (0, 2))
                if answer.returncode == 2:
                    self.assertEqual(said.count("\n"), 1)
                    self.assertIn(str(folder), said)

    def test_a_missing_file_is_named(self):
        for name in FILES:
            if name == "generation_config.json":  # config.json may say it instead
                continue
            folder = self.copied("without")
            (folder / name).unlink()
            self.refused("translate", "--model", folder, names=[folder / name], stdin=b"a\n")


if __name__ == "__main__":
    unittest.main()

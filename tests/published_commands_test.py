#!/usr/bin/env python3
"""`09_since_2017 generate` and `tokens`, run as a user would, on the models of golden/published,
and `ablation` on a short text."""

from __future__ import annotations

import math
import os
import pty
import re
import shutil
import signal
import struct
import unittest
from pathlib import Path

from support.checkout import BIN, GOLDEN, ROOT, data_of, json_of
from support.programs import Commands, parts_of, without_sanitizer

MODELS = GOLDEN / "published"
GGUF = GOLDEN / "gguf"
REAL = ROOT / "out/data/smollm2"


def expected(model: str) -> dict:
    return json_of(MODELS / model / "expected.json")


class SinceThen(Commands):
    program = BIN / "09_since_2017"

    def copied(self, model: str) -> Path:
        """A published model, to be changed."""
        return shutil.copytree(MODELS / model, self.folder / "model")

    def generated(self, model, *words, prompt="a") -> str:
        return self.done("generate", "--model", model, "--prompt", prompt, *words)

    def ungenerated(self, model, *words, prompt="a", names) -> None:
        self.refused("generate", "--model", model, "--prompt", prompt, *words, names=names)

    def file_of_its_own(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text, encoding="utf-8", newline="")
        return path


class Published(SinceThen):
    def test_greedy_writes_the_continuation_of_the_library_and_nothing_else(self):
        for model in sorted(MODELS.iterdir()):
            with self.subTest(model.name):
                wanted = expected(model.name)
                self.assertEqual(wanted["text"] + "\n", self.generated(
                    model, "--length", 24, "--greedy", prompt=wanted["prompt"]))

    def test_the_same_seed_draws_the_same_text(self):
        def drawn(seed: int) -> str:
            return self.generated(MODELS / "gpt2-plain", "--length", 20, "--temperature", 2,
                                  "--top-k", 50, "--top-p", 0.9, "--seed", seed)
        self.assertEqual(drawn(3), drawn(3))
        self.assertNotEqual(drawn(3), drawn(4))

    def test_eight_bits_write_a_text_of_the_same_length(self):
        def written(*words) -> str:
            return self.generated(MODELS / "qwen2-plain", "--length", 9, "--greedy", "--precision",
                                  "int8", *words)
        self.assertGreater(len(written()), 1)
        self.assertEqual(written("--arithmetic", "same", "--threads", 1),
                         written("--arithmetic", "same", "--threads", 2))

    def test_tokens_of_lines(self):
        lines = [line for line in expected("llama-plain")["lines"] if "\0" not in line[0]]
        path = self.file_of_its_own("lines", "".join(line + "\0" for line, _ in lines))
        said = self.done("tokens", "--model", MODELS / "llama-plain", "--text", path, "--zero")
        self.assertEqual([" ".join(map(str, ids)) for _, ids in lines], said.splitlines())

    def test_what_cannot_be_is_one_line(self):
        for words, said in ((["--length", "90"], "--length: 24 tokens of the prompt and 90 more"),
                            (["--prompt-file", "x"], "--prompt"),
                            (["--top-p", "1.5"], "--top-p: ")):
            self.ungenerated(MODELS / "gpt2-plain", *words, names=said,
                             prompt=expected("gpt2-plain")["prompt"])

    @without_sanitizer
    def test_settings_take_little_memory_whatever_they_hold(self):
        model = self.copied("qwen2-plain")
        config = (model / "config.json").read_text(encoding="utf-8").rstrip()[:-1]

        def peak(more: int) -> tuple[int, int, bytes]:
            (model / "config.json").write_text(f'{config}, "x": [{"1," * more}1]}}')
            kib, code, _, said = self.peak("generate", "--model", model, "--prompt", "a",
                                           "--length", "1")
            return kib, code, said
        few, code, said = peak(0)
        self.assertEqual((code, said), (0, b""))
        many, code, said = peak((1 << 19) - len(config))
        self.assertEqual((code, said.count(b"\n")), (2, 1))
        self.assertIn(b"config.json: more keys and values than can be kept", said)
        self.assertLess(many, few + 5 * 1024)  # KiB, for a file of 1 MiB
        _, code, said = peak(1 << 19)
        self.assertEqual((code, said.count(b"\n")), (2, 1))
        self.assertIn(b"config.json: ", said)
        self.assertIn(b"at most 1048576 can be read", said)

    def test_a_damaged_file_is_named(self):
        model = self.copied("qwen2-plain")
        for name in ("config.json", "model.safetensors", "tokenizer.json"):
            with self.subTest(name):
                whole = (model / name).read_bytes()
                (model / name).write_bytes(whole[:200])
                self.ungenerated(model, "--greedy", names=f"model/{name}: ")
                (model / name).write_bytes(whole)

    def test_a_model_that_becomes_shorter_while_it_runs_is_named(self):
        model = self.copied("llama-plain")
        json_of(model / "config.json", max_position_embeddings=3_000_000)
        with self.begun("generate", "--model", model, "--prompt", "a", "--length", 2000000,
                        "--greedy") as process:
            process.stdout.read(1)  # it writes: all is loaded
            os.truncate(model / "model.safetensors", 4096)
            _, said = process.communicate(timeout=100)
        self.assertEqual((2, 1), (process.returncode, said.count(b"\n")), said)
        self.assertIn("model/model.safetensors: the file became shorter while it was read",
                      said.decode())

    def test_a_shard_that_is_missing_or_cut_is_named(self):
        shard = "model-00002-of-00004.safetensors"
        model = self.copied("gpt2-shards")
        whole = (model / shard).read_bytes()
        for damage, said in ((Path.unlink, f"there is no file {shard} beside it"),
                             (lambda path: path.write_bytes(whole[:-1]),
                              f"model/{shard}: truncated")):
            damage(model / shard)
            self.ungenerated(model, "--greedy", names=said)

    def test_a_gguf_file_is_a_model_by_itself_or_alone_in_a_directory(self):
        wanted = expected("llama-plain")
        prompt = self.file_of_its_own("prompt", wanted["prompt"])
        models = self.folder / "models"
        models.mkdir()
        shutil.copy(GGUF / "llama.gguf", models)
        for model in (GGUF / "llama.gguf", models):
            self.assertEqual(wanted["text"] + "\n", self.done(
                "generate", "--model", model, "--prompt-file", prompt, "--length", 24, "--greedy"))
        (models / "llama.gguf").write_bytes((GGUF / "llama.gguf").read_bytes()[:5000])
        self.ungenerated(models, names="llama.gguf: truncated inside the header")
        self.ungenerated("no.gguf", names="error: no.gguf: No such file or directory\n")

    def test_a_text_is_scored_token_by_token_and_as_a_whole(self):
        model, text = GGUF / "llama.gguf", "the cat sat on the mat, and they're there"
        *tokens, last = self.done("score", "--model", model, "--text", text).splitlines()
        logs = [math.log(float(line.split()[0])) for line in tokens[1:]]
        said = dict(zip(*[iter(last.replace("log p", "log").split())] * 2))
        self.assertAlmostEqual(sum(logs), float(said["log"]), delta=0.01)
        self.assertEqual(len(logs), int(said["tokens"]))
        path = self.file_of_its_own("text", text)
        whole, cut = (self.done("evaluate", "--model", model, "--text", path, *words)
                      for words in ((), ("--context", 4)))
        # With less context each token is predicted all the same, but from less.
        self.assertIn(f"tokens {len(logs)}  bytes {len(text)}\n", whole)
        self.assertIn(f"\nperplexity {said['perplexity']}\n", whole)
        self.assertIn(f"tokens {len(logs)}  bytes {len(text)}\ncontext 4\n", cut)
        self.assertNotIn(f"\nperplexity {said['perplexity']}\n", cut)

    def test_the_logits_of_the_next_token_are_those_of_the_library(self):
        for name in ("gpt2-plain", "llama-scaled", "qwen3-plain"):
            wanted, path = expected(name), self.folder / "next.safetensors"
            self.assertEqual(len(wanted["ids"]) - 1, wanted["places"][-1])
            score = ["score", "--model", MODELS / name]
            self.done(*score, "--text", wanted["prompt"], "--logits", path)
            header, numbers = parts_of(path)
            ours = struct.unpack(f"<{len(numbers) // 4}f", numbers)
            self.assertEqual([len(ours)], header["logits"]["shape"])
            self.assertEqual(len(wanted["logits"][-1]), len(ours))
            self.assertLess(max(abs(a - b) for a, b in zip(ours, wanted["logits"][-1])), 1e-4)
            self.refused(*score, "--text", "a cat", "--logits", "no/such/file",
                         names="no/such/file")

    def test_a_page_shows_every_layer_and_head(self):
        for family, heads in (("llama", 4), ("qwen2", 4), ("gpt2", 2)):
            with self.subTest(family):
                self.done("attend", "--model", GGUF / f"{family}.gguf", "--text", "the cat sat",
                          "--out", self.folder)
                view = data_of(self.folder / "attention.html")["views"][0]
                self.assertEqual((2, heads), (view["layers"], view["heads"]))
                self.assertEqual("the cat sat", "".join(view["queries"][-11:])[-11:])
                written = self.generated(GGUF / f"{family}.gguf", "--length", 1, "--greedy",
                                         prompt="the cat sat")
                self.assertEqual(written, view["next"][-1][0][0] + "\n")

    def chatting(self, positions: int) -> Path:
        """A random model that has a template."""
        model = self.copied("llama-plain")
        json_of(model / "config.json", max_position_embeddings=positions)
        (model / "chat_template.jinja").write_text("<|im_start|>{{ content }}<|im_end|>")
        return model

    def test_a_chat_goes_on_from_all_that_was_said(self):
        model = self.chatting(2048)
        written = self.done("chat", "--model", model, "--temperature", 0, "--length", 12,
                            "--system", "be nice", stdin=b"Hello\n\nAnd?\n")
        bare = shutil.copytree(model, self.folder / "bare")  # whose texts begin with no token of
        json_of(bare / "tokenizer.json", post_processor=None)  # their own, as in a template
        said, prompt = "", "<|im_start|>system\nbe nice<|im_end|>\n"
        for turn in ("Hello", "And?"):
            prompt += f"<|im_start|>user\n{turn}<|im_end|>\n<|im_start|>assistant\n"
            alone = self.done("generate", "--model", bare, "--prompt-file",
                              self.file_of_its_own("prompt", prompt), "--length", 12, "--greedy")
            prompt += alone[:-1] + "<|im_end|>\n"
            said += alone + "\n"
        self.assertEqual(said, written)

    def test_the_oldest_turns_go_and_a_turn_that_is_too_long_is_one_line(self):
        lines = [b"Hello there", b"What is this?", b"word " * 200, b"And?"]
        answer = self.run_program("chat", "--model", self.chatting(130), "--length", 30, "--seed",
                                  2, stdin=b"\n".join(lines))
        said = answer.stderr.decode().splitlines()
        self.assertEqual(2, answer.returncode)
        self.assertIn("the oldest turns (1) are left out, because the model has only 130 "
                      "positions", said)
        self.assertEqual(1, sum("error: this turn has " in line for line in said), said)
        self.assertEqual(3, answer.stdout.decode(errors="replace").count("\n\n"), answer.stdout)

    def test_control_c_ends_an_answer_and_then_the_program(self):
        mine, its = pty.openpty()
        with self.begun("chat", "--model", self.chatting(2_000_000), "--length", 1000000,
                        stdin=its) as process:
            os.close(its)
            for _ in range(2):
                self.assertEqual(b"> ", process.stdout.read(2))
                os.write(mine, b"Hello\n")
                process.stdout.read(20)  # it writes
                process.send_signal(signal.SIGINT)
                seen = b""
                while not seen.endswith(b"\n\n"):
                    seen += process.stdout.read(1)
            self.assertEqual(b"> ", process.stdout.read(2))
            process.send_signal(signal.SIGINT)
            self.assertEqual(130, process.wait(20))
        os.close(mine)

    def test_another_template_is_named(self):
        model = self.chatting(100)
        (model / "chat_template.jinja").write_text("[INST] {{ content }} [/INST]")
        self.refused("chat", "--model", model, stdin=b"Hello\n", names="chat_template.jinja: only "
                     "ChatML, Llama 2, Llama 3 and Zephyr are known, not")

    def test_an_ablation_compares_seven_models_of_one_size(self):
        text, out = self.folder / "text", self.folder / "out"
        text.write_text("to be, or not to be: that is the question\n" * 40, encoding="utf-8")
        sizes = ("--d-model", 16, "--d-ff", 48, "--layers", 2, "--segment", 16, "--batch", 4)
        self.done("ablation", "--text", text, "--valid", text, *sizes, "--updates", 6,
                  "--valid-every", 2, "--seeds", 2, "--out", out)
        lines = [line.split(",") for line in (out / "ablation.csv").read_text().splitlines()]
        self.assertGreater((out / "ablation.svg").stat().st_size, 1000)
        rows = [dict(zip(lines[0], line)) for line in lines[1:]]
        self.assertEqual(7 * 2 * 3, len(rows))
        first = rows[0]
        for row in rows:
            size, wanted = int(row["parameters"]), int(first["parameters"])
            self.assertLess(abs(size - wanted), 2 * 3 * 16, row)  # a hidden unit of each layer
            own_keys = row["model"] in ("keys for each head", "all of 2017")
            self.assertEqual(int(first["cache_bytes_per_position"]) * (2 if own_keys else 1),
                             int(row["cache_bytes_per_position"]))
            self.assertTrue(0 < float(row["nats_per_token"]) < 4, row)
        seeds = [[row["nats_per_token"] for row in rows if row["seed"] == seed] for seed in "12"]
        self.assertNotEqual(*seeds)
        for model in {row["model"] for row in rows}:
            seconds = [float(row["seconds"]) for row in rows
                       if row["model"] == model and row["seed"] == "1"]
            self.assertEqual(sorted(seconds), seconds)


@unittest.skipUnless(list(REAL.glob("*.gguf")), "no model there: ./learn data get smollm2")
class RealWeights(SinceThen):
    """SmolLM2-135M-Instruct, where it was fetched."""

    def test_it_knows_a_capital(self):
        self.assertEqual("The capital of France is Paris.\n\n", self.done(
            "chat", "--model", REAL, "--temperature", 0, "--length", 20,
            stdin=b"What is the capital of France?\n"))

    def test_what_eight_bits_cost_is_measured(self):
        text = "Water freezes at 0 degrees and boils at 100 degrees, unless the air is thin."
        path = self.file_of_its_own("text", text)

        def perplexities(*words) -> list[float]:
            answers = [self.done("evaluate", "--model", REAL, "--text", path, *words),
                       self.done("score", "--model", REAL, "--text", text, *words)]
            return [float(re.search(r"perplexity ([\d.]+)", answer)[1]) for answer in answers]
        exact, rounded = perplexities(), perplexities("--precision", "int8")
        for evaluated, scored in (exact, rounded):
            self.assertAlmostEqual(evaluated, scored, delta=1e-3 * scored)
        self.assertNotAlmostEqual(exact[1], rounded[1], delta=1e-5 * exact[1])
        self.assertAlmostEqual(exact[1], rounded[1], delta=0.03 * exact[1])


ENCODERS = GOLDEN / "published_encoders"
MINILM = ROOT / "out/data/minilm"


class Encoder(Commands):
    """`05_encoder encode` and `heads`."""
    program = BIN / "05_encoder"

    def words(self, lines: list[str], *words, command="encode", model=ENCODERS / "bert-plain"):
        path = self.folder / "lines.txt"
        path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        return [command, "--model", model, "--text-file", path, *words, "--out", self.folder]

    def vectors(self, lines: list[str], *words, **how) -> list[list[float]]:
        said = self.done(*self.words(lines, "--vectors", *words, **how))
        return [[float(x) for x in line.split()] for line in said.splitlines()]

    def assert_near(self, ours, theirs):
        self.assertEqual(len(ours), len(theirs))
        self.assertLess(max(abs(a - b) for x, y in zip(ours, theirs) for a, b in zip(x, y)), 1e-5)

    def test_vectors_in_the_order_of_the_lines(self):
        wanted = json_of(ENCODERS / "bert-plain/expected.json")
        self.assert_near(self.vectors(wanted["sentences"]), wanted["vectors"])

    def test_the_nearest_have_the_largest_products(self):
        lines = ["the cat sat", "a", "", "the cat sat on the mat", "12 345", "hello world"]
        vectors = self.vectors(lines)
        lines.remove("")
        cosines = [[sum(a * b for a, b in zip(x, y)) for y in vectors] for x in vectors]
        wanted = ""
        for i, line in enumerate(lines):
            near = sorted((j for j in range(5) if j != i), key=lambda j: -cosines[i][j])[:2]
            wanted += line + "\n" + "".join(f"  {cosines[i][j]:6.3f}  {lines[j]}\n" for j in near)
        self.assertEqual(wanted, self.done(*self.words(lines, "--nearest", 2)))
        first = self.done(*self.words(lines[1:], "--text", lines[0], "--nearest", 2))
        self.assertEqual(wanted.splitlines()[:3], first.splitlines())

    def test_a_word_is_the_mean_of_its_own_states(self):
        one, other = self.vectors(["the cat sat", "a cat"], "--word", "cat")
        self.assertNotEqual(one, self.vectors(["the cat sat", "a cat"])[0])
        self.assertNotEqual(one, other)
        whole = self.vectors(["the cat sat", "a cat"], "--word", "CAT")
        self.assertEqual([one, other], whole)
        self.refused(*self.words(["the cat", "the dog"], "--word", "cat"),
                     names='lines.txt:2: does not contain "cat"\n')

    def test_a_map_has_a_point_for_each_sentence_and_groups_between_blank_lines(self):
        lines = ["the cat sat", "the cat sat on", "", "", "12 345", "12 345 <6>", "hello world"]
        said = self.done(*self.words(lines, "--map"))
        drawn = (self.folder / "sentences.svg").read_text(encoding="utf-8")
        vectors = self.vectors(lines)
        near = [max((j for j in range(5) if j != i),
                    key=lambda j, x=x: sum(a * b for a, b in zip(x, vectors[j])))
                for i, x in enumerate(vectors)]
        alike = sum((i < 2) == (j < 2) for i, j in enumerate(near))
        self.assertIn(f"Of 5 sentences, {alike} have", said)
        titles = re.findall(r"<title>(.*?)</title>", drawn)
        self.assertEqual([line.replace("<6>", "&lt;6&gt;") for line in lines if line], titles)
        points = re.findall(r'font-weight="bold"[^>]*>(\d)</text>', drawn)
        self.assertEqual(["1", "1", "2", "2", "2", "1", "2"], points)  # and the two of the key
        for lines, words in ((["a", "b"], []), ([], ["--text", "a"])):
            self.refused(*self.words(lines, "--map", *words), names=[])

    def test_heads_write_a_page_with_every_head(self):
        said = self.done(*self.words(["the cat sat on the mat, and they're there"],
                                     command="heads"))
        for name in ("first", "last", "previous", "next", "itself", "same"):
            self.assertRegex(said, rf"(?m)^{name} +\d+   ")

    def test_what_cannot_be_is_one_line(self):
        for lines, words, said in (
                ([], ["--vectors"], "lines.txt: no sentences in it"),
                (["a " * 60], [], "lines.txt:1: 62 tokens, but the model has only 40 positions"),
                (["a"], ["--text", ""], "--text"), (["a"], ["--nearest", 0], "--nearest")):
            self.refused(*self.words(lines, *words), names=said)
        for model in (MODELS / "llama-plain", ROOT / "docs"):
            self.refused(*self.words(["a"], model=model), names="config.json")

    @unittest.skipUnless((MINILM / "config.json").exists(),
                         "no model there: ./learn data get minilm")
    def test_real_weights_have_the_vectors_of_the_library(self):
        wanted = json_of(GOLDEN / "minilm.json")
        self.assert_near(self.vectors(wanted["sentences"], model=MINILM), wanted["vectors"])


if __name__ == "__main__":
    unittest.main()

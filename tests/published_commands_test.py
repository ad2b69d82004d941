#!/usr/bin/env python3
"""`09_since_2017 generate` and `tokens`, run as a user would, on the models of golden/published,
and `ablation` on a short text."""

from __future__ import annotations

import json
import math
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

from support.checkout import BIN, ROOT

PROGRAM = BIN / "09_since_2017"
MODELS = ROOT / "tests/golden/published"
GGUF = ROOT / "tests/golden/gguf"
REAL = ROOT / "out/data/smollm2"


def run(*words, **how) -> subprocess.CompletedProcess:
    return subprocess.run([PROGRAM, *map(str, words), "--language", "en"], capture_output=True,
                          timeout=100, **how)


def change(path: Path, **values) -> None:
    """Other values in a JSON file."""
    path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), **values}),
                    encoding="utf-8")


@unittest.skipUnless(PROGRAM.exists(), f"no {PROGRAM}")
class Published(unittest.TestCase):
    def test_greedy_writes_the_continuation_of_the_library_and_nothing_else(self):
        for model in sorted(MODELS.iterdir()):
            with self.subTest(model.name):
                wanted = json.loads((model / "expected.json").read_text(encoding="utf-8"))
                answer = run("generate", "--model", model, "--prompt", wanted["prompt"],
                             "--length", 24, "--greedy")
                self.assertEqual((0, b""), (answer.returncode, answer.stderr))
                self.assertEqual(wanted["text"] + "\n", answer.stdout.decode())

    def test_the_same_seed_draws_the_same_text(self):
        def drawn(seed: int) -> bytes:
            answer = run("generate", "--model", MODELS / "gpt2-plain", "--prompt", "a", "--length",
                         20, "--temperature", 2, "--top-k", 50, "--top-p", 0.9, "--seed", seed)
            self.assertEqual(0, answer.returncode, answer.stderr)
            return answer.stdout
        self.assertEqual(drawn(3), drawn(3))
        self.assertNotEqual(drawn(3), drawn(4))

    def test_eight_bits_write_a_text_of_the_same_length(self):
        def written(*words) -> str:
            answer = run("generate", "--model", MODELS / "qwen2-plain", "--prompt", "a", "--length",
                         9, "--greedy", "--precision", "int8", *words)
            self.assertEqual((0, b""), (answer.returncode, answer.stderr))
            return answer.stdout.decode()
        self.assertGreater(len(written()), 1)
        self.assertEqual(written("--arithmetic", "same", "--threads", 1),
                         written("--arithmetic", "same", "--threads", 2))

    def test_tokens_of_lines(self):
        wanted = json.loads((MODELS / "llama-plain/expected.json").read_text(encoding="utf-8"))
        with tempfile.TemporaryDirectory() as folder:
            lines = [line for line in wanted["lines"] if "\0" not in line[0]]
            path = Path(folder, "lines")
            path.write_bytes("".join(line + "\0" for line, _ in lines).encode())
            answer = run("tokens", "--model", MODELS / "llama-plain", "--text", path, "--zero")
        self.assertEqual([" ".join(map(str, ids)) for _, ids in lines],
                         answer.stdout.decode().splitlines())

    def test_what_cannot_be_is_one_line(self):
        for words, said in ((["--length", "90"], "--length: 24 tokens of the prompt and 90 more"),
                            (["--prompt-file", "x"], "--prompt"),
                            (["--top-p", "1.5"], "--top-p: ")):
            prompt = json.loads((MODELS / "gpt2-plain/expected.json").read_text())["prompt"]
            answer = run("generate", "--model", MODELS / "gpt2-plain", "--prompt", prompt, *words)
            self.assertEqual((2, b"", 1), (answer.returncode, answer.stdout,
                                           answer.stderr.count(b"\n")))
            self.assertIn(said, answer.stderr.decode())

    @unittest.skipIf(os.environ.get("XF_SANITIZE"), "a sanitizer keeps memory of its own")
    def test_settings_take_little_memory_whatever_they_hold(self):
        with tempfile.TemporaryDirectory() as folder:
            model = Path(folder, "model")
            shutil.copytree(MODELS / "qwen2-plain", model)
            config = (model / "config.json").read_text(encoding="utf-8").rstrip()[:-1]

            def peak(more: int) -> tuple[int, int, bytes]:
                (model / "config.json").write_text(f'{config}, "x": [{"1," * more}1]}}')
                process = subprocess.Popen([PROGRAM, "generate", "--model", model, "--prompt", "a",
                                            "--length", "1"], stdout=subprocess.DEVNULL,
                                           stderr=subprocess.PIPE)
                said = process.stderr.read()
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
                process.stderr.close()
                return usage.ru_maxrss, process.returncode, said
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
        for name in ("config.json", "model.safetensors", "tokenizer.json"):
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                model = Path(folder, "model")
                shutil.copytree(MODELS / "qwen2-plain", model)
                (model / name).write_bytes((model / name).read_bytes()[:200])
                answer = run("generate", "--model", model, "--prompt", "a", "--greedy")
                self.assertEqual((2, b"", 1), (answer.returncode, answer.stdout,
                                               answer.stderr.count(b"\n")))
                self.assertIn(f"model/{name}: ", answer.stderr.decode())

    def test_a_model_that_becomes_shorter_while_it_runs_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            model = Path(folder, "model")
            shutil.copytree(MODELS / "llama-plain", model)
            change(model / "config.json", max_position_embeddings=3_000_000)
            with subprocess.Popen([PROGRAM, "generate", "--model", model, "--prompt", "a",
                                   "--length", "2000000", "--greedy", "--language", "en"],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                process.stdout.read(1)  # it writes: all is loaded
                os.truncate(model / "model.safetensors", 4096)
                _, said = process.communicate(timeout=100)
            self.assertEqual((2, 1), (process.returncode, said.count(b"\n")), said)
            self.assertIn("model/model.safetensors: the file became shorter while it was read",
                          said.decode())

    def test_a_shard_that_is_missing_or_cut_is_named(self):
        shard = "model-00002-of-00004.safetensors"
        for damage, said in ((Path.unlink, f"there is no file {shard} beside it"),
                             (lambda path: path.write_bytes(path.read_bytes()[:-1]),
                              f"model/{shard}: truncated")):
            with tempfile.TemporaryDirectory() as folder:
                model = Path(folder, "model")
                shutil.copytree(MODELS / "gpt2-shards", model)
                damage(model / shard)
                answer = run("generate", "--model", model, "--prompt", "a", "--greedy")
                self.assertEqual((2, b"", 1), (answer.returncode, answer.stdout,
                                               answer.stderr.count(b"\n")))
                self.assertIn(said, answer.stderr.decode())

    def test_a_gguf_file_is_a_model_by_itself_or_alone_in_a_directory(self):
        wanted = json.loads((MODELS / "llama-plain/expected.json").read_text(encoding="utf-8"))
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(GGUF / "llama.gguf", folder)
            prompt = Path(folder, "prompt")
            prompt.write_bytes(wanted["prompt"].encode())
            for model in (GGUF / "llama.gguf", folder):
                answer = run("generate", "--model", model, "--prompt-file", prompt, "--length", 24,
                             "--greedy")
                self.assertEqual((0, b""), (answer.returncode, answer.stderr))
                self.assertEqual(wanted["text"] + "\n", answer.stdout.decode())
            Path(folder, "llama.gguf").write_bytes((GGUF / "llama.gguf").read_bytes()[:5000])
            answer = run("generate", "--model", folder, "--prompt", "a")
            self.assertEqual((2, b"", 1), (answer.returncode, answer.stdout,
                                           answer.stderr.count(b"\n")))
            self.assertIn("llama.gguf: truncated inside the header", answer.stderr.decode())
            answer = run("generate", "--model", "no.gguf", "--prompt", "a")
            self.assertEqual((2, b"error: no.gguf: No such file or directory\n"),
                             (answer.returncode, answer.stderr))

    def test_a_text_is_scored_token_by_token_and_as_a_whole(self):
        model, text = GGUF / "llama.gguf", "the cat sat on the mat, and they're there"
        scored = run("score", "--model", model, "--text", text)
        self.assertEqual((0, b""), (scored.returncode, scored.stderr))
        *tokens, last = scored.stdout.decode().splitlines()
        logs = [math.log(float(line.split()[0])) for line in tokens[1:]]
        said = dict(zip(*[iter(last.replace("log p", "log").split())] * 2))
        self.assertAlmostEqual(sum(logs), float(said["log"]), delta=0.01)
        self.assertEqual(len(logs), int(said["tokens"]))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "text")
            path.write_text(text, encoding="utf-8")
            whole, cut = (run("evaluate", "--model", model, "--text", path, *words).stdout.decode()
                          for words in ((), ("--context", 4)))
        # With less context each token is predicted all the same, but from less.
        self.assertIn(f"tokens {len(logs)}  bytes {len(text)}\n", whole)
        self.assertIn(f"\nperplexity {said['perplexity']}\n", whole)
        self.assertIn(f"tokens {len(logs)}  bytes {len(text)}\ncontext 4\n", cut)
        self.assertNotIn(f"\nperplexity {said['perplexity']}\n", cut)

    def test_the_logits_of_the_next_token_are_those_of_the_library(self):
        for name in ("gpt2-plain", "llama-scaled", "qwen3-plain"):
            wanted = json.loads((MODELS / name / "expected.json").read_text(encoding="utf-8"))
            self.assertEqual(len(wanted["ids"]) - 1, wanted["places"][-1])
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, "next.safetensors")
                answer = run("score", "--model", MODELS / name, "--text", wanted["prompt"],
                             "--logits", path)
                self.assertEqual((0, b""), (answer.returncode, answer.stderr))
                data = path.read_bytes()
            end = 8 + struct.unpack("<Q", data[:8])[0]
            ours = struct.unpack(f"<{(len(data) - end) // 4}f", data[end:])
            self.assertEqual([len(ours)], json.loads(data[8:end])["logits"]["shape"])
            self.assertEqual(len(wanted["logits"][-1]), len(ours))
            self.assertLess(max(abs(a - b) for a, b in zip(ours, wanted["logits"][-1])), 1e-4)
            answer = run("score", "--model", MODELS / name, "--text", "a cat", "--logits",
                         "no/such/file")
            self.assertEqual((2, 1), (answer.returncode, answer.stderr.count(b"\n")))
            self.assertIn(b"no/such/file", answer.stderr)

    def test_a_page_shows_every_layer_and_head(self):
        with tempfile.TemporaryDirectory() as folder:
            for family, heads in (("llama", 4), ("qwen2", 4), ("gpt2", 2)):
                with self.subTest(family):
                    answer = run("attend", "--model", GGUF / f"{family}.gguf", "--text",
                                 "the cat sat", "--out", folder)
                    self.assertEqual((0, b""), (answer.returncode, answer.stderr))
                    page = Path(folder, "attention.html").read_text(encoding="utf-8")
                    data = re.search(r'id="data">(.*?)</script>', page, re.S)[1]
                    view = json.loads(data)["views"][0]
                    self.assertEqual((2, heads), (view["layers"], view["heads"]))
                    self.assertEqual("the cat sat", "".join(view["queries"][-11:])[-11:])
                    written = run("generate", "--model", GGUF / f"{family}.gguf", "--prompt",
                                  "the cat sat", "--length", 1, "--greedy").stdout.decode()
                    self.assertEqual(written, view["next"][-1][0][0] + "\n")

    def chatting(self, folder: str, positions: int) -> Path:
        """A random model that has a template."""
        model = Path(folder, "model")
        shutil.copytree(MODELS / "llama-plain", model)
        change(model / "config.json", max_position_embeddings=positions)
        Path(model, "chat_template.jinja").write_text("<|im_start|>{{ content }}<|im_end|>")
        return model

    def test_a_chat_goes_on_from_all_that_was_said(self):
        with tempfile.TemporaryDirectory() as folder:
            model = self.chatting(folder, 2048)
            flags = ("--model", model, "--temperature", 0, "--length", 12)
            answer = run("chat", *flags, "--system", "be nice", input=b"Hello\n\nAnd?\n")
            self.assertEqual((0, b""), (answer.returncode, answer.stderr))
            written, turns = answer.stdout.decode(), ["Hello", "And?"]
            prompt = "<|im_start|>system\nbe nice<|im_end|>\n"
            said = ""
            for turn in turns:
                prompt += f"<|im_start|>user\n{turn}<|im_end|>\n<|im_start|>assistant\n"
                path = Path(folder, "prompt")
                path.write_text(prompt, encoding="utf-8", newline="")
                alone = run("generate", "--model", self.without_begin(folder), "--prompt-file",
                            path, "--length", 12, "--greedy").stdout.decode()
                prompt += alone[:-1] + "<|im_end|>\n"
                said += alone + "\n"
            self.assertEqual(said, written)

    def without_begin(self, folder: str) -> Path:
        """The same model; a text does not begin with a token of its own, as in a template."""
        model = Path(folder, "bare")
        if not model.exists():
            shutil.copytree(Path(folder, "model"), model)
            change(model / "tokenizer.json", post_processor=None)
        return model

    def test_the_oldest_turns_go_and_a_turn_that_is_too_long_is_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            model = self.chatting(folder, 130)
            lines = [b"Hello there", b"What is this?", b"word " * 200, b"And?"]
            answer = run("chat", "--model", model, "--length", 30, "--seed", 2,
                         input=b"\n".join(lines))
            said = answer.stderr.decode().splitlines()
            self.assertEqual(2, answer.returncode)
            self.assertIn("the oldest turns (1) are left out, because the model has only 130 "
                          "positions", said)
            self.assertEqual(1, sum("error: this turn has " in line for line in said), said)
            self.assertEqual(3, answer.stdout.decode(errors="replace").count("\n\n"), answer.stdout)

    def test_control_c_ends_an_answer_and_then_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            model = self.chatting(folder, 2_000_000)
            mine, its = pty.openpty()
            with subprocess.Popen([PROGRAM, "chat", "--model", model, "--length", "1000000",
                                   "--language", "en"], stdin=its, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE) as process:
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
        with tempfile.TemporaryDirectory() as folder:
            model = self.chatting(folder, 100)
            Path(model, "chat_template.jinja").write_text("[INST] {{ content }} [/INST]")
            answer = run("chat", "--model", model, input=b"Hello\n")
            self.assertEqual((2, 1), (answer.returncode, answer.stderr.count(b"\n")))
            self.assertIn("chat_template.jinja: only ChatML, Llama 2, Llama 3 and Zephyr are "
                          "known, not", answer.stderr.decode())

    def test_an_ablation_compares_seven_models_of_one_size(self):
        with tempfile.TemporaryDirectory() as folder:
            text, out = Path(folder, "text"), Path(folder, "out")
            text.write_text("to be, or not to be: that is the question\n" * 40, encoding="utf-8")
            sizes = ("--d-model", 16, "--d-ff", 48, "--layers", 2, "--segment", 16, "--batch", 4)
            answer = run("ablation", "--text", text, "--valid", text, *sizes, "--updates", 6,
                         "--valid-every", 2, "--seeds", 2, "--out", out)
            self.assertEqual((0, b""), (answer.returncode, answer.stderr))
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


@unittest.skipUnless(PROGRAM.exists(), f"no {PROGRAM}")
@unittest.skipUnless(list(REAL.glob("*.gguf")), "no model there: ./learn data get smollm2")
class RealWeights(unittest.TestCase):
    """SmolLM2-135M-Instruct, where it was fetched."""

    def test_it_knows_a_capital(self):
        answer = run("chat", "--model", REAL, "--temperature", 0, "--length", 20,
                     input=b"What is the capital of France?\n")
        self.assertEqual((0, "The capital of France is Paris.\n\n"),
                         (answer.returncode, answer.stdout.decode()))

    def test_what_eight_bits_cost_is_measured(self):
        text = "Water freezes at 0 degrees and boils at 100 degrees, unless the air is thin."
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "text")
            path.write_text(text, encoding="utf-8")

            def perplexities(*words) -> list[float]:
                answers = [run("evaluate", "--model", REAL, "--text", path, *words),
                           run("score", "--model", REAL, "--text", text, *words)]
                self.assertEqual([0, 0], [answer.returncode for answer in answers])
                return [float(re.search(rb"perplexity ([\d.]+)", answer.stdout)[1])
                        for answer in answers]
            exact, rounded = perplexities(), perplexities("--precision", "int8")
        for evaluated, scored in (exact, rounded):
            self.assertAlmostEqual(evaluated, scored, delta=1e-3 * scored)
        self.assertNotAlmostEqual(exact[1], rounded[1], delta=1e-5 * exact[1])
        self.assertAlmostEqual(exact[1], rounded[1], delta=0.03 * exact[1])

ENCODER = PROGRAM.with_name("05_encoder")
ENCODERS = ROOT / "tests/golden/published_encoders"
MINILM = ROOT / "out/data/minilm"


@unittest.skipUnless(ENCODER.exists(), f"no {ENCODER}")
class Encoder(unittest.TestCase):
    """`05_encoder encode` and `heads`."""

    def run_lines(self, lines: list[str], *words, command="encode", model=ENCODERS / "bert-plain",
                  out=""):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "lines.txt")
            path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
            return subprocess.run([ENCODER, command, "--model", model, "--text-file", path,
                                   *map(str, words), "--language", "en", "--out", out or folder],
                                  capture_output=True, timeout=100, text=True)

    def vectors(self, lines: list[str], *words, **how) -> list[list[float]]:
        answer = self.run_lines(lines, "--vectors", *words, **how)
        self.assertEqual((0, ""), (answer.returncode, answer.stderr))
        return [[float(x) for x in line.split()] for line in answer.stdout.splitlines()]

    def assert_near(self, ours, theirs):
        self.assertEqual(len(ours), len(theirs))
        self.assertLess(max(abs(a - b) for x, y in zip(ours, theirs) for a, b in zip(x, y)), 1e-5)

    def test_vectors_in_the_order_of_the_lines(self):
        wanted = json.loads((ENCODERS / "bert-plain/expected.json").read_text(encoding="utf-8"))
        self.assert_near(self.vectors(wanted["sentences"]), wanted["vectors"])

    def test_the_nearest_have_the_largest_products(self):
        lines = ["the cat sat", "a", "", "the cat sat on the mat", "12 345", "hello world"]
        vectors = self.vectors(lines)
        lines.remove("")
        cosines = [[sum(a * b for a, b in zip(x, y)) for y in vectors] for x in vectors]
        answer = self.run_lines(lines, "--nearest", 2)
        wanted = ""
        for i, line in enumerate(lines):
            near = sorted((j for j in range(5) if j != i), key=lambda j: -cosines[i][j])[:2]
            wanted += line + "\n" + "".join(f"  {cosines[i][j]:6.3f}  {lines[j]}\n" for j in near)
        self.assertEqual(wanted, answer.stdout)
        first = self.run_lines(lines[1:], "--text", lines[0], "--nearest", 2)
        self.assertEqual(wanted.splitlines()[:3], first.stdout.splitlines())

    def test_a_word_is_the_mean_of_its_own_states(self):
        one, other = self.vectors(["the cat sat", "a cat"], "--word", "cat")
        self.assertNotEqual(one, self.vectors(["the cat sat", "a cat"])[0])
        self.assertNotEqual(one, other)
        whole = self.vectors(["the cat sat", "a cat"], "--word", "CAT")
        self.assertEqual([one, other], whole)
        answer = self.run_lines(["the cat", "the dog"], "--word", "cat")
        self.assertEqual((2, ""), (answer.returncode, answer.stdout))
        self.assertIn('lines.txt:2: does not contain "cat"\n', answer.stderr)

    def test_a_map_has_a_point_for_each_sentence_and_groups_between_blank_lines(self):
        lines = ["the cat sat", "the cat sat on", "", "", "12 345", "12 345 <6>", "hello world"]
        with tempfile.TemporaryDirectory() as folder:
            answer = self.run_lines(lines, "--map", out=folder)
            self.assertEqual((0, ""), (answer.returncode, answer.stderr))
            drawn = Path(folder, "sentences.svg").read_text(encoding="utf-8")
        vectors = self.vectors(lines)
        near = [max((j for j in range(5) if j != i),
                    key=lambda j, x=x: sum(a * b for a, b in zip(x, vectors[j])))
                for i, x in enumerate(vectors)]
        alike = sum((i < 2) == (j < 2) for i, j in enumerate(near))
        self.assertIn(f"Of 5 sentences, {alike} have", answer.stdout)
        titles = re.findall(r"<title>(.*?)</title>", drawn)
        self.assertEqual([line.replace("<6>", "&lt;6&gt;") for line in lines if line], titles)
        points = re.findall(r'font-weight="bold"[^>]*>(\d)</text>', drawn)
        self.assertEqual(["1", "1", "2", "2", "2", "1", "2"], points)  # and the two of the key
        for lines, words in ((["a", "b"], []), ([], ["--text", "a"])):
            answer = self.run_lines(lines, "--map", *words)
            self.assertEqual((2, 1), (answer.returncode, answer.stderr.count("\n")))

    def test_heads_write_a_page_with_every_head(self):
        answer = self.run_lines(["the cat sat on the mat, and they're there"], command="heads")
        self.assertEqual((0, ""), (answer.returncode, answer.stderr))
        for name in ("first", "last", "previous", "next", "itself", "same"):
            self.assertRegex(answer.stdout, rf"(?m)^{name} +\d+   ")

    def test_what_cannot_be_is_one_line(self):
        for lines, words, said in (
                ([], ["--vectors"], "lines.txt: no sentences in it"),
                (["a " * 60], [], "lines.txt:1: 62 tokens, but the model has only 40 positions"),
                (["a"], ["--text", ""], "--text"), (["a"], ["--nearest", 0], "--nearest")):
            answer = self.run_lines(lines, *words)
            self.assertEqual((2, "", 1), (answer.returncode, answer.stdout,
                                          answer.stderr.count("\n")), answer.stderr)
            self.assertIn(said, answer.stderr)
        for model in (MODELS / "llama-plain", ROOT / "docs"):
            answer = self.run_lines(["a"], model=model)
            self.assertEqual((2, 1), (answer.returncode, answer.stderr.count("\n")))
            self.assertIn("config.json", answer.stderr)

    @unittest.skipUnless((MINILM / "config.json").exists(),
                         "no model there: ./learn data get minilm")
    def test_real_weights_have_the_vectors_of_the_library(self):
        wanted = json.loads((ROOT / "tests/golden/minilm.json").read_text(encoding="utf-8"))
        self.assert_near(self.vectors(wanted["sentences"], model=MINILM), wanted["vectors"])


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""`09_since_2017 generate` and `tokens`, run as a user would, on the models of golden/published,
and `ablation` on a short text."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = Path(os.environ.get("XF_BIN") or ROOT / "build/release/bin") / "09_since_2017"
MODELS = ROOT / "tests/golden/published"


def run(*words, **how) -> subprocess.CompletedProcess:
    return subprocess.run([PROGRAM, *map(str, words), "--language", "en"], capture_output=True,
                          timeout=100, **how)


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


if __name__ == "__main__":
    unittest.main()

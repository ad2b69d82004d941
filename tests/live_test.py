#!/usr/bin/env python3
"""The program `live`, asked line by line as the page asks it, against the chapters' own programs.

The programs are those in $XF_BIN, or those of the release build.
"""

from __future__ import annotations

import base64
import json
import math
import re
import struct
import subprocess
import unittest
from pathlib import Path

from support.checkout import BIN, ROOT, WithFolder, json_of, read
from support.hostile_models import GOLDEN, HOSTILE, filled

# GOLDEN has 1 + 2 layers, 2 heads, 12 and 13 words; it is untrained.


def load_request(folder: Path) -> dict:
    """A model directory as one request."""
    return {"do": "load", "config": (folder / "config.json").read_text(),
            "weights_base64": base64.b64encode(
                (folder / "model.safetensors").read_bytes()).decode(),
            "vocabulary": {path.name: path.read_text() for path in folder.glob("*.vocab.txt")}}


class Live:
    """The program, with a pipe to each of its ends."""

    def __init__(self, *flags: str):
        self.process = subprocess.Popen([BIN / "live", *flags], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def line(self, text: str) -> dict:
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def ask(self, do: str, **request) -> dict:
        answer = self.line(json.dumps({"do": do, **request}))
        if "error" in answer:
            raise AssertionError(answer["error"])
        return answer

    def error(self, do: str, **request) -> str:
        return self.line(json.dumps({"do": do, **request}))["error"]

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait(timeout=60)
        self.process.stdout.close()


def run(program: str, *flags, given: str = "") -> str:
    answer = subprocess.run([BIN / program, *map(str, flags)], input=given, capture_output=True,
                            text=True, timeout=120)
    if answer.returncode:
        raise AssertionError(answer.stderr)
    return answer.stdout


def explorer_blocks(page: str) -> list:
    """The views of an explorer's page: for each its layers' weights, (heads, rows, columns)."""
    data = json.loads(re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', page, re.S)[1])
    views = []
    for view in data["views"]:
        rows, columns, heads = len(view["queries"]), len(view["keys"]), view["heads"]
        reach = list(zip(view["reach"][::2], view["reach"][1::2]))
        layers = []
        for layer in view["checkpoints"][-1]:
            stored = base64.b64decode(layer["weights"]["data"])
            numbers = iter(struct.unpack(f"<{len(stored) // 2}H", stored))
            low, step = layer["weights"]["low"], layer["weights"]["step"]
            layers.append([[low + step * next(numbers) if first <= column <= last else 0.0
                            for first, last in reach for column in range(columns)]
                           for _ in range(heads)])
            assert next(numbers, None) is None and rows == len(reach)
        views.append(layers)
    return views


def softmax(scores, divisor: float = 1) -> list[float]:
    powers = [math.exp((score - max(scores)) / divisor) for score in scores]
    return [power / math.fsum(powers) for power in powers]


def rows_of(matrix: dict) -> list[list[float]]:
    columns = matrix["shape"][1]
    return [matrix["values"][at:at + columns] for at in range(0, len(matrix["values"]), columns)]


class Case(WithFolder):
    @classmethod
    def setUpClass(cls):
        if not (BIN / "live").exists():
            raise unittest.SkipTest(f"{BIN}/live is not built")
        cls.live = Live()
        cls.addClassCleanup(cls.live.close)

    def ask(self, do: str, **request) -> dict:
        return self.live.ask(do, **request)

    def error(self, do: str, **request) -> str:
        return self.live.error(do, **request)

    def close(self, one: list, other: list, delta: float = 1e-5) -> None:
        self.assertEqual(len(one), len(other))
        self.assertLessEqual(max(abs(a - b) for a, b in zip(one, other)), delta)


class Hostile(Case):
    def test_what_is_no_model_gets_one_line_and_the_model_before_stays(self):
        self.ask(**load_request(GOLDEN))
        before = self.ask("translate", text="i like the winter games")
        for name, change, said in HOSTILE:
            with self.subTest(file=name, said=said):
                files = {path.name: path.read_bytes() for path in GOLDEN.iterdir()}
                files[name] = change(files[name])
                vocabulary = {name: data.decode(errors="replace") for name, data in files.items()
                              if name.endswith(".vocab.txt")}
                request = {"config": files["config.json"].decode(errors="replace"),
                           "weights_base64": base64.b64encode(
                               files["model.safetensors"]).decode(), "vocabulary": vocabulary}
                line = self.error("load", **request)
                self.assertRegex(line, rf"\A[^\n]*({said})[^\n]*\Z")
                self.assertLess(len(line), 300)
                chinese = self.error("load", **request, language="zh")
                self.assertRegex(chinese, "[\u4e00-\u9fff]")
        self.assertEqual(self.ask("translate", text="i like the winter games"), before)

    def test_numbers_that_leave_the_range_of_a_float_are_said(self):
        request = load_request(GOLDEN)
        request["weights_base64"] = base64.b64encode(filled(
            (GOLDEN / "model.safetensors").read_bytes(), 3e38)).decode()
        live = Live()
        self.addCleanup(live.close)
        self.assertNotIn("error", live.line(json.dumps(request)))
        self.assertIn("not finite", live.error("translate", text="i like the winter games"))


class LittleLanguage(Case):
    def test_the_page_has_each_pair_of_words_and_no_word_that_is_not_there(self):
        page = json_of(ROOT / "live/page/bigrams.json")
        some = self.ask("bigrams", sentences=20000)  # tools/book/live_language.py: a million
        self.assertEqual(some["words"], page["words"])
        self.assertEqual(len(page["after"]), len(page["words"]) + 1)
        for has, all_of_them in zip(some["after"], page["after"]):
            self.assertLessEqual(set(has), set(all_of_them))
        pairs = sum(map(len, page["after"]))
        self.assertLess(pairs, 0.1 * len(page["words"]) ** 2)  # else nothing would be refused


class Recorded(Case):
    """live/page/recorded.json is what the trainings are today (tools/book/live_runs.py)."""
    STARTS = {
        "train": ("translator", {"norm": "post", "mask": True, "heads": 4}),
        "neighbours": ("neighbours", {"heads": 1}, {"heads": 2}),
        "without mask": ("translator", {"heads": 4}, {"heads": 4, "mask": False}),
        "without scale": ("translator", {"heads": 1}, {"heads": 1, "scale": False}),
        "norm": ("norm", {"norm": "post", "warmup": 0, "layers": 8},
                 {"norm": "post", "warmup": 120, "layers": 8}),
        "recall": ("recall", {"memory": True, "model": "transformer_xl"},
                   {"memory": False, "model": "transformer_xl"}),
    }
    WITHOUT = {"smoothing": 0, "updates": 300, "warmup": 60, "lr": 0.004}  # live/page/without.js

    def test_each_begins_as_it_was_recorded(self):
        page = json_of(ROOT / "live/page/recorded.json")
        self.assertEqual(set(page), set(self.STARTS))
        for name, (task, *runs) in self.STARTS.items():
            self.assertEqual(len(page[name]["runs"]), len(runs))
            for options, recorded in zip(runs, page[name]["runs"]):
                with self.subTest(name, **options):
                    more = self.WITHOUT if name.startswith("without") else {}
                    begun = self.ask("start", task=task, options={**more, **options}, seed=1)
                    self.assertEqual(begun["updates"], recorded["updates"])
                    self.assertEqual(begun["parameters"], recorded["parameters"])
                    self.assertEqual(begun["about"], recorded["about"])
                    losses = self.ask("steps", id=begun["id"], n=3)["losses"]
                    self.assertEqual([float(f"{loss:.4g}") for loss in losses],
                                     recorded["losses"][:3])
                    self.ask("stop", id=begun["id"])
                    self.assertEqual(len(recorded["losses"]), recorded["updates"])


class ByHand(Case):
    def test_attention_of_chosen_vectors(self):
        answer = self.ask("by_hand", q=[[2, 1]], k=[[2, 0], [1, 1], [0, 1]],
                               v=[[1, 0], [0, 1], [-1, 1]])
        self.assertEqual(answer["scores"], {"shape": [1, 3], "values": [4, 3, 1]})
        self.close(answer["scaled"]["values"], [one / math.sqrt(2) for one in (4, 3, 1)])
        weights = softmax([4, 3, 1], math.sqrt(2))
        self.close(answer["weights"]["values"], weights)
        self.close(answer["output"]["values"], [weights[0] - weights[2], weights[1] + weights[2]])

    def test_what_are_no_vectors_gets_one_line(self):
        good = {"q": [[1, 2]], "k": [[1, 2]], "v": [[3]]}
        for bad in ({"q": []}, {"q": "x"}, {"q": [1]}, {"q": [[]]}, {"q": [[1, "2"]]},
                    {"q": [[1, None]]}, {"q": [[1, 1e9]]}, {"q": [[1] * 9]}, {"q": [[1, 2]] * 9},
                    {"q": [[1, 2], [1]]}, {"k": [[1]]}, {"v": [[1], [2]]}, {"w": 1}):
            line = self.error("by_hand", **{**good, **bad})
            self.assertRegex(line, r"\Aby_hand: [^\n]+\Z")


class Program(Case):
    def test_bad_use_is_one_line_and_exit_code_2(self):
        for flags, word in ((["--nope"], "--nope"), (["model"], "'model'"),
                            (["--threads", "0"], "--threads")):
            answer = subprocess.run([BIN / "live", *flags], capture_output=True, text=True)
            self.assertEqual((answer.returncode, answer.stdout), (2, ""))
            self.assertRegex(answer.stderr, rf"\Aerror: [^\n]*{word}[^\n]*\n\Z")
        self.assertIn("one JSON object a line", run("live", "--help"))

    def test_a_bad_request_is_one_line_and_the_next_one_is_answered(self):
        for line in ("{", "", "[1]", '"positions"', "{}", '{"do": 1}', '{"do": "sing"}',
                     '{"do": "translate", "id": 7, "text": "a"}', '{"do": "load"}',
                     '{"do": "positions", "d_model": 3}', '{"do": "positions", "base": "e"}',
                     '{"do": "positions", "bas": 1}', '{"do": "positions", "positions": 1e9}',
                     '{"do": "saturation", "seed": -1}', '{"do": "saturation", "d_k": 4}',
                     '{"do": "matmul"}', '{"do": "matmul", "n": -1}', "\0", "\udcff"):
            text = self.live.line(line.encode("utf-8", "replace").decode())["error"]
            self.assertRegex(text, r"\A[^\n]{5,200}\Z", line)
        self.assertIn("encoding", self.ask("positions"))

    def test_the_speed_of_a_product(self):
        self.assertGreater(self.ask("matmul", n=64)["gflops"], 0)


class Positions(Case):
    def test_they_are_the_sinusoids_of_the_formula(self):
        for base, d_model, count in ((10000, 32, 64), (50.5, 6, 9)):
            answer = self.ask("positions", base=base, d_model=d_model, positions=count)
            wanted = [(math.sin, math.cos)[i % 2](t / base ** (i // 2 * 2 / d_model))
                      for t in range(count) for i in range(d_model)]
            self.assertEqual(answer["encoding"]["shape"], [count, d_model])
            self.close(answer["encoding"]["values"], wanted, 1e-6)
            rows = [wanted[t * d_model:][:d_model] for t in range(count)]
            self.assertEqual(answer["dot"]["shape"], [count, count])
            self.close(answer["dot"]["values"],
                       [math.fsum(a * b for a, b in zip(x, y)) for x in rows for y in rows])
            self.close(answer["wavelengths"], [2 * math.pi * base ** (2 * i / d_model)
                                               for i in range(d_model // 2)], 1e-6 * base * 7)


class Saturation(Case):
    def test_it_is_what_the_softmax_makes_of_the_scores(self):
        answer = self.ask("saturation", seed=3)
        self.assertEqual(answer["d_k"], [2 ** power for power in range(11)])
        for d_k, raw, scaled in zip(answer["d_k"], answer["raw"], answer["scaled"]):
            self.close(scaled["scores"], [score / math.sqrt(d_k) for score in raw["scores"]],
                       1e-5 * d_k)
            self.assertAlmostEqual(scaled["deviation"], raw["deviation"] / math.sqrt(d_k),
                                   delta=1e-4)
            self.assertAlmostEqual(scaled["deviation"], 1, delta=0.25)
            for one in (raw, scaled):
                self.close(one["weights"], softmax(one["scores"]), 1e-4)
                self.assertTrue(0 <= one["entropy"] <= math.log(16))
                self.assertTrue(1 / 16 <= one["largest"] <= 1)
        narrow, wide = (answer["d_k"].index(d_k) for d_k in (4, 1024))
        self.assertLess(answer["raw"][wide]["gradient"], 0.3 * answer["raw"][narrow]["gradient"])
        self.assertGreater(answer["scaled"][wide]["gradient"],
                           0.7 * answer["scaled"][narrow]["gradient"])

    def test_another_seed_draws_other_numbers(self):
        self.assertEqual(self.ask("saturation"), self.ask("saturation", seed=1))
        self.assertNotEqual(self.ask("saturation"), self.ask("saturation", seed=2))


class Loading(Case):
    def test_the_model_is_described(self):
        self.assertEqual(self.ask(**load_request(GOLDEN)) | {"parameters": 0}, {
            "kind": "translator", "layers": [1, 2], "heads": 2, "d_model": 16, "d_ff": 24,
            "norm": "post", "parameters": 0, "vocabulary_size": [12, 13], "maximum_length": 127})
        words = (GOLDEN / "source.vocab.txt").read_text().splitlines()[4:]
        self.assertEqual(self.ask("vocabulary")["source"], words)

    def test_a_translation_that_never_ends_stops_where_the_search_does(self):
        self.ask(**load_request(GOLDEN))
        sentence = (GOLDEN / "source.txt").read_text().splitlines()[0]
        line, = run("07_transformer", "translate", "--model", GOLDEN, "--beam", 1,
                    given=sentence + "\n").splitlines()
        answer = self.ask("translate", text=sentence)
        self.assertEqual(answer["cut_from"], 2 * len(answer["source"]) + 50)
        self.assertEqual(answer["cut_from"], len(line.split()))
        self.assertEqual(len(answer["target"]), 15)
        self.assertEqual(answer["target"], line.split()[:15])
        self.assertEqual(len(answer["target"]), len(answer["steps"]))
        self.assertNotIn("<eos>", answer["target"])

    def test_a_damaged_model_is_refused_in_one_line(self):
        good = load_request(GOLDEN)
        self.ask(**good)
        for change, word in (({"weights_base64": "?"}, "base64"),
                             ({"weights_base64": "AAAA"}, "model.safetensors"),
                             ({"vocabulary": {}}, "source.vocab.txt")):
            self.assertRegex(self.error(**good | change), rf"\A[^\n]*{word}[^\n]*\Z")
        self.assertIn("text", self.ask("translate", text="i like"))  # the one before stays


class Translation(Case):
    """A small model that was trained a little: pre-norm, so that both orders are seen."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.model = cls.folder_of_class() / "model"
        run("07_transformer", "train", "--src", GOLDEN / "source.txt", "--tgt",
            GOLDEN / "target.txt", "--valid-src", GOLDEN / "source.txt", "--valid-tgt",
            GOLDEN / "target.txt", "--tokenizer", "word", "--d-model", 32, "--d-ff", 64, "--heads",
            4, "--encoder-layers", 2, "--decoder-layers", 2, "--dropout", 0, "--lr", 3e-3,
            "--warmup", 20, "--updates", 150, "--norm", "pre", "--out", cls.model)
        cls.live.ask(**load_request(cls.model))
        cls.sentences = (GOLDEN / "source.txt").read_text().splitlines()

    def translate(self, **how) -> dict:
        """The first sentence."""
        return self.ask("translate", text=self.sentences[0], **how)

    def test_it_translates_as_the_command_does(self):
        for beam in (1, 4):
            lines = run("07_transformer", "translate", "--model", self.model, "--beam", beam,
                        given="\n".join(self.sentences) + "\n").splitlines()
            for sentence, line in zip(self.sentences, lines):
                answer = self.ask("translate", text=sentence, beam=beam)
                self.assertEqual(answer["text"], line)
                self.assertEqual(answer["source"], sentence.split() + ["<eos>"])
                self.assertEqual(answer["read"], ["<bos>"] + answer["target"][:-1])
                words = [word for word in answer["target"] if word != "<eos>"]
                self.assertEqual(" ".join(words), line)

    def test_the_maps_are_those_of_attend(self):
        sentence = self.sentences[0]
        answer = self.translate()
        run("07_transformer", "attend", "--model", self.model, "--source", sentence, "--target",
            " ".join(answer["read"][1:]), "--beam", 1, "--out", self.folder)
        drawn = explorer_blocks(read(self.folder / "attention.html"))
        for kind, layers in zip(("encoder", "decoder", "cross"), drawn):
            self.assertEqual(len(answer["maps"][kind]), len(layers))
            for heads, wanted in zip(answer["maps"][kind], layers):
                self.assertEqual(len(heads), len(wanted))
                for head, numbers in zip(heads, wanted):
                    self.close(head["values"], numbers)
                    for row in rows_of(head):
                        self.assertAlmostEqual(sum(row), 1, places=5)

    def test_the_candidates_make_up_the_score(self):
        """log p of the translation is the sum of what its steps say, as `score` has it."""
        sentence = self.sentences[0]
        answer = self.translate()
        total = 0.0
        for token, step in zip(answer["target"], answer["steps"]):
            of = {one["token"]: one["probability"] for one in step["candidates"]}
            self.assertEqual(len(of), 5)
            self.assertEqual(list(of.values()), sorted(of.values(), reverse=True))
            self.assertEqual(token, next(iter(of)))  # greedy
            total += math.log(of[token])
        for name, text in (("src", sentence), ("tgt", answer["text"])):
            (self.folder / name).write_text(text + "\n")
        score = run("07_transformer", "score", "--model", self.model, "--src", self.folder / "src",
                    "--tgt", self.folder / "tgt")
        self.assertEqual(answer["target"][-1], "<eos>")
        self.assertAlmostEqual(total, float(score), places=4)

    def test_unknown_words_are_named_and_shown_as_they_were_typed(self):
        typed = ["i", "</script>", "like", "<b>", "‮x", "<pad>", '"']
        answer = self.ask("translate", text="  ".join(typed))
        self.assertEqual(answer["source"], typed + ["<eos>"])
        self.assertEqual(answer["unknown"], [1, 3, 4, 5, 6])

    def test_what_cannot_be_translated(self):
        for text in ("", " \t ", "a " * 128):
            self.assertRegex(self.error("translate", text=text), r"\Atranslate: \"text\" has")
        self.assertEqual(self.error("translate", text="a " * 128),
                         'translate: "text" has 128 tokens, 127 are the most')
        self.assertIn("source", self.ask("translate", text="a " * 127))
        for switches in ({"scale": 0}, {"heads": []}, {"heads_off": [["cross", 2, 0]]},
                         {"heads_off": [["self", 0, 0]]}, {"heads_off": "all"}, []):
            self.assertIn("switches",
                          self.error("translate", text="a", switches=switches), switches)

    # ---- how it is written -----------------------------------------------------------------------

    def test_a_beam_shows_what_it_weighed(self):
        for sentence in self.sentences[:3]:
            answer = self.ask("translate", text=sentence, beam=3)
            total = 0.0
            for number, (step, token) in enumerate(zip(answer["search"], answer["target"])):
                self.assertLessEqual(len(step), 6)
                self.assertLessEqual(sum(one["fate"] != "dropped" for one in step), 6)
                best = [one["all"] for one in step]
                self.assertEqual(best, sorted(best, reverse=True))
                here, = [one for one in step if one["token"] == token and
                         one["before"] == answer["target"][:number]]
                self.assertNotEqual(here["fate"], "dropped")
                total += here["own"]
                self.assertAlmostEqual(here["all"], total, places=5)
        self.assertIsNone(self.ask("translate", text=sentence)["search"])

    def test_the_bars_are_those_of_temperature_top_k_and_top_p(self):
        """From the probabilities of all words, less <pad>, <bos> and <unk>, the ids 0, 1 and 3."""
        def kept_by(candidates, top_k, top_p):
            left = candidates[:top_k or None]
            reached, count = 0.0, 0
            while count < len(left) and reached < top_p * sum(left):
                reached += left[count]
                count += 1
            return [p / reached if i < max(1, count) else 0 for i, p in enumerate(candidates)]

        every_p = self.ask("tensor", part="softmax", text=self.sentences[0])
        for choice in ({"temperature": 1}, {"temperature": 2.5}, {"temperature": 0.3},
                       {"top_k": 3}, {"top_p": 0.6}, {"temperature": 2, "top_k": 4, "top_p": 0.7}):
            answer = self.translate(choice=choice)
            for step, row in zip(answer["steps"], rows_of(every_p)):
                every = step["candidates"]
                may = sorted((p for id, p in enumerate(row) if id not in (0, 1, 3)), reverse=True)
                powers = [p ** (1 / choice.get("temperature", 1)) for p in may]
                tempered = [power / sum(powers) for power in powers]
                self.assertEqual(len(every), min(10, len(may)))
                self.close([one["probability"] for one in every], may[:10])
                self.close([one["tempered"] for one in every], tempered[:10])
                kept = kept_by(tempered, choice.get("top_k", 0), choice.get("top_p", 1))
                self.close([one["kept"] for one in every], kept[:10])
                self.assertNotIn("<unk>", [one["token"] for one in every])
            self.assertEqual(answer["text"],  # still the likeliest words
                             self.translate()["text"])

    def test_words_are_drawn_as_the_bars_say(self):
        """200 seeds: how often a word comes first is within four standard deviations of its p."""
        ask = self.translate
        hot = {"temperature": 3}
        first = {one["token"]: one["kept"] for one in ask(choice=hot)["steps"][0]["candidates"]}
        drawn = [ask(choice=hot, seed=seed)["target"][0] for seed in range(200)]
        for token, p in first.items():
            deviation = math.sqrt(200 * p * (1 - p))
            self.assertLessEqual(abs(drawn.count(token) - 200 * p), 4 * deviation + 1, token)
        self.assertGreater(len(set(drawn)), 3)
        one = ask(choice=hot, seed=5)
        self.assertEqual(one, ask(choice=hot, seed=5))
        for only in ({"temperature": 0}, {"top_k": 1}, {"top_p": 0}):
            self.assertEqual(ask(choice=only, seed=5)["text"], ask()["text"])
        two = {"top_k": 2}
        for seed in range(20):
            answer = ask(choice=two, seed=seed)
            for token, step in zip(answer["target"], answer["steps"]):
                self.assertIn(token, [of["token"] for of in step["candidates"] if of["kept"]])

    def test_what_cannot_be_drawn(self):
        for how, word in (({"seed": 1}, "choice"), ({"seed": 1, "choice": {}, "beam": 2}, "beam"),
                          ({"choice": {"top_p": 2}}, "top_p"), ({"choice": {"top_k": -1}}, "top_k"),
                          ({"choice": {"temperature": -1}}, "temperature"),
                          ({"choice": {"heat": 1}}, "heat"), ({"choice": 1}, "choice")):
            self.assertIn(word, self.error("translate", text="a", **how), how)

    def test_the_scores_are_the_products_of_queries_and_keys(self):
        answer = self.translate()
        for kind in ("encoder", "decoder", "cross"):
            for layer, heads in enumerate(answer["scores"][kind]):
                for head, scores in enumerate(heads):
                    q, k = (answer[name][kind][layer][head] for name in ("queries", "keys"))
                    self.close(scores["values"], [math.fsum(a * b for a, b in zip(one, other))
                                                  for one in rows_of(q) for other in rows_of(k)])

    # ---- switches --------------------------------------------------------------------------------

    def test_each_switch_changes_what_is_computed(self):
        sentence = self.sentences[0]
        whole = self.translate()
        self.assertEqual(whole, self.ask("translate", text=sentence, switches={
            "heads_off": [], "scale": True, "mask": True, "positions": True, "residual": True}))
        for switches in ({"scale": False}, {"positions": False}, {"mask": False},
                         {"residual": False}, {"heads_off": [["encoder", 0, 1]]},
                         {"heads_off": [["decoder", 1, 0]]}, {"heads_off": [["cross", 1, 1]]}):
            other = self.ask("translate", text=sentence, switches=switches)
            self.assertNotEqual(other["steps"][0] if "mask" not in switches else other["maps"],
                                whole["steps"][0] if "mask" not in switches else whole["maps"],
                                switches)
        self.assertEqual(whole, self.ask("translate", text=sentence))  # nothing stays behind

    def test_the_sentences_that_a_switch_breaks_are_those_that_translate_wrong(self):
        for switches in ({}, {"residual": False}, {"mask": False}):
            whole = self.ask("broken", first=40, count=12, switches=switches)
            parts = [self.ask("broken", first=first, count=6, switches=switches)
                     for first in (40, 46)]
            self.assertEqual(whole["of"], 12)
            numbers = [one["number"] for part in parts for one in part["wrong"]]
            self.assertEqual([one["number"] for one in whole["wrong"]], numbers)
            for one in whole["wrong"]:
                self.assertNotEqual(one["written"], one["expected"])
                self.assertTrue(40 <= one["number"] < 52)
                text = self.ask("translate", text=one["source"], switches=switches)["text"]
                self.assertTrue(text.startswith(one["written"][:20]), (text, one))
        last = self.ask("broken", first=whole["held_out"] - 2, count=50)
        self.assertEqual(last["of"], 2)
        for wrong in ({"first": whole["held_out"]}, {"count": 0}, {"switches": 1}, {"beam": 2}):
            self.assertRegex(self.error("broken", **wrong), r"\Abroken: ")

    def test_the_tensor_of_each_box_of_the_drawing(self):
        sentence = self.sentences[0]
        translated = self.translate()
        rows = {"source": len(translated["source"]), "target": len(translated["read"])}
        rows.update(encoder=rows["source"], decoder=rows["target"])
        boxes = re.findall(r'data-part="(\w+)"', read("docs/pictures/whole.svg"))
        of = {}
        for box in [box for box in boxes if not box.endswith("attention")]:
            of[box] = self.ask("tensor", part=box, layer=0, text=sentence)
            expected = rows.get(box.split("_")[0], rows["target"])
            self.assertEqual(of[box]["shape"][0], expected, box)
        self.assertEqual(of["encoder_feed_forward"]["shape"][1], 64)
        self.assertGreaterEqual(min(of["encoder_feed_forward"]["values"]), 0)
        for step, row, scores in zip(translated["steps"], rows_of(of["softmax"]),
                                     rows_of(of["linear"])):
            self.assertAlmostEqual(max(row), step["candidates"][0]["probability"], places=5)
            self.close(softmax(scores), row)
        second = self.ask("tensor", part="decoder_norm_1", layer=1, text=sentence)
        self.assertNotEqual(second, of["decoder_norm_1"])
        moved = [a - b for a, b in zip(of["source_positions"]["values"],
                                       of["source_embedding"]["values"])]
        self.close(moved[32:36], [math.sin(1), math.cos(1), math.sin(10000 ** -(2 / 32)),
                                  math.cos(10000 ** -(2 / 32))])
        self.assertIn('"layer" must be', self.error("tensor", part="encoder_norm_1",
                                                         layer=2, text=sentence))
        self.assertIn('"part" must be', self.error("tensor", part="head", text=sentence))

    def test_the_weights_are_the_softmax_of_the_scores(self):
        answer = self.translate()
        for kind in ("encoder", "cross"):
            for layer, heads in enumerate(answer["scores"][kind]):
                for head, scores in enumerate(heads):
                    self.assertEqual(answer["values"][kind][layer][head]["shape"],
                                     [scores["shape"][1], 8])
                    shown = rows_of(answer["maps"][kind][layer][head])
                    for row, weights in zip(rows_of(scores), shown, strict=True):
                        self.close(weights, softmax(row, math.sqrt(8)))

    def test_without_positions_the_encoder_does_not_see_the_order(self):
        def map_of(text: str) -> list:
            answer = self.ask("translate", text=text, switches={"positions": False})
            return sorted(answer["maps"]["encoder"][0][0]["values"])
        self.close(map_of("i like games"), map_of("games i like"))

    def test_without_the_mask_a_word_sees_what_comes_later(self):
        answer = self.translate(switches={"mask": False})
        self.assertGreater(min(weight for i, row in enumerate(rows_of(
            answer["maps"]["decoder"][0][0])) for weight in row[i + 1:]), 0)
        beam = self.translate(beam=3, switches={"mask": False})
        self.assertEqual(len(beam["steps"]), len(beam["target"]))

    def test_without_the_mask_each_step_is_that_of_its_own_prefix(self):
        answer = self.translate(switches={"mask": False})
        self.assertEqual(answer["target"],
                         [step["candidates"][0]["token"] for step in answer["steps"]])


class Trainings(Case):
    def train(self, task: str, n: int = 100, **options) -> tuple[int, list]:
        """A whole training, `n` updates a request: its id and its losses."""
        started = self.ask("start", task=task, options=options)
        self.assertGreater(started["parameters"], 1000)
        self.addCleanup(self.live.line, json.dumps({"do": "stop", "id": started["id"]}))
        losses = []
        while True:
            steps = self.ask("steps", id=started["id"], n=n)
            losses += steps["losses"]
            self.assertEqual(steps["update"], len(losses))
            self.assertGreaterEqual(steps["seconds"], 0)
            if steps["finished"]:
                break
        self.assertEqual(len(losses), started["updates"])
        self.assertEqual(self.ask("steps", id=started["id"], n=n)["losses"], [])
        return started["id"], losses

    def share(self, training: int, **request) -> float:
        answer = self.ask("score", id=training, **request)
        self.assertAlmostEqual(answer["share"], answer["right"] / answer["of"], places=6)
        return answer["share"]

    def test_post_norm_needs_the_warm_up_and_pre_norm_does_not(self):
        last = {}
        for norm, warmup in (("post", 0), ("post", 120), ("pre", 0)):
            training, losses = self.train("norm", norm=norm, warmup=warmup)
            last[norm, warmup] = sum(losses[-10:]) / 10
            self.assertEqual(self.share(training) > 0.99, (norm, warmup) != ("post", 0))
        self.assertGreater(last["post", 0], 2)
        self.assertLess(last["post", 120], 0.1)
        self.assertLess(last["pre", 0], 0.1)

    def test_what_lies_beyond_the_segment_is_recalled_from_the_memory_alone(self):
        training, losses = self.train("recall")
        self.assertLess(losses[-1], 0.05)
        self.assertGreater(self.share(training), 0.99)
        self.assertLess(self.share(training, memory=False), 0.25)
        look = self.ask("score", id=training, count=3)["look"]
        self.assertEqual((look["boundary"], len(look["rows"]), len(look["columns"])), (8, 8, 16))
        self.assertEqual(look["columns"][8:], look["rows"])
        self.assertEqual(look["rows"][look["asked"]], "?")
        self.assertEqual(look["rows"][look["asked"] + 1], look["columns"][look["secret"]])
        cell = look["asked"] * 16 + look["secret"]
        most = max(head["values"][cell] for layer in look["maps"] for head in layer)
        self.assertGreater(most, 0.5)
        one = self.ask("score", id=training, count=3)["examples"][0]
        self.assertIn(one["expected"], one["first"].split())
        self.assertEqual(one["written"], one["expected"])

    def test_without_a_memory_it_is_guessed(self):
        for options in ({"memory": False}, {"model": "vanilla"}):
            training, _ = self.train("recall", updates=150, **options)
            self.assertLess(self.share(training), 0.2)  # 1 of 8 is chance
            look = self.ask("score", id=training, count=1)["look"]
            self.assertEqual((look["boundary"], look["secret"]), (0, None))
            self.assertEqual(look["columns"], look["rows"])

    def test_the_little_translator_learns_sentences_that_it_has_never_seen(self):
        training, losses = self.train("translator")
        parts = [self.ask("score", id=training, first=first, count=250)
                 for first in range(0, 1000, 250)]
        self.assertEqual({part["held_out"] for part in parts}, {1000})
        self.assertGreater(sum(part["right"] for part in parts), 950)
        self.assertLess(losses[-1], 1.1)
        wrong = [part["of"] - part["right"] for part in parts]
        for part, count in zip(parts, wrong):
            found = [one["written"] == one["expected"] for one in part["examples"]]
            self.assertEqual(found, sorted(found))  # the wrong ones first
            self.assertEqual(found.count(False), min(8, count))
        answer = self.ask("translate", id=training,
                               text="they watched the match in Beijing last Sunday")
        self.assertEqual(answer["text"], "他们 上周日 在 北京 看 了 比赛")
        self.assertEqual(len(answer["maps"]["cross"]), 2)
        for off in ("scale", "positions", "mask", "residual"):
            broken = self.ask("translate", id=training, switches={off: False},
                                   text="they watched the match in Beijing last Sunday")
            self.assertNotEqual(broken["steps"], answer["steps"], off)
        self.assertNotEqual(broken["text"], answer["text"], "without the residual")
        words = self.ask("vocabulary", id=training)
        self.assertIn("Beijing", words["source"])
        self.assertIn("北京", words["target"])
        script = read("live/page/translate.js")
        sentences = re.findall("'(.*?)'", re.search(r"SENTENCES = \[(.*?)\]", script, re.S)[1])
        self.assertGreater(len(sentences), 3)
        for sentence in sentences:  # that the page offers
            self.assertEqual(self.ask("translate", id=training, text=sentence)["unknown"], [])
        after = self.ask("vocabulary", id=training, after="they watched")["next"]
        self.assertIn("the", after)
        self.assertEqual(self.ask("vocabulary", id=training, after="qwerty")["next"], [])
        self.assertIn("they", self.ask("vocabulary", id=training, after=" ")["next"])

    def test_without_the_mask_it_learns_to_copy_and_not_to_translate(self):
        training, _ = self.train("translator", updates=250, mask=False)
        self.assertLess(self.ask("held_out", id=training)["loss"], 1.5)  # with it: 1.59
        self.assertLess(self.ask("score", id=training, count=100)["right"], 6)  # with it: 30
        answer = self.ask("translate", id=training, text="they watched the match")
        self.assertFalse(answer["causal"])
        row = answer["maps"]["decoder"][0][0]["values"][:len(answer["read"])]
        self.assertGreater(sum(row[1:]), 1e-3)  # the first row looks ahead

    def test_what_one_sentence_is_taught_and_what_is_written_by_itself(self):
        training, _ = self.train("translator", updates=60, smoothing=0)
        taught = self.ask("taught", id=training, number=1)
        length, read, target = len(taught["read"]), taught["read"], taught["target"]
        self.assertEqual([read[0], target[-1]], ["<bos>", "<eos>"])
        self.assertEqual(read[1:], target[:-1])
        self.assertEqual(taught["source"][-1], "<eos>")
        for scores, weights in zip(sum(taught["scores"], []), sum(taught["weights"], [])):
            self.assertEqual(weights["shape"], [length, length])
            for row, (all_scores, shown) in enumerate(zip(rows_of(scores), rows_of(weights))):
                some = all_scores[:row + 1]  # d_k is 16, and what comes later is hidden
                self.close(shown, softmax(some, 4) + [0] * (length - row - 1))
        self.assertTrue(all(0 < p < 1 for p in taught["p"]))
        self.assertEqual(len(taught["p"]), length)
        answer = self.ask("translate", id=training, text=" ".join(taught["source"][:-1]))
        written = taught["written"] + (["<eos>"] if taught["ended"] else [])
        self.assertEqual(written, answer["target"][:len(written)])
        self.assertLessEqual(len(taught["written"]), length + 2)
        first = {one["token"]: one["probability"] for one in answer["steps"][0]["candidates"]}
        if target[0] in first:  # after <bos> alone, both have read the same
            self.assertAlmostEqual(first[target[0]], taught["p"][0], places=5)
        for number in (-1, 1000):
            self.assertIn("number", self.error("taught", id=training, number=number))
        other, _ = self.train("norm", updates=1)
        self.assertIn("no translator", self.error("taught", id=other))

    def test_without_the_scale_it_learns_slowly(self):
        held, right = [], []
        for scale in (True, False):
            training, _ = self.train("translator", updates=200, warmup=60, lr=0.004, smoothing=0,
                                     heads=1, scale=scale)
            held.append(self.ask("held_out", id=training)["loss"])
            right.append(self.ask("score", id=training, count=100)["right"])
            taught = self.ask("taught", id=training)
            weights, scores = (rows_of(taught[name][0][0])[-1] for name in ("weights", "scores"))
            self.close(weights, softmax(scores, 8), 1e-4)  # q is 8 times as long without it
            self.ask("stop", id=training)
        self.assertGreater(held[1], 2 * held[0])
        self.assertGreater(right[0], 3 * right[1])

    def test_one_head_cannot_tell_the_left_neighbour_from_the_right_one_and_two_can(self):
        for heads in (1, 2):
            training, losses = self.train("neighbours", heads=heads)
            answer = self.ask("score", id=training)
            self.assertEqual(answer["of"], 100 * 6)  # lines of 8 letters, but for their ends
            self.assertEqual(len(answer["examples"]), 10)
            rows, look = answer["look"]["rows"], answer["look"]
            self.assertEqual(sorted(rows), list("abcdefgh"))
            self.assertEqual(len(look["maps"][0]), heads)
            held = self.ask("held_out", id=training)["loss"]
            if heads == 1:
                self.assertLess(answer["right"], 0.4 * answer["of"])
                self.assertGreater(held, 0.3)
                # Its one row lies on both, and of both it says the likelier one twice, or guesses.
                for i in range(1, 7):
                    row = look["maps"][0][0]["values"][8 * i:8 * i + 8]
                    self.assertGreater(row[i - 1] + row[i + 1], 0.6)
            else:
                self.assertEqual(answer["right"], answer["of"])
                self.assertLess(held, 0.01)
                for i in range(1, 7):
                    self.assertEqual(look["said"][i], [rows[i - 1], rows[i + 1]])
            wrong = [one for one in answer["examples"] if one["written"] != one["expected"]]
            self.assertEqual(len(wrong), 10 if heads == 1 else 0)
            for one in answer["examples"]:
                line = one["line"].split()
                at = line.index(one["letter"])
                self.assertEqual(one["expected"], f"{line[at - 1]} … {line[at + 1]}")

    def test_the_same_seed_gives_the_same_losses_and_another_one_others(self):
        def losses(seed: int) -> list:
            started = self.ask("start", task="translator", seed=seed, options={"updates": 3})
            steps = self.ask("steps", id=started["id"], n=3)
            self.ask("stop", id=started["id"])
            return steps["losses"]
        self.assertEqual(losses(5), losses(5))
        self.assertNotEqual(losses(5), losses(6))

    def test_a_bad_training_is_refused(self):
        for request, word in (({}, "task"), ({"task": "chess"}, "norm, recall, translator"),
                              ({"task": "norm", "options": {"norm": "both"}}, "one of post, pre"),
                              ({"task": "norm", "options": {"warmup": -1}}, "warmup"),
                              ({"task": "norm", "options": 3}, "options"),
                              ({"task": "recall", "options": {"segment": 1}}, "segment"),
                              ({"task": "recall", "options": {"warmup": 1}}, "warmup"),
                              ({"task": "translator", "options": {"heads": 3}}, "heads"),
                              ({"task": "translator", "options": {"smoothing": 1}}, "smoothing"),
                              ({"task": "neighbours", "options": {"heads": 3}}, "heads"),
                              ({"task": "translator", "seed": -1}, "seed")):
            self.assertRegex(self.error("start", **request), rf"\A[^\n]*{word}[^\n]*\Z")
        for do in ("steps", "score", "stop", "translate", "vocabulary"):
            text = {"text": "a"} if do == "translate" else {}
            self.assertIn("no training has the id 999", self.error(do, id=999, **text))
        started = self.ask("start", task="norm", options={"updates": 2})
        for request in ({"n": 0}, {"n": "all"}, {"m": 1}):
            self.assertIn("error", self.live.line(
                json.dumps({"do": "steps", "id": started["id"], **request})))
        self.assertIn("no translator", self.error("translate", id=started["id"], text="a"))
        others = [self.ask("start", task="norm")["id"] for _ in range(11)]
        self.assertIn("stop one", self.error("start", task="norm"))
        for training in [started["id"], *others]:
            self.ask("stop", id=training)


if __name__ == "__main__":
    unittest.main()

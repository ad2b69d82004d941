#!/usr/bin/env python3
"""The exam of `./learn teach exam`: is each model answer right, calculated in another way than
tools/teaching/exam.py does, and do both languages ask the same?"""

from __future__ import annotations

import math
import random
import re
import statistics
import subprocess
import sys
import unittest
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.teaching import exam  # noqa: E402

SEEDS = range(60)


def numbers(text) -> list[float]:
    return [float(n.replace("−", "-").replace(",", "")) for n in
            re.findall(r"[−-]?\d[\d,]*\.?\d*(?!\d)", re.sub(r", (?=\D|[−\d])", " ", str(text)))]


def learn(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([str(ROOT / "learn"), "teach", *arguments], text=True,
                          capture_output=True, check=False)


class Answers(unittest.TestCase):
    def drawn(self, name: str):
        """What is drawn, for many seeds."""
        for seed in SEEDS:
            with self.subTest(name, seed=seed):
                yield exam.NUMBERS[name](random.Random(f"{seed} {name}"))

    def near(self, said, true, within=0.0051):
        said = numbers(said) if isinstance(said, str) else [said]
        true = true if isinstance(true, list) else [true]
        self.assertEqual(len(said), len(true), (said, true))
        for a, b in zip(said, true):
            self.assertLessEqual(abs(a - b), within, (said, true))

    def test_surprise(self):
        for q in self.drawn("surprise"):
            product = math.prod(numbers(q["p"]))
            self.near(q["perplexity"], product ** -0.25)
            self.near(q["loss"], -math.log(product) / 4)
            self.near(q["guess"], math.log(numbers(q["V"])[0]))

    def test_sum_of_uses(self):
        for q in self.drawn("sum of uses"):
            f = lambda x: q["a"] * x * x + q["b"] * x  # noqa: B023,E731
            self.assertAlmostEqual(q["total"], (f(q["x"] + 1) - f(q["x"] - 1)) / 2)
            self.assertEqual(2 * q["first"] + q["b"], q["total"])

    def test_position(self):
        def pe(t):
            return [math.sin(t), math.cos(t), math.sin(t / 100), math.cos(t / 100)]

        for q in self.drawn("position"):
            dot = sum(a * b for a, b in zip(pe(q["t"]), pe(q["s"])))
            self.near(q["dot"], dot, 0.00051)
            self.assertAlmostEqual(math.hypot(*pe(q["t"])), math.sqrt(2))

    def test_lookup(self):
        for q in self.drawn("lookup"):
            self.assertEqual(q["factor"] ** 2, q["n"] ** 2 * q["D"])
            self.near(q["parameters"], numbers(q["V"])[0] * q["D"])

    def test_attention_by_hand(self):
        for q in self.drawn("attention by hand"):
            query = numbers(q["q"])
            raw = [sum(a * b for a, b in zip(query, numbers(q[f"k{i}"]))) for i in (1, 2, 3)]
            self.near(q["scores"], [value / 2 ** 0.5 for value in raw])
            for allowed, weights, output in ((3, "weights", "output"),
                                             (2, "masked", "masked_output")):
                powers = [math.e ** (value / 2 ** 0.5) for value in raw[:allowed]]
                powers += [0] * (3 - allowed)
                share = [value / sum(powers) for value in powers]
                self.near(q[weights], share)
                values = [numbers(q[f"v{i}"]) for i in (1, 2, 3)]
                self.near(q[output], [sum(s * v[j] for s, v in zip(share, values))
                                      for j in (0, 1)])
            best = raw.index(max(raw))
            self.near(q["sharp"], [float(i == best) for i in range(3)])

    def test_score_by_sampling_signs(self):
        for q in self.drawn("score"):
            # q and k of ±σ: each product is ±σ², of variance σ⁴ = s²
            self.assertEqual(q["variance"], q["d"] * q["s"] ** 2)
            self.assertEqual(q["divisor"] ** 2, q["variance"])

    def test_cost(self):
        for q in self.drawn("cost"):
            D, T = q["D"], int(numbers(q["equal"])[0])
            self.assertEqual(4 * T * D * D, 2 * T * T * D)
            self.assertEqual(2 * (q["m"] * T) ** 2 * D, q["m2"] * 2 * T * T * D)

    def test_norm_by_hand(self):
        for q in self.drawn("norm by hand"):
            x = numbers(q["x"])
            mean = statistics.fmean(x)
            self.near(q["y"], [(v - mean) / statistics.pstdev(x) for v in x], 0.00051)
            self.near(q["unbiased"], [(v - mean) / statistics.stdev(x) for v in x], 0.00051)

    def test_paths(self):
        for q in self.drawn("paths"):
            self.near(q["sigma"], sum([1] * (q["L"] + 1)) ** 0.5)

    def test_parameters_matrix_by_matrix(self):
        for q in self.drawn("parameters"):
            D, F = q["D"], int(numbers(q["F"])[0])
            size = lambda shapes: sum(math.prod(shape) for shape in shapes)  # noqa: E731
            attention = size([(D, D), (D,)] * 4)
            feed_forward = size([(D, F), (F,), (F, D), (D,)])
            self.near(q["attention"], attention)
            self.near(q["feed_forward"], feed_forward)
            self.near(q["layer"], attention + feed_forward + size([(D,)] * 4))

    def test_dropout_by_its_two_values(self):
        for q in self.drawn("dropout"):
            stays, x = 1 - numbers(q["p"])[0], q["x"]
            values = [(1 - stays, 0), (stays, x / stays)]
            mean = sum(share * value for share, value in values)
            self.assertAlmostEqual(mean, x)
            self.near(q["variance"], sum(s * (v - mean) ** 2 for s, v in values))
            for _ in range(q["n"]):
                x *= stays
            self.near(q["shrunk"], x, 0.00051)

    def test_padding(self):
        for q in self.drawn("padding"):
            mask = [int(i < q["a"]) for i in range(q["b"])]
            self.assertEqual(q["mask"], " ".join(map(str, mask)))
            self.near(q["share"], 100 * mask.count(0) / (2 * q["b"]), 0.051)
            shape = [int(n) for n in numbers(q["queries"])]
            self.assertEqual(shape[1] * shape[3], q["D"])

    def test_causal_by_comparing_positions(self):
        for q in self.drawn("causal"):
            m, n = q["m"], q["n"]
            rows = [" ".join(str(int(key <= query)) for key in range(m + n))
                    for query in range(m, m + n)]
            self.assertEqual(q["rows"], "; ".join(rows))
            self.assertEqual(q["without"], sum(range(1, q["T"] + 1)))

    def test_search(self):
        for q in self.drawn("search"):
            totals = [numbers(q[f"l{i}"])[0] for i in (1, 2, 3)]
            lengths = [q[f"n{i}"] for i in (1, 2, 3)]
            by_sum = max(range(3), key=lambda i: totals[i])  # noqa: B023
            by_mean = max(range(3), key=lambda i: totals[i] / lengths[i])  # noqa: B023
            self.assertEqual((q["by_sum"], q["by_mean"]), (by_sum, by_mean))
            self.near(q["means"], [t / n for t, n in zip(totals, lengths)])

    def test_bleu_by_counting(self):
        for q in self.drawn("bleu"):
            candidate, reference = q["candidate"].split(), q["reference"].split()
            for n, said in ((1, "clipped"), (2, "bigram")):
                grams = [Counter(zip(*(words[i:] for i in range(n))))
                         for words in (candidate, reference)]
                self.assertEqual(q[said], f"{sum((grams[0] & grams[1]).values())}"
                                          f"/{sum(grams[0].values())}")
            self.assertNotEqual(q["clipped"], q["unclipped"])
            r, c = len(reference), len(candidate)
            self.near(q["penalty"], 1.0 if c >= r else math.exp(1 - r / c), 0.00051)

    def test_adam_by_running_it(self):
        def last_step(rate, gradients):
            m = v = 0.0
            for t, g in enumerate(gradients, 1):
                m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
                step = rate * (m / (1 - 0.9 ** t)) / math.sqrt(v / (1 - 0.999 ** t))
            return abs(step)

        for q in self.drawn("adam"):
            rate, g = numbers(q["rate"])[0], q["g"]
            self.assertAlmostEqual(last_step(rate, [g]), rate)
            self.assertAlmostEqual(last_step(rate, numbers(q["h"])), rate)
            self.assertAlmostEqual(last_step(rate, [g, g]), rate)
            self.near(q["second"], last_step(rate, [g, -g]), 5.1e-7)

    def test_memory_by_listing_keys(self):
        for q in self.drawn("memory"):
            T, M = q["T"], q["M"]
            seen = [len([j for j in range(-M, T) if j <= i]) for i in range(T)]
            self.assertEqual(q["keys"], ", ".join(map(str, seen)))

    def test_roof(self):
        for q in self.drawn("roof"):
            self.near(q["ridge"], q["peak"] / q["band"])
            self.near(q["slow"], q["band"] * 1e9 / 8 / 1e9)
            self.near(q["tokens"], q["band"] * 1e9 / (q["N"] * 1e6 * 4), 0.51)

    def test_warps_by_their_addresses(self):
        for q in self.drawn("warps"):
            n, b = int(numbers(q["n"])[0]), q["b"]
            starts = range(0, n, b)
            self.assertEqual(q["blocks"], len(starts))
            self.assertEqual(q["idle"], len([i for i in range(len(starts) * b) if i >= n]))
            self.assertEqual(q["segments"], len({4 * lane * q["stride"] // 128
                                                 for lane in range(32)}))


class Exam(unittest.TestCase):
    def test_the_pools_have_the_same_questions(self):
        en, zh = exam.pool(False), exam.pool(True)
        self.assertEqual([(q.name, q.marks, q.chapter) for q in en],
                         [(q.name, q.marks, q.chapter) for q in zh])
        self.assertEqual([q.name for q in en], list(exam.NUMBERS))
        for ours, theirs in zip(en, zh):
            for part in ("text", "answer"):
                names = [sorted(set(re.findall(r"{(\w+)}", getattr(q, part))))
                         for q in (ours, theirs)]
                self.assertEqual(*names, ours.name)
                letters = [re.findall(r"\(([a-d])\)", getattr(q, part)) for q in (ours, theirs)]
                self.assertEqual(*letters, ours.name)
            self.assertEqual(re.findall(r"\([a-d]\)", ours.text),
                             re.findall(r"\([a-d]\)", ours.answer))

    def test_ninety_marks_of_every_chapter(self):
        for seed in SEEDS:
            asked = exam.exam(seed, 90, range(0, 9), False)
            self.assertEqual(sum(question.marks for question in asked), 90)
            self.assertEqual({question.chapter for question in asked}, set(range(0, 9)))
            self.assertFalse([q for q in asked if re.search(r"[{}]", q.text + q.answer)])

    def test_both_languages_have_the_same_numbers(self):
        for seed in range(5):
            for en, zh in zip(exam.exam(seed, 90, range(0, 11), False),
                              exam.exam(seed, 90, range(0, 11), True)):
                self.assertEqual(en.name, zh.name)
                values = [Counter(re.findall(r"\d[\d.]*\d|\d", q.text.replace(",", "")))
                          for q in (en, zh)]
                self.assertFalse(values[0] - values[1], en.name)

    def test_a_seed_repeats_and_another_asks_for_other_numbers(self):
        first, again, other = (learn("exam", "--seed", seed, "--en").stdout for seed in "778")
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)
        self.assertNotIn("Answer:", first)
        self.assertEqual(learn("exam", "--seed", "7", "--answers", "--en").stdout.count("Answer:"),
                         len(re.findall(r"^  \d+  \d+ marks", first, re.MULTILINE)))

    def test_what_it_refuses(self):
        for typed in ([], ["exams"], ["exam", "--chapters", "4-2"], ["exam", "--chapters", "11"],
                      ["exam", "--marks", "-1"], ["exam", "--marks", "1"], ["exam", "--seed", "x"]):
            run = learn(*typed, "--en")
            self.assertEqual((run.returncode, run.stdout), (2, ""), typed)
            self.assertRegex(run.stderr, "^learn: teach: ")
        short = learn("exam", "--chapters", "9", "--zh")
        self.assertIn("不够 90 分", short.stdout)


if __name__ == "__main__":
    unittest.main()

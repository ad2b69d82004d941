#!/usr/bin/env python3
"""The exam of `./learn teach exam`: is each model answer right, calculated in another way than
tools/teaching/exam_numbers.py does, and do both languages ask the same?"""

from __future__ import annotations

import functools
import math
import random
import re
import statistics
import subprocess
import sys
import unittest
from collections import Counter

from support.checkout import learn, read
from tools.teaching import exam, exam_numbers

SEEDS = range(60)


def numbers(text) -> list[float]:
    return [float(n.replace("−", "-").replace(",", "")) for n in
            re.findall(r"[−-]?\d[\d,]*\.?\d*(?!\d)", re.sub(r", (?=\D|[−\d])", " ", str(text)))]


def teach(*arguments: str) -> subprocess.CompletedProcess:
    return learn("teach", *arguments)


def drawn(name: str, test):
    """The test, of what many seeds draw of this question."""
    @functools.wraps(test)
    def asked(self) -> None:
        for seed in SEEDS:
            with self.subTest(name, seed=seed):
                test(self, exam_numbers.NUMBERS[name](random.Random(f"{seed} {name}")))
    return asked


def of_their_questions(tests: type) -> type:
    """Each test is of the question whose name its own begins with."""
    for called, test in list(vars(tests).items()):
        if called.startswith("test_"):
            setattr(tests, called, drawn(max(
                (name for name in exam_numbers.NUMBERS
                 if called[5:].startswith(name.replace(" ", "_"))), key=len), test))
    return tests


@of_their_questions
class Answers(unittest.TestCase):
    def near(self, said, true, within=0.0051):
        said = numbers(said) if isinstance(said, str) else [said]
        true = true if isinstance(true, list) else [true]
        self.assertEqual(len(said), len(true), (said, true))
        for a, b in zip(said, true):
            self.assertLessEqual(abs(a - b), within, (said, true))

    def test_surprise(self, q):
        product = math.prod(numbers(q["p"]))
        self.near(q["perplexity"], product ** -0.25)
        self.near(q["loss"], -math.log(product) / 4)
        self.near(q["guess"], math.log(numbers(q["V"])[0]))

    def test_sum_of_uses(self, q):
        f = lambda x: q["a"] * x * x + q["b"] * x  # noqa: B023,E731
        self.assertAlmostEqual(q["total"], (f(q["x"] + 1) - f(q["x"] - 1)) / 2)
        self.assertEqual(2 * q["first"] + q["b"], q["total"])

    def test_descent_by_taking_the_step(self, q):
        x, y, w, rate = q["x"], numbers(q["y"])[0], q["w"], numbers(q["rate"])[0]
        loss = lambda w: (w * x - y) ** 2  # noqa: B023,E731
        slope = (loss(w + 1) - loss(w - 1)) / 2  # exact for a parabola
        self.assertAlmostEqual(numbers(q["gradient"])[0], slope)
        self.assertAlmostEqual(numbers(q["next"])[0], w - rate * slope)
        self.near(q["before"], loss(w), 1e-9)
        self.near(q["after"], loss(w - rate * slope), 0.000051)
        limit = numbers(q["limit"])[0]
        self.assertLess(rate, limit)
        for factor, larger in ((0.99, False), (1.01, True)):
            self.assertEqual(larger, loss(w - factor * limit * slope) > loss(w))

    def test_curves_by_their_lowest_point(self, q):
        training, held = numbers(q["training"]), numbers(q["held"])
        self.assertEqual((q["n"], q["n"]), (len(training), len(held)))
        self.assertEqual(training, sorted(training, reverse=True))
        self.assertEqual(q["best"], held.index(min(held)) + 1)
        self.assertEqual(1, held.count(min(held)))
        self.near(q["perplexity"], math.e ** min(held))

    def test_difference_by_measuring(self, q):
        f = lambda x: q["c"] * x ** 3  # noqa: B023,E731
        x, slope = q["x"], (f(q["x"] + 1e-4) - f(q["x"] - 1e-4)) / 2e-4
        self.assertAlmostEqual(q["slope"], slope, places=5)
        both = lambda h: (f(x + h) - f(x - h)) / (2 * h)  # noqa: B023,E731
        one = lambda h: (f(x + h) - f(x)) / h  # noqa: B023,E731
        for measured, said, off, share in ((both, "both", "both_off", 0.25),
                                           (one, "one", "one_off", 0.5)):
            self.near(q[said], measured(0.1))
            self.near(q[off], measured(0.1) - slope)
            self.assertAlmostEqual((measured(0.05) - slope) / (measured(0.1) - slope), share,
                                   delta=0.01)

    def test_scale_by_drawing_rows(self, q):
        D, draw = q["D"], random.Random(q["D"])
        lengths = [sum(draw.gauss(0, D ** -0.5) ** 2 for _ in range(D)) for _ in range(20_000 // D)]
        self.assertAlmostEqual(statistics.fmean(lengths), 1, delta=0.05)
        position = sum(f(3 * 10000 ** (-2 * i / D)) ** 2 for i in range(D // 2)
                       for f in (math.sin, math.cos))
        self.near(q["half"], position, 1e-9)
        for name, word in (("without", 1), ("with_it", D)):
            self.near(q[name], 100 * word / (word + position), 0.051)

    def test_turn_by_its_angles(self, q):
        s, c, sk, ck = (numbers(q[name])[0] for name in ("s", "c", "sk", "ck"))
        here, more = math.atan2(s, c), math.atan2(sk, ck)
        self.near(q["sin"], math.sin(here + more), 0.000051)
        self.near(q["cos"], math.cos(here + more), 0.000051)
        self.near(q["minus"], math.sin(-more), 0.000051)
        self.near(q["ck"], s * numbers(q["sin"])[0] + c * numbers(q["cos"])[0], 0.0002)

    def test_position(self, q):
        def pe(t):
            return [math.sin(t), math.cos(t), math.sin(t / 100), math.cos(t / 100)]

        dot = sum(a * b for a, b in zip(pe(q["t"]), pe(q["s"])))
        self.near(q["dot"], dot, 0.00051)
        self.assertAlmostEqual(math.hypot(*pe(q["t"])), math.sqrt(2))

    def test_lookup(self, q):
        self.assertEqual(q["factor"] ** 2, q["n"] ** 2 * q["D"])
        self.near(q["parameters"], numbers(q["V"])[0] * q["D"])

    def test_attention_by_hand(self, q):
        query = numbers(q["q"])
        raw = [sum(a * b for a, b in zip(query, numbers(q[f"k{i}"]))) for i in (1, 2, 3)]
        self.near(q["scores"], [value / 2 ** 0.5 for value in raw])
        for allowed, weights, output in ((3, "weights", "output"), (2, "masked", "masked_output")):
            powers = [math.e ** (value / 2 ** 0.5) for value in raw[:allowed]]
            powers += [0] * (3 - allowed)
            share = [value / sum(powers) for value in powers]
            self.near(q[weights], share)
            values = [numbers(q[f"v{i}"]) for i in (1, 2, 3)]
            self.near(q[output], [sum(s * v[j] for s, v in zip(share, values)) for j in (0, 1)])
        best = raw.index(max(raw))
        self.near(q["sharp"], [float(i == best) for i in range(3)])

    def test_score_by_sampling_signs(self, q):
        # q and k of ±σ: each product is ±σ², of variance σ⁴ = s²
        self.assertEqual(q["variance"], q["d"] * q["s"] ** 2)
        self.assertEqual(q["divisor"] ** 2, q["variance"])

    def test_cost(self, q):
        D, T = q["D"], int(numbers(q["equal"])[0])
        self.assertEqual(4 * T * D * D, 2 * T * T * D)
        self.assertEqual(2 * (q["m"] * T) ** 2 * D, q["m2"] * 2 * T * T * D)

    def test_masks_by_looking_at_each_cell(self, q):
        cells = [[int(key <= query and key < q["n"]) for key in range(q["S"])]
                 for query in range(q["S"])]
        row = cells[q["r"] - 1]
        self.assertEqual(q["row"], " ".join(map(str, row)))
        self.assertLess(sum(row), min(q["r"], q["S"]))  # padding counts
        self.assertLess(q["r"], q["S"])  # and so does what comes later
        self.assertEqual(q["ones"], sum(range(1, q["S"] + 1)))

    def test_heads_by_sorting_columns(self, q):
        width = int(numbers(q["shape"])[3])
        mine = [column for column in range(q["D"]) if column // width == q["h"]]
        self.assertEqual((q["first"], q["last"]), (mine[0], mine[-1]))
        self.assertEqual(numbers(q["shape"])[:3], [q["B"], q["H"], q["T"]])
        self.assertEqual(width * q["H"], q["D"])
        self.near(q["parameters"], sum([q["D"]] * q["D"]))

    def test_softmax_backward_by_its_jacobian(self, q):
        a, da = numbers(q["a"]), numbers(q["da"])
        self.assertAlmostEqual(sum(a), 1)
        dz = [sum(da[j] * a[j] * ((i == j) - a[i]) for j in range(3)) for i in range(3)]
        self.near(q["dz"], dz, 1e-9)
        self.assertAlmostEqual(sum(numbers(q["dz"])), 0)
        self.near(q["mean"], statistics.fmean(da, a) if sys.version_info >= (3, 11)
                  else sum(x * y for x, y in zip(a, da)), 1e-9)

    def test_leak_by_the_softmax_of_the_row(self, q):
        for name, padding in (("share", q["p"]), ("more", q["p"] + q["m"])):
            powers = [math.e ** score for score in [q["s"]] * q["n"] + [0] * padding]
            self.near(q[name], 100 * sum(powers[q["n"]:]) / sum(powers), 0.051)

    def test_cache_size_vector_by_vector(self, q):
        size = lambda words: sum(4 * q["D"] for _layer in range(q["L"])  # noqa: E731
                                 for _word in range(words) for _ in ("key", "value"))
        self.near(q["own"], size(q["T"]))
        self.near(q["cross"], size(q["S"]))
        self.near(q["beam"], sum(size(q["T"]) + size(q["S"]) for _ in range(q["k"])))

    def test_own_words_by_counting_mistakes(self, q):
        r, n = numbers(q["r"])[0], q["n"]
        chance = [math.comb(n, k) * (1 - r) ** k * r ** (n - k) for k in range(n + 1)]
        self.near(q["all"], chance[0], 0.000051)
        self.near(q["wrong"], sum(k * share for k, share in enumerate(chance)))

    def test_smoothing_has_no_lower_loss(self, q):
        V, right, other = q["V"], numbers(q["right"])[0], numbers(q["other"])[0]
        self.assertAlmostEqual(right + (V - 1) * other, 1, delta=0.0005)
        self.assertAlmostEqual(right - other, 1 - numbers(q["e"])[0], delta=0.0002)
        loss = lambda p: (-right * math.log(p)  # noqa: E731
                          - (V - 1) * other * math.log((1 - p) / (V - 1)))
        self.near(q["least"], min(loss(i / 10000) for i in range(1, 10000)), 0.0021)
        self.near(q["uniform"], loss(1 / V), 0.0021)

    def test_merges_by_replacing_text(self, q):
        text = " ".join(f" {' '.join(q[f'w{i}'])} " for i in (1, 2, 3)
                        for _ in range(q[f"n{i}"]))
        for pair, count in (("p1", "c1"), ("p2", "c2")):
            known = {tuple(one) for word in text.split("  ")
                     for one in zip(word.split(), word.split()[1:])}
            counted = {one: len(re.findall(rf"(?<= ){re.escape(' '.join(one))}(?= )", text))
                       for one in known}
            best = max(counted, key=counted.get)
            self.assertEqual((q[pair], q[count]), (" + ".join(best), counted[best]))
            self.assertEqual(1, list(counted.values()).count(counted[best]))
            text = text.replace(f" {' '.join(best)} ", f" {''.join(best)} ")
        self.assertEqual(q["pieces"], " ".join(text.split("  ")[-1].split()))

    def test_schedule_as_the_paper_writes_it(self, q):
        K, peak = q["K"], numbers(q["peak"])[0]
        rate = lambda k: peak * K ** 0.5 * min(k ** -0.5, k * K ** -1.5)  # noqa: E731
        self.near(q["rising"], rate(q["early"]), 5.1e-7)
        self.near(q["falling"], rate(numbers(q["late"])[0]), 5.1e-7)
        self.assertGreater(K, q["early"])

    def test_four_terms_by_two_products(self, q):
        query, k, r, u, v = (numbers(q[name]) for name in "qkruv")
        products = [sum((x + y) * z for x, y, z in zip(query, bias, other))
                    for bias, other in ((u, k), (v, r))]
        self.near(q["first"], products[0])
        self.near(q["second"], products[1])
        self.near(q["total"], sum(products))
        self.assertAlmostEqual(sum(numbers(q[name])[0] for name in "abcd"), sum(products))

    def test_norm_by_hand(self, q):
        x = numbers(q["x"])
        mean = statistics.fmean(x)
        self.near(q["y"], [(v - mean) / statistics.pstdev(x) for v in x], 0.00051)
        self.near(q["unbiased"], [(v - mean) / statistics.stdev(x) for v in x], 0.00051)

    def test_paths(self, q):
        self.near(q["sigma"], sum([1] * (q["L"] + 1)) ** 0.5)

    def test_parameters_matrix_by_matrix(self, q):
        D, F = q["D"], int(numbers(q["F"])[0])
        size = lambda shapes: sum(math.prod(shape) for shape in shapes)  # noqa: E731
        attention = size([(D, D), (D,)] * 4)
        feed_forward = size([(D, F), (F,), (F, D), (D,)])
        self.near(q["attention"], attention)
        self.near(q["feed_forward"], feed_forward)
        self.near(q["layer"], attention + feed_forward + size([(D,)] * 4))

    def test_dropout_by_its_two_values(self, q):
        stays, x = 1 - numbers(q["p"])[0], q["x"]
        values = [(1 - stays, 0), (stays, x / stays)]
        mean = sum(share * value for share, value in values)
        self.assertAlmostEqual(mean, x)
        self.near(q["variance"], sum(s * (v - mean) ** 2 for s, v in values))
        for _ in range(q["n"]):
            x *= stays
        self.near(q["shrunk"], x, 0.00051)

    def test_padding(self, q):
        mask = [int(i < q["a"]) for i in range(q["b"])]
        self.assertEqual(q["mask"], " ".join(map(str, mask)))
        self.near(q["share"], 100 * mask.count(0) / (2 * q["b"]), 0.051)
        shape = [int(n) for n in numbers(q["queries"])]
        self.assertEqual(shape[1] * shape[3], q["D"])

    def test_causal_by_comparing_positions(self, q):
        m, n = q["m"], q["n"]
        rows = [" ".join(str(int(key <= query)) for key in range(m + n))
                for query in range(m, m + n)]
        self.assertEqual(q["rows"], "; ".join(rows))
        self.assertEqual(q["without"], sum(range(1, q["T"] + 1)))

    def test_search(self, q):
        totals = [numbers(q[f"l{i}"])[0] for i in (1, 2, 3)]
        lengths = [q[f"n{i}"] for i in (1, 2, 3)]
        by_sum = max(range(3), key=lambda i: totals[i])  # noqa: B023
        by_mean = max(range(3), key=lambda i: totals[i] / lengths[i])  # noqa: B023
        self.assertEqual((q["by_sum"], q["by_mean"]), (by_sum, by_mean))
        self.near(q["means"], [t / n for t, n in zip(totals, lengths)])

    def test_bleu_by_counting(self, q):
        candidate, reference = q["candidate"].split(), q["reference"].split()
        for n, said in ((1, "clipped"), (2, "bigram")):
            grams = [Counter(zip(*(words[i:] for i in range(n))))
                     for words in (candidate, reference)]
            self.assertEqual(q[said], f"{sum((grams[0] & grams[1]).values())}"
                                      f"/{sum(grams[0].values())}")
        self.assertNotEqual(q["clipped"], q["unclipped"])
        r, c = len(reference), len(candidate)
        self.near(q["penalty"], 1.0 if c >= r else math.exp(1 - r / c), 0.00051)

    def test_adam_by_running_it(self, q):
        def last_step(rate, gradients):
            m = v = 0.0
            for t, g in enumerate(gradients, 1):
                m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
                step = rate * (m / (1 - 0.9 ** t)) / math.sqrt(v / (1 - 0.999 ** t))
            return abs(step)

        rate, g = numbers(q["rate"])[0], q["g"]
        self.assertAlmostEqual(last_step(rate, [g]), rate)
        self.assertAlmostEqual(last_step(rate, numbers(q["h"])), rate)
        self.assertAlmostEqual(last_step(rate, [g, g]), rate)
        self.near(q["second"], last_step(rate, [g, -g]), 5.1e-7)

    def test_memory_by_listing_keys(self, q):
        T, M = q["T"], q["M"]
        seen = [len([j for j in range(-M, T) if j <= i]) for i in range(T)]
        self.assertEqual(q["keys"], ", ".join(map(str, seen)))

    def test_memory_reach_by_following_each_state(self, q):
        now = 1000  # far enough from the beginning of the text
        states = {now}
        for _layer in range(q["L"]):  # a token at a time: its state, and those remembered
            states = {s - back for s in states for back in range(q["M"] + 1)}
        self.assertEqual(q["reach"], now - min(states))

    def test_each_alone_round_the_square(self, q):
        loss = {name: numbers(q[name])[0] for name in
                ("neither", "relative", "recurrence", "both", "gain", "harm", "more")}
        self.near(q["neither"], loss["relative"] + loss["gain"], 1e-9)
        self.near(q["recurrence"], loss["neither"] + loss["harm"], 1e-9)
        self.near(q["both"], loss["neither"] - loss["gain"] - loss["more"], 1e-9)
        self.assertEqual([loss[name] for name in ("both", "relative", "neither", "recurrence")],
                         sorted(list(loss.values())[:4]))

    def test_mixing_backward_by_moving_each_number(self, q):
        given = {name: numbers(q[name]) for name in ("q", "k1", "k2", "v1", "v2", "a", "do")}
        dz = numbers(q["dz"])
        dot = lambda x, y: sum(a * b for a, b in zip(x, y))  # noqa: E731
        a, da = given["a"], numbers(q["da"])
        slopes = [[a[i] * ((i == j) - a[j]) for j in range(2)] for i in range(2)]
        self.near(q["dz"], [dot(row, da) for row in slopes])  # the softmax's Jacobian
        self.assertGreater(abs(dz[0]), 0.1)
        ahead = dot(given["q"], given["k1"]) - dot(given["q"], given["k2"])
        self.assertEqual((ahead > 0) - (ahead < 0), (a[0] > a[1]) - (a[0] < a[1]))

        def outputs(of):  # do times o, and dz times both scores
            o = [of["a"][0] * a + of["a"][1] * b for a, b in zip(of["v1"], of["v2"])]
            return dot(of["do"], o), dot(dz, [dot(of["q"], of["k1"]), dot(of["q"], of["k2"])])

        for name, which in (("v1", 0), ("v2", 0), ("a", 0), ("q", 1), ("k1", 1)):
            slopes = []
            for i in range(2):
                moved = {key: list(each) for key, each in given.items()}
                moved[name][i] += 1  # linear in each
                slopes.append(outputs(moved)[which] - outputs(given)[which])
            self.near(q["d" + name], slopes)

    def test_drawing_by_its_logits(self, q):
        p = numbers(q["p"])
        self.assertAlmostEqual(sum(p), 1)
        logits = [math.log(each) / 0.5 for each in p]
        self.near(q["sharp"], exam_numbers.softmax(logits), 0.00051)
        kept = q["kept"].split(", ")
        self.assertEqual(kept, list("abcd")[:q["k"]])
        ratios = [a / p[0] for a in p[:q["k"]]]
        self.near(q["renewed"], [ratio / sum(ratios) for ratio in ratios], 0.00051)
        reached = ["abcd".index(letter) for letter in q["nucleus"].split(", ")]
        self.assertGreaterEqual(sum(p[i] for i in reached) + 1e-9, float(q["P"]))
        self.assertLess(sum(p[i] for i in reached[:-1]), float(q["P"]) - 0.01)

    def test_clusters_by_counting_a_hundred_tokens(self, q):
        V, D, H = (int(numbers(str(q[name]))[0]) for name in ("V", "D", "H"))
        self.near(q["full"], V * D)
        frequent = [D * (H + 1)] * q["share"]
        rare = [D * (H + 1) + D * (V - H)] * (100 - q["share"])
        self.near(q["head"], frequent[0])
        self.near(q["both"], rare[0])
        self.near(q["mean"], statistics.fmean(frequent + rare))

    def test_roof(self, q):
        self.near(q["ridge"], q["peak"] / q["band"])
        self.near(q["slow"], q["band"] * 1e9 / 8 / 1e9)
        self.near(q["tokens"], q["band"] * 1e9 / (q["N"] * 1e6 * 4), 0.51)

    def test_warps_by_their_addresses(self, q):
        n, b = int(numbers(q["n"])[0]), q["b"]
        starts = range(0, n, b)
        self.assertEqual(q["blocks"], len(starts))
        self.assertEqual(q["idle"], len([i for i in range(len(starts) * b) if i >= n]))
        self.assertEqual(q["segments"], len({4 * lane * q["stride"] // 128 for lane in range(32)}))


class Exam(unittest.TestCase):
    def test_numbers_are_rounded_as_by_hand(self):
        number = exam_numbers.number
        self.assertEqual(["−1.03", "31.3", "0.5", "0", "1,024", "1.540"],
                         [number(-1.025), number(31.25, 1), number(0.5), number(-0.001),
                          number(1024), number(1.54, 3, True)])

    def test_the_pools_have_the_same_questions(self):
        en, zh = exam.pool(False), exam.pool(True)
        self.assertEqual([(q.name, q.parts, q.chapter) for q in en],
                         [(q.name, q.parts, q.chapter) for q in zh])
        self.assertEqual([q.name for q in en], list(exam_numbers.NUMBERS))
        for ours, theirs in zip(en, zh):
            for part in ("text", "answer"):
                names = [sorted(set(re.findall(r"{(\w+)}", getattr(q, part))))
                         for q in (ours, theirs)]
                self.assertEqual(*names, ours.name)
                letters = [re.findall(r"\(([a-d])\)", getattr(q, part)) for q in (ours, theirs)]
                self.assertEqual(*letters, ours.name)
            self.assertEqual(re.findall(r"\([a-d]\)", ours.text),
                             re.findall(r"\([a-d]\)", ours.answer))
            self.assertEqual(len(re.findall(r"\([a-d]\)", ours.text)), len(ours.parts), ours.name)
            self.assertTrue(all(ours.parts), ours.name)

    def test_each_chapter_of_the_course_has_several_questions(self):
        counts = Counter(question.chapter for question in exam.pool(False))
        self.assertTrue(all(counts[chapter] >= 2 for chapter in exam.COURSE), counts)
        self.assertTrue(all(counts[chapter] >= 4 for chapter in (0, 1)), counts)

    def test_ninety_marks_of_every_chapter(self):
        for seed in SEEDS:
            asked = exam.exam(seed, 90, range(0, 9), False)
            self.assertEqual(sum(question.marks for question in asked), 90)
            self.assertEqual({question.chapter for question in asked}, set(range(0, 9)))
            self.assertFalse([q for q in asked if re.search(r"[{}]", q.text + q.answer)])

    def test_what_was_taught_is_covered(self):
        for marks, chapters in ((90, exam.COURSE), (45, exam.COURSE), (60, range(2, 7))):
            bounds = exam.least_and_most(set(chapters), marks)
            weeks = [min(exam.weeks_of(chapter), 2) for chapter in chapters]
            self.assertEqual(10 if chapters == exam.COURSE else 5, sum(weeks))
            for seed in range(200):
                of = Counter()
                for question in exam.exam(seed, marks, chapters, False):
                    of[question.chapter] += question.marks
                self.assertEqual(marks, sum(of.values()), seed)
                for chapter, (least, most) in bounds.items():
                    self.assertTrue(max(least, 1) <= of[chapter] <= most, (seed, chapter, of))

    def test_an_exam_too_short_for_its_chapters_says_what_it_leaves_out(self):
        run = teach("exam", "--marks", "20", "--seed", "3", "--en")
        asked = {int(n) for n in re.findall(r"marks, chapter (\d+)", run.stdout)}
        said = re.search(r"20 marks leave no room for questions on these chapters: ([\d, ]+)",
                         run.stdout)[1]
        self.assertEqual(set(exam.COURSE) - asked, {int(n) for n in said.split(", ")})
        self.assertNotIn("leave no room for questions", teach("exam", "--en").stdout)

    def test_another_seed_asks_other_questions(self):
        asked = [{q.name for q in exam.exam(seed, 90, exam.COURSE, False)} for seed in SEEDS]
        pool = [q for q in exam.pool(False) if q.chapter in exam.COURSE]
        self.assertEqual({q.name for q in pool}, set.union(*asked))
        shared = [len(a & b) / len(a) for a, b in zip(asked, asked[1:])]
        self.assertLess(statistics.fmean(shared), 0.75)
        for language, said in (("en", "{} questions, worth {} marks"), ("zh", "{} 道题，共 {} 分")):
            self.assertIn(said.format(len(pool), sum(q.marks for q in pool)),
                          " ".join(read(f"docs/{language}/teaching.md").split()))

    def test_both_languages_have_the_same_numbers(self):
        for seed in range(5):
            for en, zh in zip(exam.exam(seed, 90, range(0, 13), False),
                              exam.exam(seed, 90, range(0, 13), True)):
                self.assertEqual(en.name, zh.name)
                values = [Counter(re.findall(r"\d[\d.]*\d|\d", q.text.replace(",", "")))
                          for q in (en, zh)]
                self.assertFalse(values[0] - values[1], en.name)

    def test_no_blank_is_left_of_a_line_in_chinese(self):
        for seed in range(5):
            for question in exam.exam(seed, 90, range(0, 13), True):
                self.assertNotRegex(question.text + question.answer,
                                    r"[。，：；！？、（）] |[\u3400-\u9fff] [\u3400-\u9fff]")

    def test_a_seed_repeats_and_another_asks_for_other_numbers(self):
        first, again, other = (teach("exam", "--seed", seed, "--en").stdout for seed in "778")
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)
        self.assertNotIn("Answer:", first)
        self.assertEqual(teach("exam", "--seed", "7", "--answers", "--en").stdout.count("Answer:"),
                         len(re.findall(r"^  \d+  \d+ marks", first, re.MULTILINE)))

    def test_what_it_refuses(self):
        for typed in ([], ["exams"], ["exam", "--chapters", "4-2"], ["exam", "--chapters", "13"],
                      ["exam", "--marks", "-1"], ["exam", "--marks", "1"], ["exam", "--seed", "x"],
                      ["exam", "--chapters", "9"], ["exam", "--chapters", "12"]):
            run = teach(*typed, "--en")
            self.assertEqual((run.returncode, run.stdout), (2, ""), typed)
            self.assertRegex(run.stderr, "^learn: teach: ")
        short = teach("exam", "--chapters", "10", "--zh")
        self.assertIn("凑不成 90 分", short.stdout)


if __name__ == "__main__":
    unittest.main()

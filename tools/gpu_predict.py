#!/usr/bin/env python3
"""Predicts the time of a step on a GPU from what the emulator counts. Nothing here is measured.

    tools/gpu_predict.py [--bench PROGRAM] [--counts FILE]

The kernels of small models are counted by `bench ... --count` (minutes), or taken from FILE, a
record of earlier counts, which is extended. What a kernel reads and writes is a polynomial in
the sizes of the model: the width D (d_ff = 4 D, 8 heads), the layers L, the batch B,
the vocabulary V, in Transformer-XL the segment T, as long as the memory. Which products of sizes
it has is known (MODELS, below); as many small models as there are of them give the
coefficients, and these the counts of the large model. Sums over rows, as of a bias's gradient,
take a second launch above 128 rows, which is added, as the small models have fewer; the partial
sums that it reads are left out, below 1 % of all bytes.

A prediction is a roofline: a kernel's time is the larger of its bytes over 70 % of the bandwidth
and its operations over 70 % of the peak, those of products and attention alone; a launch takes
4 microseconds of the host, an assumption; a step takes the larger of the two sums.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Published for the H200 SXM, without sparsity: bytes a second, operations a second.
BANDWIDTH = 4.8e12
PEAKS = {"float32": 67e12, "tf32": 494.5e12}
SHARE = 0.7
LAUNCH = 4e-6  # seconds: assumed
PRODUCTS = "cublasGemm"
LAUNCH_TERMS = ("", "L", "B", "LB")


@dataclass(frozen=True)
class Model:
    """What is counted: bench's words, and how they grow with the sizes."""

    words: object  # sizes -> bench's words
    terms: tuple  # of the polynomial: products of sizes, "" for the constant
    counted: tuple  # sizes of as many small models
    sizes: dict  # of the large one, but for the batch
    products: object  # (layers, batch) -> operations of the products of a step
    attention: dict  # kernel -> operations for each layer and element of the batch


def base_products(layers: int, batch: int) -> float:
    d, ff, rows, vocabulary = 512, 2048, 32 * batch, 8000
    of_layers = layers * (4 * d * d + 2 * d * ff + 8 * d * d + 2 * d * ff)
    return 3 * 2.0 * rows * (of_layers + d * vocabulary)


def xl_products(layers: int, batch: int) -> float:
    d, ff, t, s, vocabulary = 256, 1024, 150, 300, 65
    of_layer = batch * (2 * d * d * (t + s) + 2 * d * ff * t + 3 * d * t * s) + d * d * s
    return 3 * 2.0 * (layers * of_layer + batch * d * vocabulary * t)


def decode_products(layers: int, batch: int) -> float:
    d, ff, vocabulary = 512, 2048, 8000
    return 2.0 * batch * (layers * (6 * d * d + 2 * d * ff) + d * vocabulary)


def square(products: int) -> float:
    """Three attentions of a pair of layers, 32 queries by 32 keys, heads of D = 512 in all: one
    tile, of which a block computes the backward in five products (of more tiles: seven)."""
    return 3 * products * 2.0 * 32 * 32 * 512


def words_of(command: str, *more: str):
    flags = {"D": ["--d-model"], "L": ["--layers"], "B": ["--batch"],
             "T": ["--tgt-len", "--mem-len"],
             "V": ["--vocab"] if command == "xl" else ["--src-vocab", "--tgt-vocab"]}

    def words(sizes: dict) -> list:
        named = [[flag, str(size)] for name, size in sizes.items() for flag in flags[name]]
        return [command, *more, "--d-ff", str(4 * sizes["D"]), *sum(named, [])]

    return words


def small(names: str, *sizes: tuple) -> tuple:
    return tuple(dict(zip(names, each)) for each in sizes)


PLANES = ("", "D", "DD", "B", "BD")  # of the layers together, and of each
OF_BATCH = (*PLANES, *("L" + term for term in PLANES), "V", "VD", "VB")
SMALL = small("DLBV", *((d, layers, b, 96) for layers in (1, 2)
                        for d, b in ((64, 2), (128, 2), (192, 2), (64, 4), (128, 4))),
              (64, 1, 2, 192), (128, 1, 2, 192), (64, 1, 4, 192))
OF_SEGMENTS = tuple(of + term for of in ("", "L")
                    for term in ("", "D", "DD", "T", "DT", "B", "BT", "BTD", "BTT"))
SMALL_SEGMENTS = small("DLBTV", *((d, layers, b, t, 64) for layers in (1, 2)
                                  for d, b, t in ((64, 2, 16), (128, 2, 16), (192, 2, 16),
                                                  (64, 2, 32), (128, 2, 32), (64, 3, 16),
                                                  (64, 3, 32), (128, 3, 16), (64, 2, 48))))
BASE = {"D": 512, "L": 6, "V": 8000}
LENGTHS = ("--src-len", "32", "--tgt-len", "32")
MODELS = {
    "train": Model(words_of("train", "--preset", "base", *LENGTHS), OF_BATCH, SMALL, BASE,
                   base_products,
                   {"attend_tiles": square(2), "attend_tiles_backward": square(5)}),
    "xl": Model(words_of("xl", "--preset", "medium"), OF_SEGMENTS, SMALL_SEGMENTS,
                {"D": 256, "L": 6, "T": 150}, xl_products, {}),
    "decode": Model(words_of("decode", "--preset", "base", "--src-len", "32", "--tgt-len", "16"),
                    OF_BATCH, SMALL, BASE, decode_products, {}),
}
# What is predicted: a title, the model, the batch.
ROWS = (("train --preset base, 4,096 tokens", "train", 128),
        ("train --preset base, 25,088 tokens", "train", 784),
        ("xl --preset medium, 9,000 tokens", "xl", 60),
        ("decode --preset base, a token of 64 sentences", "decode", 64))


def value(term: str, sizes: dict) -> float:
    found = 1.0
    for name in term:
        found *= sizes[name]
    return found


def shares(terms: tuple, counted: tuple, sizes: dict) -> list:
    """How much of the counts at each of the small sizes add up to those at `sizes`.

    sum over i of share_i term(counted_i) = term(sizes) for every term, by Gauss's elimination.
    """
    rows = [[value(term, each) for each in counted] + [value(term, sizes)] for term in terms]
    for i in range(len(rows)):
        best = max(range(i, len(rows)), key=lambda r: abs(rows[r][i]))
        if abs(rows[best][i]) < 1e-9:
            raise ValueError("the small models do not tell the terms apart")
        rows[i], rows[best] = rows[best], rows[i]
        rows[i] = [number / rows[i][i] for number in rows[i]]
        for r, row in enumerate(rows):
            if r != i:
                rows[r] = [a - row[i] * b for a, b in zip(row, rows[i])]
    return [row[-1] for row in rows]


def grown(model: Model, at, sizes: dict) -> dict:
    """kernel -> [launches, bytes] of a large model; at(sizes) are those of a small one.

    Launches depend on layers and batch alone.
    """
    total: dict = {}
    narrow = [each for each in model.counted
              if all(each[name] == model.counted[0][name] for name in each if name not in "LB")]
    for number, (terms, counted) in enumerate(((LAUNCH_TERMS, narrow),
                                               (model.terms, model.counted))):
        for share, each in zip(shares(terms, counted, sizes), counted):
            for kernel, numbers in at(each).items():
                total.setdefault(kernel, [0.0, 0.0])[number] += share * numbers[number]
    return total


class Counter:
    """bench's counts, of which each is asked for once."""

    def __init__(self, bench: str, record: Path | None) -> None:
        self.bench, self.record = bench, record
        self.known = json.loads(record.read_text()) if record and record.exists() else {}

    def of(self, words: list) -> dict:
        name = " ".join(words)
        if name not in self.known:
            answer = subprocess.run([self.bench, *words, "--device", "cuda-emulated", "--count"],
                                    stdout=subprocess.PIPE, text=True, check=True)
            kernels = json.loads(answer.stdout.splitlines()[-1])["kernels"]
            self.known[name] = {kernel: [n["launches"], n["bytes_read"] + n["bytes_written"]]
                                for kernel, n in kernels.items()}
            if self.record:
                self.record.write_text(json.dumps(self.known, indent=1, sort_keys=True) + "\n")
        return self.known[name]


def counts_of(counter: Counter, model: Model, batch: int) -> dict:
    counts = grown(model, lambda sizes: counter.of(model.words(sizes)), {**model.sizes, "B": batch})
    for kernel in ("sum_columns", "weight_gradients"):
        if kernel in counts:
            counts[kernel][0] *= 2
    return counts


def predicted(model: Model, counts: dict, batch: int, precision: str) -> dict:
    """Seconds: of memory and arithmetic together, of launches, and of the step."""
    work = 0.0
    for kernel, (_, size) in counts.items():
        seconds = size / (SHARE * BANDWIDTH)
        operations = peak = 0.0
        if kernel == PRODUCTS:
            operations, peak = model.products(model.sizes["L"], batch), PEAKS[precision]
        elif kernel in model.attention:
            operations = model.attention[kernel] * model.sizes["L"] * batch
            peak = PEAKS["float32"]
        work += max(seconds, operations / (SHARE * peak) if peak else 0.0)
    launches = sum(count for count, _ in counts.values())
    return {"launches": round(launches), "bytes": sum(size for _, size in counts.values()),
            "work": work, "host": LAUNCH * launches, "step": max(work, LAUNCH * launches)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", default=str(ROOT / "build/release/bin/bench"))
    parser.add_argument("--counts", type=Path, help="a record of earlier counts, extended")
    options = parser.parse_args()
    counter = Counter(options.bench, options.counts)
    print(f"{'one step':46} precision launches       MB  work ms  host ms  step ms")
    for title, name, batch in ROWS:
        counts = counts_of(counter, MODELS[name], batch)
        for precision in PEAKS:
            found = predicted(MODELS[name], counts, batch, precision)
            print(f"{title:46} {precision:9} {found['launches']:8,} {found['bytes'] / 1e6:8,.0f} "
                  f"{1e3 * found['work']:8.2f} {1e3 * found['host']:8.2f} "
                  f"{1e3 * found['step']:8.2f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

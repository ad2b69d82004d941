"""The values that an exam's seed draws for each question of the pool, and the results that follow:
one for each placeholder in docs/exam. A test recalculates them in another way."""

from __future__ import annotations

import math
import random
from decimal import ROUND_HALF_UP, Decimal


def number(value: float, digits: int = 2, zeros: bool = False) -> str:
    """Rounded half up, 1.025 to 1.03; without trailing zeros, so 0.50 is 0.5, unless they are asked
    for; with a minus sign, not a hyphen."""
    exact = Decimal(repr(round(float(value), 9)))  # removes binary rounding errors
    text = f"{exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP):,f}"
    text = text.rstrip("0").rstrip(".") if "." in text and not zeros else text
    return (text if text.strip("-0.") else text.lstrip("-")).replace("-", "−")


def vector(values, digits: int = 2, zeros: bool = False) -> str:
    return "(" + ", ".join(number(value, digits, zeros) for value in values) + ")"


def softmax(scores: list[float]) -> list[float]:
    largest = max(scores)
    powers = [math.exp(score - largest) for score in scores]
    return [power / sum(powers) for power in powers]


def mixed(weights: list[float], values: list[tuple]) -> list[float]:
    return [sum(w * v[i] for w, v in zip(weights, values)) for i in range(len(values[0]))]


def surprise(draw: random.Random) -> dict:
    p = [draw.choice([0.05, 0.1, 0.2, 0.25, 0.4, 0.5, 0.8, 0.9]) for _ in range(4)]
    V = draw.choice([50, 200, 1000, 5000, 8000])
    loss = sum(-math.log(value) for value in p) / 4
    return {"p": ", ".join(map(number, p)), "V": number(V), "loss": number(loss),
            "perplexity": number(math.exp(loss)), "guess": number(math.log(V))}


def sum_of_uses(draw: random.Random) -> dict:
    a, b, x = draw.sample(range(2, 8), 3)
    return {"a": a, "b": b, "x": x, "first": a * x, "total": 2 * a * x + b}


def descent(draw: random.Random) -> dict:
    x, rates = draw.choice([(1, [0.1, 0.2, 0.4]), (2, [0.05, 0.1, 0.2]), (4, [0.01, 0.02, 0.05]),
                            (5, [0.01, 0.03])])
    w, rate = draw.randint(1, 3), draw.choice(rates)
    miss = draw.choice([-4, -3, -2, -1, 1, 2, 3, 4])  # w x - y
    after = miss * (1 - 2 * x * x * rate)
    return {"x": x, "w": w, "y": number(w * x - miss), "rate": number(rate),
            "gradient": number(2 * miss * x), "next": number(w - rate * 2 * miss * x, 4),
            "before": number(miss * miss), "after": number(after * after, 4),
            "limit": number(1 / (x * x), 4)}


def curves(draw: random.Random) -> dict:
    n, best = 6, draw.randint(2, 4)
    training, held = [draw.randint(230, 290)], [draw.randint(240, 300)]
    for epoch in range(2, n + 1):
        training.append(training[-1] - draw.randint(8, 30))
        held.append(held[-1] + draw.randint(4, 20) * (-1 if epoch <= best else 1))
    listed = lambda losses: ", ".join(number(loss / 100, 2, True) for loss in losses)  # noqa: E731
    return {"n": n, "training": listed(training), "held": listed(held), "best": best,
            "perplexity": number(math.exp(held[best - 1] / 100))}


def difference(draw: random.Random) -> dict:
    c, x, h = draw.randint(2, 5), draw.randint(1, 4), 0.1
    off, one_off = c * h * h, c * (3 * x * h + h * h)
    slope = 3 * c * x * x
    return {"c": c, "x": x, "slope": slope, "both": number(slope + off), "both_off": number(off),
            "one": number(slope + one_off), "one_off": number(one_off)}


def position(draw: random.Random) -> dict:
    t, d = draw.randint(0, 9), draw.randint(1, 5)
    return {"t": t, "s": t + d, "d": d, "dot": number(math.cos(d) + math.cos(d / 100), 3, True)}


def lookup(draw: random.Random) -> dict:
    V, D, n = draw.choice([8000, 10000, 32000]), draw.choice([64, 256, 1024]), draw.randint(2, 5)
    u = draw.randint(20, 90)
    return {"V": number(V), "D": D, "n": n, "u": u, "parameters": number(V * D),
            "factor": n * math.isqrt(D), "rest": number(V - u)}


def scale(draw: random.Random) -> dict:
    D = draw.choice([16, 32, 64, 128, 256, 512])
    return {"D": D, "half": D // 2, "without": number(100 / (1 + D / 2), 1),
            "with_it": number(200 / 3, 1)}


def turn(draw: random.Random) -> dict:
    a, b = draw.sample([(3, 4, 5), (4, 3, 5), (7, 24, 25), (24, 7, 25), (-3, 4, 5), (4, -3, 5)], 2)
    (s, c), (sk, ck) = ((sine / length, cosine / length) for sine, cosine, length in (a, b))
    values = {"s": s, "c": c, "sk": sk, "ck": ck, "minus": -sk,
              "sin": s * ck + c * sk, "cos": c * ck - s * sk}
    return {name: number(value, 4) for name, value in values.items()}


def attention_by_hand(draw: random.Random) -> dict:
    pair = lambda: (draw.randint(-1, 2), draw.randint(-1, 2))  # noqa: E731
    while True:
        q, keys, values = pair(), [pair() for _ in range(3)], [pair() for _ in range(3)]
        scores = [(q[0] * k[0] + q[1] * k[1]) / math.sqrt(2) for k in keys]
        if len(set(scores)) == 3 and len(set(values)) == 3:
            break
    weights, masked = softmax(scores), [*softmax(scores[:2]), 0.0]
    return {"q": vector(q), **{f"k{i}": vector(k) for i, k in enumerate(keys, 1)},
            **{f"v{i}": vector(v) for i, v in enumerate(values, 1)},
            "scores": vector(scores, 2, True), "weights": vector(weights, 2, True),
            "output": vector(mixed(weights, values), 2, True), "masked": vector(masked, 2, True),
            "masked_output": vector(mixed(masked, values), 2, True),
            "sharp": vector(softmax([100 * score for score in scores]))}


def score(draw: random.Random) -> dict:
    s, d = draw.choice([1, 2, 4, 9]), draw.choice([16, 64, 100, 256])
    return {"s": s, "d": d, "variance": d * s * s, "divisor": s * math.isqrt(d)}


def cost(draw: random.Random) -> dict:
    D, m = draw.choice([128, 256, 512, 1024]), draw.randint(3, 9)
    return {"D": D, "equal": number(2 * D), "m": m, "m2": m * m}


def masks(draw: random.Random) -> dict:
    S = draw.randint(5, 8)
    n = draw.randint(2, S - 3)
    r = draw.randint(n + 1, S - 1)  # a row in which both masks hide something
    return {"S": S, "n": n, "r": r, "ones": S * (S + 1) // 2,
            "row": " ".join(["1"] * n + ["0"] * (S - n))}


def heads(draw: random.Random) -> dict:
    H, width, B, T = draw.choice([2, 4, 8]), draw.choice([8, 16, 64]), *draw.sample(range(2, 9), 2)
    h = draw.randrange(H)
    return {"D": H * width, "H": H, "B": B, "T": T, "h": h, "first": h * width,
            "last": (h + 1) * width - 1, "shape": vector([B, H, T, width]),
            "parameters": number((H * width) ** 2)}


def softmax_backward(draw: random.Random) -> dict:
    rows = [[0.5, 0.3, 0.2], [0.6, 0.3, 0.1], [0.6, 0.2, 0.2], [0.5, 0.4, 0.1], [0.7, 0.2, 0.1]]
    a, da = draw.choice(rows), draw.sample(range(-3, 5), 3)
    draw.shuffle(a)
    mean = sum(weight * gradient for weight, gradient in zip(a, da))
    return {"a": vector(a), "da": vector(da), "mean": number(mean),
            "dz": vector([weight * (gradient - mean) for weight, gradient in zip(a, da)])}


def norm_by_hand(draw: random.Random) -> dict:
    while True:
        x = [draw.randint(-3, 5) for _ in range(4)]
        if sum(x) % 4 == 0 and len(set(x)) > 2:
            break
    mean = sum(x) / 4
    squares = sum((value - mean) ** 2 for value in x)
    y = [(value - mean) / math.sqrt(squares / 4) for value in x]
    return {"x": vector(x), "m": draw.randint(2, 9), "y": vector(y, 3, True),
            "unbiased": vector([value * math.sqrt(3 / 4) for value in y], 3, True)}


def paths(draw: random.Random) -> dict:
    L = draw.choice([8, 12, 24, 35, 48])
    return {"L": L, "sigma": number(math.sqrt(1 + L))}


def parameters(draw: random.Random) -> dict:
    D, H = draw.choice([128, 256, 512]), draw.choice([4, 8])
    F = D * draw.choice([2, 3, 4])
    attention, feed_forward = 4 * D * D + 4 * D, 2 * D * F + F + D
    return {"D": D, "F": number(F), "H": H, "attention": number(attention),
            "feed_forward": number(feed_forward),
            "layer": number(attention + feed_forward + 4 * D)}


def dropout(draw: random.Random) -> dict:
    x, p, n = draw.choice([2, 3, 4, 6]), draw.choice([0.1, 0.2, 0.25, 0.5]), draw.randint(4, 12)
    q = 1 - p
    return {"x": x, "p": number(p), "q": number(q), "kept": number(x / q), "n": n,
            "variance": number(x * x * p / q), "shrunk": number(x * q ** n, 3)}


def padding(draw: random.Random) -> dict:
    a, b, H = draw.randint(2, 5), draw.randint(6, 9), draw.choice([2, 4, 8])
    D = H * draw.choice([4, 8, 16])
    return {"a": a, "b": b, "D": D, "H": H, "queries": vector([2, H, b, D // H]),
            "weights": vector([2, H, b, b]), "output": vector([2, b, D]),
            "mask": " ".join(["1"] * a + ["0"] * (b - a)),
            "share": number(100 * (b - a) / (2 * b), 1)}


def leak(draw: random.Random) -> dict:
    n, p, m, s = draw.randint(3, 6), draw.randint(2, 6), draw.randint(5, 20), draw.randint(1, 2)
    share = lambda padding: number(100 * padding / (n * math.exp(s) + padding), 1)  # noqa: E731
    return {"n": n, "p": p, "m": m, "s": s, "share": share(p), "more": share(p + m)}


def causal(draw: random.Random) -> dict:
    n, m, T = draw.randint(2, 3), draw.randint(1, 4), draw.choice([10, 20, 30, 50])
    rows = [" ".join(["1"] * (m + i + 1) + ["0"] * (n - i - 1)) for i in range(n)]
    return {"n": n, "m": m, "T": T, "rows": "; ".join(rows), "cached": m + n,
            "without": T * (T + 1) // 2}


def cache_size(draw: random.Random) -> dict:
    L, D, k = draw.choice([2, 4, 6]), draw.choice([128, 256, 512]), draw.choice([3, 4, 5])
    T, S = draw.sample(range(10, 60, 5), 2)
    own, cross = 8 * L * T * D, 8 * L * S * D
    return {"L": L, "D": D, "T": T, "S": S, "k": k, "own": number(own), "cross": number(cross),
            "beam": number(k * (own + cross))}


def own_words(draw: random.Random) -> dict:
    r, n = draw.choice([0.7, 0.8, 0.9, 0.95]), draw.choice([5, 8, 10, 20])
    return {"r": number(r), "n": n, "all": number(r ** n, 4), "wrong": number(n * (1 - r))}


def shifted(draw: random.Random) -> dict:
    words = draw.choice(["a b c d", "x y z", "p q r s t", "k l m"])
    return {"words": words, "r": draw.randint(70, 95)}


def search(draw: random.Random) -> dict:
    while True:
        lengths = sorted(draw.sample(range(3, 13), 3))
        sums = [-draw.randint(20, 80) / 10 for _ in lengths]
        means = [total / length for total, length in zip(sums, lengths)]
        by_sum, by_mean = sums.index(max(sums)), means.index(max(means))
        if by_sum != by_mean and len(set(sums)) == 3 and len(set(map(number, means))) == 3:
            break
    numbers = {f"l{i}": number(total, 1) for i, total in enumerate(sums, 1)}
    return {**numbers, **{f"n{i}": length for i, length in enumerate(lengths, 1)},
            "by_sum": by_sum, "by_mean": by_mean, "means": ", ".join(map(number, means))}


def bleu(draw: random.Random) -> dict:
    n, reference = draw.randint(3, 4), ["the", "cat", *draw.choice([["sat", "on"], ["is", "on"]]),
                                        "the", *draw.choice([["mat"], ["red", "mat"]])]
    candidate = ["the"] * n + ["cat", reference[2]]
    seen = set(zip(reference, reference[1:]))
    pairs = list(zip(candidate, candidate[1:]))
    penalty = min(1.0, math.exp(1 - len(reference) / len(candidate)))
    known = min(n, 2) + 2
    return {"candidate": " ".join(candidate), "reference": " ".join(reference),
            "clipped": f"{known}/{n + 2}", "unclipped": f"{n + 2}/{n + 2}",
            "bigram": f"{len({p for p in pairs if p in seen})}/{len(pairs)}",
            "penalty": number(penalty, 3)}


def adam(draw: random.Random) -> dict:
    rate, g, h = draw.choice([0.001, 0.002, 0.01]), draw.choice([2, 3, 5]), draw.choice([0.01, 40])
    return {"rate": number(rate, 3), "g": g, "h": number(h), "m": f"0.09 · {g} − 0.1 · {g}",
            "second": number(rate * 0.01 / 0.19, 6)}


def smoothing(draw: random.Random) -> dict:
    V, e = draw.choice([4, 5, 8, 10]), draw.choice([0.1, 0.2])
    right, other = 1 - e + e / V, e / V
    least = -right * math.log(right) - (V - 1) * other * math.log(other)
    return {"V": V, "e": number(e), "right": number(right, 4), "other": number(other, 4),
            "uniform": number(math.log(V), 3), "least": number(least, 3)}


def merges(draw: random.Random) -> dict:
    while True:
        texts = draw.choice([["low", "lot", "slow"], ["hat", "that", "chat"],
                             ["new", "now", "snow"], ["ten", "tent", "net"]])
        counts = draw.sample(range(2, 10), 3)
        pieces, found = [list(word) for word in texts], []
        for _ in range(2):
            pairs: dict[tuple, int] = {}
            for parts, count in zip(pieces, counts):
                for pair in zip(parts, parts[1:]):
                    pairs[pair] = pairs.get(pair, 0) + count
            best = max(pairs, key=pairs.__getitem__)
            found.append((best, pairs[best], list(pairs.values()).count(pairs[best])))
            pieces = [joined(parts, best) for parts in pieces]
        if all(equals == 1 for *_, equals in found):
            break
    (p1, c1, _), (p2, c2, _) = found
    return {**{f"w{i}": word for i, word in enumerate(texts, 1)},
            **{f"n{i}": count for i, count in enumerate(counts, 1)},
            "p1": " + ".join(p1), "c1": c1, "p2": " + ".join(p2), "c2": c2,
            "pieces": " ".join(pieces[2])}


def joined(parts: list[str], pair: tuple) -> list[str]:
    """Joins the pair wherever it occurs, from the left."""
    out: list[str] = []
    for part in parts:
        if out and (out[-1], part) == pair:
            out[-1] += part
        else:
            out.append(part)
    return out


def schedule(draw: random.Random) -> dict:
    K, peak = draw.choice([100, 200, 400]), draw.choice([0.001, 0.002, 0.004])
    part, times = draw.choice([2, 4, 5]), draw.choice([4, 9, 16])
    return {"K": K, "peak": number(peak, 3), "early": K // part, "late": number(K * times),
            "rising": number(peak / part, 6), "falling": number(peak / math.sqrt(times), 6)}


def four_terms(draw: random.Random) -> dict:
    q, k, r, u, v = ([draw.randint(-2, 3), draw.randint(-2, 3)] for _ in range(5))
    dot = lambda x, y: x[0] * y[0] + x[1] * y[1]  # noqa: E731
    a, b, c, d = dot(q, k), dot(q, r), dot(u, k), dot(v, r)
    return {**{name: vector(each) for name, each in zip("qkruv", (q, k, r, u, v))},
            **{name: number(each) for name, each in zip("abcd", (a, b, c, d))},
            "first": number(a + c), "second": number(b + d), "total": number(a + b + c + d)}


def memory(draw: random.Random) -> dict:
    T, M, L = draw.randint(3, 5), draw.choice([2, 4, 6]), draw.choice([2, 4, 12])
    first, second = "abc", "def"
    return {"T": T, "M": M, "L": L, "keys": ", ".join(str(M + i + 1) for i in range(T)),
            "reach": L * M, "r1": "(" + ", ".join(first) + ")", "r2": "(" + ", ".join(second) + ")",
            "s1": "(" + ", ".join([*first[1:], "—"]) + ")",
            "s2": "(" + ", ".join(second) + ")"}


def each_alone(draw: random.Random) -> dict:
    neither = draw.randint(240, 290)
    relative, recurrence = neither - draw.randint(8, 18), neither + draw.randint(9, 30)
    both = relative - draw.randint(3, 7)
    losses = {"neither": neither, "relative": relative, "recurrence": recurrence, "both": both,
              "gain": neither - relative, "harm": recurrence - neither, "more": relative - both}
    return {name: number(loss / 100) for name, loss in losses.items()}


def mixing_backward(draw: random.Random) -> dict:
    times = lambda x, v: vector([x * each for each in v])  # noqa: E731
    dot = lambda x, y: x[0] * y[0] + x[1] * y[1]  # noqa: E731
    z = 0
    while z == 0:  # equal gradients would cancel
        q, k1, k2, v1, v2, do = ([draw.randint(-2, 2), draw.randint(1, 3)] for _ in range(6))
        ahead = dot(q, k1) - dot(q, k2)  # the larger score gets the larger weight
        share = draw.choice([0.6, 0.8] if ahead > 0 else [0.2, 0.4]) if ahead else 0.5
        z = share * (1 - share) * (dot(do, v1) - dot(do, v2))
    return {**{name: vector(each) for name, each in
               {"q": q, "k1": k1, "k2": k2, "v1": v1, "v2": v2, "do": do, "a": [share, 1 - share],
                "dz": [z, -z], "da": [dot(do, v1), dot(do, v2)]}.items()},
            "dv1": times(share, do), "dv2": times(1 - share, do), "dk1": times(z, q),
            "dq": times(z, [a - b for a, b in zip(k1, k2)])}


def drawing(draw: random.Random) -> dict:
    p = draw.choice([[10, 5, 3, 2], [9, 6, 4, 1], [8, 7, 3, 2], [12, 4, 3, 1], [11, 6, 2, 1]])
    k, P = draw.choice([2, 3]), draw.choice([0.5, 0.7, 0.78, 0.92])
    squares = [each * each for each in p]
    reached = next(n for n in range(1, 5) if sum(p[:n]) >= 20 * P - 1e-9)
    return {"p": vector([each / 20 for each in p]), "k": k, "P": number(P),
            "sharp": vector([each / sum(squares) for each in squares], 3),
            "kept": ", ".join("abcd"[:k]), "nucleus": ", ".join("abcd"[:reached]),
            "renewed": vector([each / sum(p[:k]) for each in p[:k]], 3)}


def clusters(draw: random.Random) -> dict:
    V, H = draw.choice([10000, 20000, 50000]), draw.choice([1000, 2000])
    D, share = draw.choice([100, 200, 500]), draw.choice([75, 80, 90, 95])
    head, tail = (H + 1) * D, (V - H) * D
    return {"V": number(V), "D": D, "H": number(H), "share": share, "rare": 100 - share,
            "full": number(V * D), "head": number(head), "rest": number(V - H),
            "tail": number(tail), "both": number(head + tail),
            "mean": number(head + tail * (100 - share) / 100)}


def roof(draw: random.Random) -> dict:
    peak, band = draw.choice([80, 100, 240, 400]), draw.choice([10, 20, 40])
    N = draw.choice([50, 100, 250, 500])
    size = N * 4 / 1000  # GB
    return {"peak": peak, "band": band, "ridge": number(peak / band), "slow": number(band / 8),
            "N": N, "bytes": number(size), "tokens": number(band / size, 0)}


def warps(draw: random.Random) -> dict:
    b, n, stride = draw.choice([128, 256]), draw.randint(700, 5000), draw.choice([1, 2, 4, 32])
    blocks = -(-n // b)
    return {"n": number(n), "b": b, "blocks": blocks, "idle": blocks * b - n, "stride": stride,
            "segments": min(32, stride)}


NUMBERS = {function.__name__.replace("_", " "): function for function in (
    surprise, sum_of_uses, descent, curves, difference, position, lookup, scale, turn,
    attention_by_hand, score, cost, masks, heads, softmax_backward, mixing_backward, norm_by_hand,
    paths, parameters, dropout, padding, leak, causal, cache_size, own_words, shifted, search, bleu,
    adam, smoothing, merges, schedule, memory, four_terms, each_alone, drawing, clusters, roof,
    warps)}

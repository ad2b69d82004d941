"""Makes the goldens that tests/ compares the engine with, from PyTorch alone.

Everything is computed in float64 from inputs rounded to float32, and stored as float32, so the
goldens carry no rounding of their own. Parameters have the names of the layers' visit() lists.

    python reference.py            writes {ops,layers,transformer}.safetensors; of a tensor that
                                   agrees with the file, the bytes stay
    python reference.py --check    makes them again and compares with the committed files

Needs torch, numpy, safetensors (made with torch 2.13; only public operations are used).

Names in the files: CASE/x for inputs, CASE/y and CASE/dy for the output and its upstream gradient,
CASE/dx for the gradient of an input, CASE/param/NAME and CASE/grad/NAME for a layer's parameters.
Ids and masks are stored as float32 too.
"""

import math
import pathlib
import sys
import zlib

from needed import needed

with needed():
    import numpy as np
    import torch
    import torch.nn.functional as F
    from safetensors.numpy import load_file, save_file
    # Before 2.5 a query that may attend to nothing gave NaN.
    if tuple(map(int, torch.__version__.split(".")[:2])) < (2, 5):
        raise ImportError(f"torch {torch.__version__} is older than 2.5")

HERE = pathlib.Path(__file__).parent
PAD = 0


class Case:
    """Collects the tensors of one case; its random numbers depend on its name only."""

    def __init__(self, goldens, name):
        self.goldens, self.name = goldens, name
        self.random = np.random.Generator(np.random.PCG64(zlib.crc32(name.encode())))

    def put(self, name, value):
        array = np.asarray(value.detach() if torch.is_tensor(value) else value, np.float32)
        self.goldens[f"{self.name}/{name}"] = np.array(array, order="C")  # a scalar stays ()

    def normal(self, *shape, scale=1.0, mean=0.0):
        values = (mean + scale * self.random.standard_normal(shape)).astype(np.float32)
        return torch.tensor(values, dtype=torch.float64)

    def leaf(self, name, *shape, **how):
        """A random input whose gradient is wanted."""
        value = self.normal(*shape, **how).requires_grad_()
        self.put(name, value)
        return value

    def ids(self, name, values):
        self.put(name, np.array(values))
        return torch.tensor(values)

    def mask(self, name, values):
        self.put(name, np.array(values))
        return torch.tensor(values, dtype=torch.bool)

    def finish(self, y, params=None, **leaves):
        """Stores y, a random dy, and what follows from it for the leaves and the parameters."""
        dy = self.normal(*y.shape)
        self.put("y", y)
        self.put("dy", dy)
        (y * dy).sum().backward()
        for name, leaf in leaves.items():
            self.put("d" + name, leaf.grad)
        self.put_parameters(params or {})

    def put_parameters(self, params):
        for name, value in params.items():
            self.put("param/" + name, value)
            self.put("grad/" + name, value.grad)

    def leaves(self, shapes):
        """Leaves of these shapes, or of a shape and how its numbers are drawn: (shape, {…})."""
        known = {name: shape if isinstance(shape[-1], dict) else (shape, {})
                 for name, shape in shapes.items()}
        return {name: self.leaf(name, *shape, **how) for name, (shape, how) in known.items()}


# --- ops ---------------------------------------------------------------------------------------


def masked_softmax(x, allowed):
    """Softmax among the allowed entries; a row without any is zero, and so are its gradients."""
    some = allowed.any(-1, keepdim=True)
    scores = x.masked_fill(~allowed & some, -math.inf)
    return scores.softmax(-1) * some


def op_case(new, name, f, given=None, **shapes):
    """y = f of leaves of these shapes, in this order, and of what is given besides: name -> shape
    of random numbers, or ids."""
    c = new(name)
    leaves, besides = c.leaves(shapes), []
    for n, what in (given or {}).items():
        besides.append(c.normal(*what) if isinstance(what, tuple) else torch.tensor(what))
        c.put(n, besides[-1])
    c.finish(f(*leaves.values(), *besides), **leaves)


def elementwise_cases(new):
    op_case(new, "add.same", torch.add, a=(2, 5, 3), b=(2, 5, 3))
    op_case(new, "add.repeated", torch.add, a=(2, 5, 3), b=(5, 3))
    op_case(new, "multiply", torch.mul, a=(2, 5, 3), b=(2, 5, 3))
    op_case(new, "scale", lambda x: -1.75 * x, x=(2, 5, 3))
    op_case(new, "scale_rows", lambda x, factors: factors[..., None] * x, {"factors": (2, 5)},
            x=(2, 5, 3))
    for name, f in [("relu", F.relu), ("gelu", F.gelu), ("silu", F.silu),
                    ("gelu_tanh", lambda x: F.gelu(x, approximate="tanh")),
                    ("sigmoid", torch.sigmoid), ("tanh", torch.tanh)]:
        op_case(new, name, f, x=((7, 43), {"scale": 3.0}))


def product_cases(new):
    for rank, lead in [(2, ()), (3, (3,)), (4, (2, 3))]:
        op_case(new, f"matmul.no.{rank}", torch.matmul, a=(*lead, 5, 4), b=(*lead, 4, 7))
        op_case(new, f"matmul.yes.{rank}", lambda a, b: a @ b.mT, a=(*lead, 5, 4), b=(*lead, 7, 4))
    op_case(new, "matmul.large", torch.matmul, a=(33, 70), b=(70, 21))
    op_case(new, "linear.bias", F.linear, x=(2, 5, 6), weight=(7, 6), bias=(7,))
    op_case(new, "linear.no_bias", F.linear, x=(3, 6), weight=(7, 6))


def row_cases(new):
    wide, gains = {"scale": 2.0}, {"scale": 0.3, "mean": 1.0}
    op_case(new, "softmax.plain", lambda x: x.softmax(-1), x=((3, 5), wide))
    op_case(new, "softmax.scaled", lambda x: (0.5 * x).softmax(-1), x=((2, 3, 5, 19), wide))

    def full(c):
        cells = (c.random.random((2, 5, 4)) < 0.6).astype(int)
        cells[1, 2] = 0
        return cells.tolist()

    for name, shape, cells in [
            # (B, 1, S): padding at the end of the second sentence, nothing at all in the third.
            ("keys", (3, 2, 5, 4), lambda c: [[[1, 1, 1, 1]], [[1, 1, 0, 0]], [[0, 0, 0, 0]]]),
            # (1, T, S)
            ("causal", (2, 3, 5, 5), lambda c: torch.tril(torch.ones(1, 5, 5)).int().tolist()),
            # (B, T, S), with a row that may attend to nothing.
            ("full", (2, 3, 5, 4), full)]:
        c = new("softmax." + name)
        x = c.leaf("x", *shape, scale=2.0)
        m = c.mask("mask", cells(c))
        c.finish(masked_softmax(0.7 * x, m[:, None]), x=x)

    for name, x, eps in [("layer_norm", ((2, 5, 6), {"scale": 2.0, "mean": 1.5}), 1e-5),
                         ("layer_norm.eps", ((4, 37), {"scale": 0.1}), 1e-2)]:
        width = x[0][-1:]
        op_case(new, name, lambda x, gamma, beta: F.layer_norm(x, width, gamma, beta, eps), x=x,
                gamma=(width, gains), beta=width)
    op_case(new, "rms_norm", lambda x, gamma: F.rms_norm(x, (6,), gamma, 1e-2),
            x=((2, 5, 6), {"scale": 2.0, "mean": 1.5}), gamma=((6,), gains))
    c = new("rotate")  # pairs as complex numbers, turned by a product with e^(i angle)
    x, angles = c.leaf("x", 2, 5, 12), c.normal(5, 3, scale=2.0)
    c.put("turns", torch.cat((angles.cos(), angles.sin()), -1))
    heads = x.reshape(2, 5, 2, 2, 3)
    turned = torch.complex(heads[:, :, :, 0], heads[:, :, :, 1]) * torch.exp(1j * angles)[:, None]
    c.finish(torch.stack((turned.real, turned.imag), 3).reshape(2, 5, 12), x=x)

    op_case(new, "embedding", lambda table, ids: F.embedding(ids, table),
            {"ids": [[4, 1, 4, 6, 0], [2, 4, 2, 6, 6]]}, table=(8, 3))


def loss_cases(new):
    targets = [3, 0, 6, 6, 0, 2, 1, 5]
    for name, ignore, smoothing, divisor in [
        ("plain", -1, 0.0, 0), ("smooth", -1, 0.1, 0), ("ignore", PAD, 0.0, 0),
        ("ignore_smooth", PAD, 0.1, 0), ("divisor", PAD, 0.1, 13.0)]:
        c = new("cross_entropy." + name)
        logits = c.leaf("logits", 2, 4, 7, scale=2.0)
        t = c.ids("targets", targets)
        total = F.cross_entropy(logits.view(8, 7), t, ignore_index=ignore if ignore >= 0 else -100,
                                label_smoothing=smoothing, reduction="sum")
        counted = sum(id != ignore for id in targets)
        c.finish(total / (divisor or counted), logits=logits)
        picked = F.log_softmax(logits, -1).view(8, 7).gather(1, t[:, None])[:, 0]
        c.put("log_likelihood", picked * (t != ignore))
        c.put("log_softmax", F.log_softmax(logits, -1))
    wide = {"scale": 2.0}
    op_case(new, "symmetric_divergence", symmetric_divergence, a=((2, 4, 7), wide),
            b=((2, 4, 7), wide))


def symmetric_divergence(a, b):
    log_p, log_q = F.log_softmax(a, -1), F.log_softmax(b, -1)
    return (F.kl_div(log_q, log_p, reduction="sum", log_target=True)
            + F.kl_div(log_p, log_q, reduction="sum", log_target=True)) / 13


def relative_scores(q_u, q_v, k, r):
    """The distance of every query and key is looked up: row -1 - d of r belongs to d.
    q_u, q_v: (B, H, T, Dk)   k: (B, H, S, Dk)   r: (H, R, Dk)   returns (B, H, T, S)"""
    queries, keys = torch.arange(q_u.shape[2]), torch.arange(k.shape[2])
    distance = (queries[:, None] + len(keys) - len(queries) - keys).clamp(min=0)
    return q_u @ k.mT + torch.einsum("bhid,hijd->bhij", q_v, r[:, -1 - distance])


def past(queries, keys):
    """Which key each query may see, at the end of the keys: itself and those before it."""
    return torch.ones(1, queries, keys, dtype=torch.bool).tril(keys - queries)


def attention_cases(new):
    for name, queries, keys in [("causal", [0, 3, 4, 8], [0, 3, 4, 8]),
                                ("across", [0, 3, 4, 8], [0, 2, 7, 8])]:
        c = new("packed_attention." + name)
        q, k, v = (c.leaf(n, 1, 8, 6) for n in "qkv")
        sentences = []
        for own, seen in zip(zip(queries, queries[1:]), zip(keys, keys[1:])):
            one = [x[:, slice(*rows)].unflatten(-1, (2, 3)).transpose(1, 2)
                   for x, rows in ((q, own), (k, seen), (v, seen))]
            y = F.scaled_dot_product_attention(*one, is_causal=name == "causal")
            sentences.append(y.transpose(1, 2).flatten(2))
        c.finish(torch.cat(sentences, 1), q=q, k=k, v=v)

    c = new("attend_rows")
    q, k, v = c.normal(2, 1, 6), c.normal(9, 6), c.normal(9, 6)
    for name, x in zip("qkv", (q, k, v)):
        c.put(name, x)
    for i, seen in enumerate([[0, 2, 3, 8, 5, 5], [7]]):
        one = [x.unflatten(-1, (2, 3)).transpose(0, 1) for x in (q[i], k[seen], v[seen])]
        c.put(f"y.{i}", F.scaled_dot_product_attention(*one).transpose(0, 1).flatten(1))

    for name, t, s, rows in [("memory", 3, 7, 8), ("no_memory", 4, 4, 4)]:
        c = new("attend_relative." + name)
        q_u, q_v = c.leaf("q_u", 2, 2, t, 3), c.leaf("q_v", 2, 2, t, 3)
        k, v, r = c.leaf("k", 2, 2, s, 3), c.leaf("v", 2, 2, s, 3), c.leaf("r", 1, 2, rows, 3)
        c.put("mask", past(t, s))
        scores = 0.6 * relative_scores(q_u, q_v, k, r[0])
        c.finish(scores.masked_fill(~past(t, s), -math.inf).softmax(-1) @ v, q_u=q_u, q_v=q_v, k=k,
                 v=v, r=r)

    def shifted(x):  # pad, view, drop, view
        padded = torch.cat([torch.zeros(2, 4, 1, dtype=x.dtype), x], -1)
        return padded.view(2, 8, 4)[:, 1:].reshape(2, 4, 7)
    op_case(new, "relative_shift", shifted, x=(2, 4, 7))


def place_cases(new):
    c = new("top_k")
    x = c.normal(4, 9)
    c.put("x", x)
    values, places = x.topk(5)
    c.put("values", values)
    c.put("places", places)
    c.put("largest", x.argmax(-1))


def shape_cases(new):
    op_case(new, "split_heads", lambda x: x.unflatten(-1, (2, 3)).movedim(2, 1), x=(2, 5, 6))
    op_case(new, "merge_heads", lambda x: x.movedim(1, 2).flatten(2), x=(2, 3, 5, 4))
    op_case(new, "transpose", lambda x: x.mT, x=(2, 3, 5))
    op_case(new, "reshape", lambda x: x.reshape(6, 5), x=(2, 3, 5))
    for axis in range(3):
        other = [2, 3, 4]
        other[axis] = 5
        op_case(new, f"concat.{axis}", lambda a, b: torch.cat([a, b], axis), a=(2, 3, 4), b=other)
        op_case(new, f"slice.{axis}", lambda x: x.narrow(axis, 1, 2), x=(4, 5, 6))
    op_case(new, "gather_rows", lambda x, rows: x.index_select(0, rows),
            {"rows": [3, 0, 0, 2, 3]}, x=(4, 3, 2))
    op_case(new, "sum", torch.sum, x=(2, 3, 5))
    op_case(new, "weighted_sum", lambda x, weights: (x * weights).sum(), {"weights": (2, 3, 5)},
            x=(2, 3, 5))


# --- layers: p maps names to parameters, n is the prefix of a layer's names --------------------


def sub(p, n):
    return {k[len(n) + 1:]: v for k, v in p.items() if k.startswith(n + ".")}


def sinusoids(length, d):
    """Vaswani et al. 2017, 3.5."""
    position = torch.arange(length, dtype=torch.float64)[:, None]
    exponent = torch.arange(0, d, 2, dtype=torch.float64) / d
    angle = position * torch.exp(-math.log(10000.0) * exponent)
    return torch.stack([angle.sin(), angle.cos()], -1).flatten(1)


def linear(p, n, x):
    return F.linear(x, p[n + ".weight"], p.get(n + ".bias"))


def norm(p, n, x):
    return F.layer_norm(x, x.shape[-1:], p[n + ".gamma"], p[n + ".beta"], 1e-5)


def multi_head(p, query_from, keys_from, allowed, heads):
    """allowed: (B|1, T|1, S), True = may attend."""
    q, k, v = (linear(p, n, x).unflatten(-1, (heads, -1)).transpose(1, 2)
               for n, x in [("w_q", query_from), ("w_k", keys_from), ("w_v", keys_from)])
    size = (query_from.shape[0], 1, query_from.shape[1], keys_from.shape[1])
    y = F.scaled_dot_product_attention(q, k, v, attn_mask=allowed[:, None].expand(size))
    return linear(p, "w_o", y.transpose(1, 2).flatten(2))


def relative_attention(p, x, memory, heads):
    """Dai et al. 2019, 3.3: queries from x, keys from [memory, x]. u, v: (H, Dk)"""
    def split(y):
        return y.unflatten(-1, (heads, -1)).transpose(-3, -2)

    context = torch.cat([memory, x], 1)
    q, k, v = (linear(p, n, y) for n, y in [("w_q", x), ("w_k", context), ("w_v", context)])
    keys = context.shape[1]
    r = split(linear(p, "w_r", sinusoids(keys, x.shape[-1]).flip(0)))
    scores = relative_scores(split(q + p["u"].flatten()), split(q + p["v"].flatten()), split(k), r)
    scores = (scores / math.sqrt(r.shape[-1])).masked_fill(~past(x.shape[1], keys), -math.inf)
    return linear(p, "w_o", (scores.softmax(-1) @ split(v)).transpose(1, 2).flatten(2))


def attention_weights(p, query_from, keys_from, allowed, heads):
    q, k = (linear(p, n, x).unflatten(-1, (heads, -1)).transpose(1, 2)
            for n, x in [("w_q", query_from), ("w_k", keys_from)])
    return masked_softmax(q @ k.mT / math.sqrt(q.shape[-1]), allowed[:, None])


ACTIVATIONS = {"relu": F.relu, "gelu": F.gelu, "silu": F.silu}


def feed_forward(p, x, activation):
    return linear(p, "w_2", ACTIVATIONS[activation](linear(p, "w_1", x)))


def block(p, n, x, order, f):
    return norm(p, n, x + f(x)) if order == "post" else x + f(norm(p, n, x))


def layer(p, x, allowed, heads, order, activation, memory=None, memory_allowed=None):
    """Of an encoder; of a decoder, which looks at the memory, too."""
    x = block(p, "self_attention_norm", x, order,
              lambda h: multi_head(sub(p, "self_attention"), h, h, allowed, heads))
    if memory is not None:
        x = block(p, "cross_attention_norm", x, order,
                  lambda h: multi_head(sub(p, "cross_attention"), h, memory, memory_allowed, heads))
    return block(p, "feed_forward_norm", x, order,
                 lambda h: feed_forward(sub(p, "feed_forward"), h, activation))


def stack(p, x, order, layers, one):
    for i in range(layers):
        x = one(sub(p, f"layers.{i}"), x)
    return norm(p, "final_norm", x) if order == "pre" else x


def lstm(p, x, states):
    """torch.nn.LSTM, which has the gates in the order i, f, g, o instead of i, f, o, g, and their
    matrix in two parts, as their bias, of which the second is 0 here.
    x: (B, T, D)   states: per layer (B, 1, D + C), r beside c   returns what x becomes, and they"""
    d = x.shape[-1]
    cells = states[0].shape[-1] - d
    module = torch.nn.LSTM(d, cells, len(states), batch_first=True, proj_size=d,
                           dtype=torch.float64)
    theirs = {}
    for i in range(len(states)):
        weight, bias = (p[f"layers.{i}.gates.{n}"].unflatten(0, (4, cells))[[0, 1, 3, 2]]
                        .flatten(0, 1) for n in ("weight", "bias"))
        theirs |= {f"weight_ih_l{i}": weight[:, :d], f"weight_hh_l{i}": weight[:, d:],
                   f"bias_ih_l{i}": bias, f"bias_hh_l{i}": torch.zeros_like(bias),
                   f"weight_hr_l{i}": p[f"layers.{i}.projection.weight"]}
    before = torch.cat(states, 1).transpose(0, 1)  # (layers, B, D + C)
    rc = before[..., :d].contiguous(), before[..., d:].contiguous()
    y, after = torch.func.functional_call(module, theirs, (x, rc))
    return y, list(torch.cat(after, -1)[:, :, None])


def adaptive_log_p(h, weight, bias, cluster_weight, cluster_bias, cutoffs):
    """log p of every word, Grave et al. 2017, 3; the clusters keep the full width."""
    all_words, first = F.linear(h, weight, bias), cutoffs[0]
    entries = F.linear(h, cluster_weight, cluster_bias)
    head = torch.cat([all_words[..., :first], entries], -1).log_softmax(-1)
    parts = [head[..., :first]]
    for i, (low, high) in enumerate(zip(cutoffs, cutoffs[1:] + [len(weight)])):
        parts.append(head[..., first + i, None] + all_words[..., low:high].log_softmax(-1))
    return torch.cat(parts, -1)


def padding(ids):
    return (ids != PAD)[:, None, :]


def causal(length):
    return torch.ones(1, length, length, dtype=torch.bool).tril()


def transformer(p, config, source, target):
    c, d = config, config["d_model"]

    def embed(table, ids):
        length = ids.shape[1]
        places = (p["learned_positions.weight"][:length] if c["positions"] == "learned"
                  else sinusoids(length, d))
        return F.embedding(ids, p[table]) * math.sqrt(d) + places

    target_table = "target_embedding.weight"
    source_table = "source_embedding.weight"
    if c["shared_embeddings"]:  # one tensor under its first name
        target_table = source_table
    how = c["heads"], c["norm"], c["activation"]
    memory = stack(sub(p, "encoder"), embed(source_table, source), c["norm"], c["encoder_layers"],
                   lambda q, x: layer(q, x, padding(source), *how))
    x = stack(sub(p, "decoder"), embed(target_table, target), c["norm"], c["decoder_layers"],
              lambda q, x: layer(q, x, causal(target.shape[1]) & padding(target), *how, memory,
                                 padding(source)))
    weight = p[target_table] if c["tied_output"] else p["output.weight"]
    return F.linear(x, weight, p.get("output.bias"))


# Parameters: name -> shape.


def linear_shapes(n, out, into, bias=True):
    return {n + ".weight": (out, into)} | ({n + ".bias": (out,)} if bias else {})


def attention_shapes(n, d):
    shapes = {}
    for w in ("w_q", "w_k", "w_v", "w_o"):
        shapes |= linear_shapes(n + w, d, d)
    return shapes


def norm_shapes(n, d):
    return {n + ".gamma": (d,), n + ".beta": (d,)}


def feed_forward_shapes(n, d, d_ff):
    return linear_shapes(n + "w_1", d_ff, d) | linear_shapes(n + "w_2", d, d_ff)


def layer_shapes(n, d, d_ff, attentions):
    shapes = {}
    for a in attentions:
        shapes |= attention_shapes(f"{n}{a}.", d) | norm_shapes(f"{n}{a}_norm", d)
    return (shapes | feed_forward_shapes(n + "feed_forward.", d, d_ff)
            | norm_shapes(n + "feed_forward_norm", d))


def lstm_shapes(n, d, cells):
    return linear_shapes(n + "gates", 4 * cells, 2 * d) | linear_shapes(n + "projection", d, cells,
                                                                        bias=False)


ENCODER, DECODER = ["self_attention"], ["self_attention", "cross_attention"]


def stack_shapes(n, d, d_ff, layers, attentions, order):
    shapes = {}
    for i in range(layers):
        shapes |= layer_shapes(f"{n}layers.{i}.", d, d_ff, attentions)
    return shapes | (norm_shapes(n + "final_norm", d) if order == "pre" else {})


def transformer_shapes(c):
    d, d_ff, order = c["d_model"], c["d_ff"], c["norm"]
    shapes = {"source_embedding.weight": (c["source_vocabulary"], d)}
    if not c["shared_embeddings"]:
        shapes["target_embedding.weight"] = (c["target_vocabulary"], d)
    shapes |= stack_shapes("encoder.", d, d_ff, c["encoder_layers"], ENCODER, order)
    shapes |= stack_shapes("decoder.", d, d_ff, c["decoder_layers"], DECODER, order)
    if not c["tied_output"]:
        shapes["output.weight"] = (c["target_vocabulary"], d)
    if c["output_bias"]:
        shapes["output.bias"] = (c["target_vocabulary"],)
    if c["positions"] == "learned":  # one table for both stacks
        shapes["learned_positions.weight"] = (1024, d)
    return shapes


def draw(case, shapes):
    """Random parameters, the biases and gammas too: a bias of 0 would hide a forgotten one."""
    def one(name, shape):
        if name.endswith("gamma"):
            return case.normal(*shape, scale=0.2, mean=1.0)
        if len(shape) == 1:
            return case.normal(*shape, scale=0.3)
        return case.normal(*shape, scale=1 / math.sqrt(shape[1]))
    return {n: one(n, s).requires_grad_() for n, s in shapes.items()}


def layer_cases(new):
    B, T, S, H, D, D_FF = 2, 5, 4, 2, 6, 10
    source = [[5, 3, 7, 2], [4, 2, 0, 0]]
    target = [[1, 4, 6, 3, 2], [1, 5, 3, 0, 0]]
    pads = padding(torch.tensor(source))
    target_mask = causal(T) & padding(torch.tensor(target))

    c = new("token_embedding")
    ids = c.ids("ids", [[4, 1, 4, 6, 0], [2, 4, 2, 6, 6]])
    p = draw(c, {"weight": (8, D)})
    c.finish(F.embedding(ids, p["weight"]) * math.sqrt(D) + sinusoids(T, D), p)

    for name, keys, mask in [("self.none", None, torch.ones(1, 1, T, dtype=torch.bool)),
                             ("self.causal", None, target_mask), ("cross.padding", S, pads),
                             ("cross.empty", S, padding(torch.tensor([source[0], [0] * S])))]:
        c = new("multi_head_attention." + name)
        p = draw(c, attention_shapes("", D))
        x = c.leaf("x", B, T, D)
        memory = c.leaf("memory", B, keys, D) if keys else x
        c.put("mask", mask)
        c.put("weights", attention_weights(p, x, memory, mask, H))
        leaves = {"x": x} | ({"memory": memory} if keys else {})
        c.finish(multi_head(p, x, memory, mask, H), p, **leaves)

    def layer_case(name, shapes, f, masks={}, **leaves):
        """y = f of the parameters and of leaves of these shapes."""
        c = new(name)
        p, made = draw(c, shapes), c.leaves(leaves)
        for n, mask in masks.items():
            c.put(n, mask)
        c.finish(f(p, **made), p, **made)

    layer_case("layer_norm", {"gamma": (D,), "beta": (D,)},
               lambda p, x: F.layer_norm(x, (D,), p["gamma"], p["beta"], 1e-5),
               x=((B, T, D), {"scale": 2.0, "mean": -1.0}))

    for order in ("post", "pre"):  # around a linear layer
        layer_case("residual." + order, norm_shapes("norm", D) | linear_shapes("f", D, D),
                   lambda p, x: block(p, "norm", x, order, lambda h: linear(p, "f", h)),
                   x=(B, T, D))

    for activation in ACTIVATIONS:
        layer_case("feed_forward." + activation, feed_forward_shapes("", D, D_FF),
                   lambda p, x: feed_forward(p, x, activation), x=(B, T, D))

    for order, activation in [("post", "relu"), ("pre", "gelu")]:
        def encode(p, x):
            return layer(p, x, pads, H, order, activation)

        def decode(p, x, memory):
            return layer(p, x, target_mask, H, order, activation, memory, pads)

        shown = dict(masks={"mask": pads}, x=(B, S, D))
        layer_case("encoder_layer." + order, layer_shapes("", D, D_FF, ENCODER), encode, **shown)
        layer_case("encoder." + order, stack_shapes("", D, D_FF, 2, ENCODER, order),
                   lambda p, x: stack(p, x, order, 2, encode), **shown)
        shown = dict(masks={"mask": target_mask, "memory_mask": pads}, x=(B, T, D),
                     memory=(B, S, D))
        layer_case("decoder_layer." + order, layer_shapes("", D, D_FF, DECODER), decode, **shown)
        layer_case("decoder." + order, stack_shapes("", D, D_FF, 2, DECODER, order),
                   lambda p, x, memory: stack(p, x, order, 2, lambda q, h: decode(q, h, memory)),
                   **shown)

    layer_case("learned_positions", {"weight": (T + 2, D)},
               lambda p, x: x + F.embedding(torch.arange(T), p["weight"]), x=(B, T, D))
    layer_case("relative_attention", {n + ".weight": (D, D) for n in ("w_q", "w_k", "w_v", "w_r",
                                                                      "w_o")}
               | {"u": (H, D // H), "v": (H, D // H)},
               lambda p, x, memory: relative_attention(p, x, memory, H), x=(B, T, D),
               memory=(B, S, D))

    c = new("adaptive_softmax")  # the mean over the words but word 3
    p = draw(c, {"weight": (9, D), "bias": (9,), "cluster_weight": (2, D), "cluster_bias": (2,)})
    h, targets = c.leaf("h", 2, 4, D), c.ids("targets", [[0, 3, 4, 8], [5, 1, 2, 6]])
    log_p = adaptive_log_p(h, **p, cutoffs=[2, 5])
    c.put("log_p", log_p)
    c.finish(F.nll_loss(log_p.flatten(0, 1), targets.flatten(), ignore_index=3), p, h=h)

    def run(w, inputs, first=None):
        """torch.nn.RNN, W_ih = 1"""
        rnn = torch.nn.RNN(D, D, bias=False, batch_first=True, dtype=torch.float64)
        weights = {"weight_ih_l0": torch.eye(D, dtype=torch.float64), "weight_hh_l0": w}
        return torch.func.functional_call(rnn, weights, (inputs, first))

    c = new("recurrent")
    ids = c.ids("ids", [[4, 1, 4, 6, 0], [2, 4, 2, 6, 6]])
    p = draw(c, {"table": (8, D), "w.weight": (D, D), "output.weight": (8, D), "output.bias": (8,)})
    r, _ = run(p["w.weight"], F.embedding(ids, p["table"]))
    c.finish(linear(p, "output", r[:, -1:]), p)

    # Luong et al. 2015, "dot" after a map of the query
    for name, attends in (("recurrent_translator/attention", True),
                          ("recurrent_translator/one_vector", False)):
        c = new(name)
        x, y = c.leaf("x", 2, 4, D), c.leaf("y_before", 2, 3, D)
        shapes = {f"{one}.weight": (D, D) for one in ("w", "u", "c") + ("a",) * attends}
        p = draw(c, shapes | linear_shapes("output", 5, D))
        r, last = run(p["w.weight"], x)  # (B, S, D), (1, B, D)
        h, _ = run(p["u.weight"], y, last)
        context = last.transpose(0, 1).expand_as(h)
        if attends:
            scores = torch.einsum("btd,bsd->bts", linear(p, "a", h), r) / math.sqrt(D)
            context = torch.einsum("bts,bsd->btd", scores.softmax(-1), r)
        c.finish(linear(p, "output", torch.tanh(h + linear(p, "c", context))), p, x=x, y_before=y)

    c = new("next_letter")  # three steps of gradient descent
    contexts, following = c.ids("contexts", [0, 3, 3, 1, 0, 3]), c.ids("next", [1, 4, 4, 0, 2, 1])
    table = c.leaf("logits", 4, 5)
    descent, losses = torch.optim.SGD([table], lr=1.5), []
    for _ in range(3):
        descent.zero_grad()
        loss = F.cross_entropy(table[contexts], following)
        loss.backward()
        descent.step()
        losses.append(loss.item())
    c.put("losses", losses)
    c.put("final", table)

    # Two calls, the second with the state that the first left.
    c = new("lstm_layer")
    p = draw(c, lstm_shapes("", D, 8))
    x, state = c.leaf("x", B, T, D), c.leaf("state", B, 1, D + 8)
    named = {"layers.0." + n: value for n, value in p.items()}
    first, states = lstm(named, x[:, :3], [state])
    second, states = lstm(named, x[:, 3:], states)
    c.finish(torch.cat([y.flatten(1) for y in (first, second, states[0])], 1), p, x=x, state=state)


# --- the whole model ---------------------------------------------------------------------------

PLAIN = dict(source_vocabulary=11, target_vocabulary=13, d_model=12, d_ff=20, heads=3, norm="post",
             activation="relu", shared_embeddings=False, tied_output=False, output_bias=True,
             positions="sinusoidal")
MODELS = {
    "post": PLAIN | dict(encoder_layers=2, decoder_layers=3),
    "pre": PLAIN | dict(source_vocabulary=14, target_vocabulary=14, encoder_layers=3,
                        decoder_layers=2, norm="pre", activation="gelu", shared_embeddings=True,
                        tied_output=True, output_bias=False),
    "learned": PLAIN | dict(d_model=8, d_ff=12, heads=2, encoder_layers=1, decoder_layers=1,
                            activation="silu", positions="learned"),
}
SMOOTHING = 0.1
# Two batches: <bos> = 1, <eos> = 2, <pad> = 0.
BATCHES = [
    ([[5, 3, 7, 9, 2], [10, 4, 2, 0, 0], [6, 6, 8, 2, 0]],
     [[1, 4, 12, 3, 7, 9], [1, 11, 3, 0, 0, 0], [1, 6, 5, 8, 0, 0]],
     [[4, 12, 3, 7, 9, 2], [11, 3, 2, 0, 0, 0], [6, 5, 8, 2, 0, 0]]),
    ([[9, 2, 0, 0], [3, 10, 5, 2]],
     [[1, 7, 0], [1, 12, 4]],
     [[7, 2, 0], [12, 4, 2]]),
]


def batch_loss(p, config, batch):
    source, target, expected = (torch.tensor(ids) for ids in batch)
    logits = transformer(p, config, source, target)
    loss = F.cross_entropy(logits.flatten(0, 1), expected.flatten(), ignore_index=PAD,
                           label_smoothing=SMOOTHING)
    return loss, logits


def model_cases(new):
    for name, config in MODELS.items():
        c = new(name)
        for i, batch in enumerate(BATCHES):
            for part, ids in zip(("source", "target", "expected"), batch):
                c.ids(f"{part}.{i}", ids)
        p = draw(c, transformer_shapes(config))
        loss, logits = batch_loss(p, config, BATCHES[0])
        loss.backward()
        c.put("logits", logits)
        c.put("loss", loss)
        c.put_parameters(p)
        for i, (source, target, expected) in enumerate(BATCHES):  # log p(target | source)
            log_p = F.log_softmax(transformer(p, config, torch.tensor(source),
                                              torch.tensor(target)), -1)
            e = torch.tensor(expected)
            picked = log_p.gather(-1, e[..., None])[..., 0] * (e != PAD)
            c.put(f"score.{i}", picked.sum(1))


UPDATES, WARMUP, FACTOR = 10, 4, 0.1


def noam(step, d_model):
    """Vaswani et al. 2017, 5.3, times a factor."""
    return FACTOR * d_model**-0.5 * min(step**-0.5, step * WARMUP**-1.5)


def training_cases(new, goldens):
    for name, model, warm_up in [("train.constant", "post", False), ("train.noam", "pre", True)]:
        c, config = new(name), MODELS[model]
        p = {n: torch.tensor(goldens[f"{model}/param/{n}"], dtype=torch.float64).requires_grad_()
             for n in transformer_shapes(config)}
        adam = torch.optim.Adam(p.values(), lr=1e-3, betas=(0.9, 0.98), eps=1e-9)
        losses, norms = [], []
        for step in range(1, UPDATES + 1):
            if warm_up:
                adam.param_groups[0]["lr"] = noam(step, config["d_model"])
            adam.zero_grad()
            loss, _ = batch_loss(p, config, BATCHES[(step - 1) % 2])
            loss.backward()
            if warm_up:
                norms.append(torch.nn.utils.clip_grad_norm_(p.values(), 1.0).item())
            adam.step()
            losses.append(loss.item())
        c.put("losses", losses)
        if warm_up:
            assert max(norms) > 1.2, norms  # the clipping must do something
            c.put("norms", norms)
        for n, value in p.items():
            c.put("final/" + n, value)


def check_against_modules():
    """The layers above agree with torch.nn's own, parameters copied over by name."""
    case = Case({}, "modules")
    d, d_ff, heads = 6, 10, 2
    x, memory = case.normal(2, 5, d), case.normal(2, 4, d)
    pads = torch.tensor([[False] * 4, [False, False, True, True]])

    def copy(module, p, attentions, norms):
        for theirs, ours in attentions.items():
            a, attention = sub(p, ours), getattr(module, theirs)
            attention.in_proj_weight.data = torch.cat([a[f"w_{x}.weight"] for x in "qkv"])
            attention.in_proj_bias.data = torch.cat([a[f"w_{x}.bias"] for x in "qkv"])
            attention.out_proj.weight.data = a["w_o.weight"]
            attention.out_proj.bias.data = a["w_o.bias"]
        for theirs, ours in enumerate((*norms, "feed_forward"), 1):
            getattr(module, f"norm{theirs}").weight.data = p[ours + "_norm.gamma"]
            getattr(module, f"norm{theirs}").bias.data = p[ours + "_norm.beta"]
        for i in (1, 2):
            getattr(module, f"linear{i}").weight.data = p[f"feed_forward.w_{i}.weight"]
            getattr(module, f"linear{i}").bias.data = p[f"feed_forward.w_{i}.bias"]

    for order, activation in (("post", "relu"), ("pre", "gelu")):
        how = dict(dropout=0.0, activation=activation, batch_first=True,
                   norm_first=order == "pre", dtype=torch.float64)
        p = draw(case, layer_shapes("", d, d_ff, ENCODER))
        module = torch.nn.TransformerEncoderLayer(d, heads, d_ff, **how)
        copy(module, p, {"self_attn": "self_attention"}, ENCODER)
        ours = layer(p, memory, ~pads[:, None], heads, order, activation)
        torch.testing.assert_close(module(memory, src_key_padding_mask=pads)[~pads], ours[~pads])

        p = draw(case, layer_shapes("", d, d_ff, DECODER))
        module = torch.nn.TransformerDecoderLayer(d, heads, d_ff, **how)
        copy(module, p, {"self_attn": "self_attention", "multihead_attn": "cross_attention"},
             DECODER)
        ours = layer(p, x, causal(5), heads, order, activation, memory, ~pads[:, None])
        theirs = module(x, memory, tgt_mask=~causal(5)[0], memory_key_padding_mask=pads)
        torch.testing.assert_close(theirs, ours)


def check_against_adaptive_softmax():
    """torch.nn's clusters have a projection, here of 1, and no bias."""
    case, d, cutoffs = Case({}, "adaptive"), 6, [2, 5]
    h, weight, bias = case.normal(7, d), case.normal(9, d), case.normal(9)
    bias[cutoffs[0]:] = 0
    module = torch.nn.AdaptiveLogSoftmaxWithLoss(d, 9, cutoffs, div_value=1, head_bias=True,
                                                 dtype=torch.float64)
    entries, entry_bias = case.normal(2, d), case.normal(2)
    module.head.weight.data = torch.cat([weight[:2], entries])
    module.head.bias.data = torch.cat([bias[:2], entry_bias])
    for tail, low, high in zip(module.tail, cutoffs, cutoffs[1:] + [9]):
        tail[0].weight.data = torch.eye(d, dtype=torch.float64)
        tail[1].weight.data = weight[low:high]
    torch.testing.assert_close(module.log_prob(h),
                               adaptive_log_p(h, weight, bias, entries, entry_bias, cutoffs))


def make():
    files = {}
    ops = files["ops.safetensors"] = {}
    for cases in (elementwise_cases, product_cases, row_cases, loss_cases, attention_cases,
                  place_cases, shape_cases):
        cases(lambda name: Case(ops, name))
    layers = files["layers.safetensors"] = {}
    layer_cases(lambda name: Case(layers, name))
    whole = files["transformer.safetensors"] = {}
    model_cases(lambda name: Case(whole, name))
    training_cases(lambda name: Case(whole, name), whole)
    return files


def differences(made, stored):
    """Every tensor that differs by more than 1e-6 of its largest number (and 1e-12)."""
    for name in sorted(made.keys() | stored.keys()):
        if name not in made or name not in stored:
            yield f"{name}: only {'made now' if name in made else 'in the file'}"
        elif made[name].shape != stored[name].shape:
            yield f"{name}: shape {made[name].shape}, in the file {stored[name].shape}"
        else:
            gap = np.abs(made[name] - stored[name]).max()
            if not gap <= 1e-6 * np.abs(stored[name]).max() + 1e-12:
                yield f"{name}: differs by {gap}"


def written_or_checked(name, made):
    """With --check, how many tensors differ from the file's."""
    file = HERE / name
    stored = load_file(file)
    found = list(differences(made, stored))
    if "--check" in sys.argv:
        print(f"{name}: {len(made)} tensors, {len(found)} differ", *found, sep="\n  ")
        return len(found)
    new = {line.split(":")[0] for line in found}
    save_file({key: made[key] if key in new else stored[key] for key in made}, file)
    file.chmod(0o644)
    print(f"{name}: {len(made)} tensors, {len(found)} changed", *found, sep="\n  ")
    return 0


def main():
    torch.set_num_threads(1)
    check_against_modules()
    check_against_adaptive_softmax()
    bad = sum(written_or_checked(file, tensors) for file, tensors in make().items())
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()

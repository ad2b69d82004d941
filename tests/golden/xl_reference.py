"""Makes transformer_xl.safetensors, which tests/chapters/transformer_xl_test.cpp compares with.

    python xl_reference.py            writes the file
    python xl_reference.py --check    makes it again and compares with the committed file

As in reference.py everything is float64, stored as float32. The attention is written from the
equation of Dai et al. 2019, 3.3: the distance of every query and key is looked up, nothing is
shifted. check_against_published() shows that it agrees with the published code's shift, and
memory and mask follow that code (github.com/kimiyoung/transformer-xl, pytorch/mem_transformer.py).
An LSTM is torch.nn.LSTM with the parameters under our names; its memory is its state.

Names in the file: VARIANT/ids is a stream of tokens for ten segments; the first three give
VARIANT/logits.0 … logits.2, VARIANT/memory.LAYER afterwards, VARIANT/losses, and VARIANT/grad/NAME,
the gradients of the sum of the three losses. Ten updates over the ten segments give
VARIANT/train_losses and VARIANT/final/NAME; matrices decay where the variant says so.
"""

import math
import sys

import reference as ref  # exits with 77 where there is no PyTorch
from reference import Case, F, linear, norm, sub, torch

BASE = dict(kind="transformer_xl", vocabulary=11, d_model=6, d_ff=10, heads=3, layers=2, segment=4,
            memory=4, extended=0, same_length=False, clamp=0, untie=False, tied=True, norm="post",
            activation="relu", cutoffs=[], weight_decay=0, final_norm=True)
VARIANTS = {
    "base": {},
    "short_memory": dict(memory=2),
    "long_memory": dict(segment=3, memory=7),
    "no_memory": dict(memory=0),
    "same_length": dict(segment=3, memory=4, same_length=True),
    "same_length_short": dict(segment=4, memory=2, same_length=True),
    "extended": dict(segment=3, memory=4, extended=2),
    "extended_beyond_segment": dict(segment=1, memory=3, extended=2),
    "pre": dict(norm="pre", activation="gelu"),
    "pre_published": dict(norm="pre", final_norm=False),
    "untied": dict(untie=True, tied=False),
    "clamp": dict(memory=6, clamp=3),
    "adaptive": dict(vocabulary=17, cutoffs=[5, 11]),
    "all": dict(vocabulary=17, cutoffs=[7], norm="pre", activation="silu", untie=True, segment=3,
                memory=5, extended=2, same_length=True, clamp=5, weight_decay=2),
    "recurrent_vanilla": dict(kind="recurrent_vanilla", memory=5, norm="pre"),
    "lstm": dict(kind="lstm", memory=0),
    "lstm_deep": dict(kind="lstm", memory=0, d_ff=7, layers=3, tied=False, cutoffs=[7]),
}
SEGMENTS, UPDATES = 3, 10


def relative_scores(q, k, w_r, u, v, clamp):
    """q: (B, T, H, Dk), k: (B, S, H, Dk), u, v: (H, Dk); returns (B, H, T, S)."""
    (_, length, heads, _), keys = q.shape, k.shape[1]
    distance = (torch.arange(length)[:, None] + keys - length - torch.arange(keys)).clamp(min=0)
    if clamp:
        distance = distance.clamp(max=clamp)
    projected = (ref.sinusoids(keys, w_r.shape[1]) @ w_r.T).unflatten(-1, (heads, -1))
    r = projected[distance]  # (T, S, H, Dk); the future gets the distance 0, and is masked
    return (torch.einsum("bihd,bjhd->bhij", q + u, k) + torch.einsum("bihd,ijhd->bhij", q + v, r))


def published_mask(length, past, memory, same_length):
    """MemTransformerLM._forward; True = may not attend."""
    ones = torch.ones(length, past + length, dtype=torch.uint8)
    masked = torch.triu(ones, diagonal=1 + past)
    if same_length:
        mask_len = past + length - memory
        shift = length - mask_len if mask_len > 0 else length
        masked = masked + torch.tril(ones, -shift)
    return masked.bool()


def published_memory(states, memory, c):
    """MemTransformerLM._update_mems; hidden states (B, T, D) of every layer's input."""
    past, length = memory[0].shape[1], states[0].shape[1]
    end = past + max(0, length - c["extended"])
    begin = max(0, end - c["memory"])
    return [torch.cat([m, h], 1)[:, begin:end].detach() for m, h in zip(memory, states)]


def layer(p, x, memory, u, v, masked, c):
    def attend(h):
        past = norm(p, "attention_norm", memory) if c["norm"] == "pre" else memory
        context = torch.cat([past, h], 1)
        q, k, value = (linear(p, "attention." + w, y).unflatten(-1, (c["heads"], -1))
                       for w, y in [("w_q", h), ("w_k", context), ("w_v", context)])
        scores = relative_scores(q, k, p["attention.w_r.weight"], u, v, c["clamp"])
        weights = (scores / math.sqrt(q.shape[-1])).masked_fill(masked, -math.inf).softmax(-1)
        y = torch.einsum("bhij,bjhd->bihd", weights, value).flatten(2)
        return linear(p, "attention.w_o", y)

    x = ref.block(p, "attention_norm", x, c["norm"], attend)
    return ref.block(p, "feed_forward_norm", x, c["norm"],
                     lambda h: ref.feed_forward(sub(p, "feed_forward"), h, c["activation"]))


def start(c, batch):
    """Nothing is remembered at first; the state of an LSTM is 0, r and c of each layer."""
    d, kind = c["d_model"], c["kind"]
    shape = (batch, 1, d + c["d_ff"]) if kind == "lstm" else (batch, 0, d)
    return [torch.zeros(shape, dtype=torch.float64) for _ in range(c["layers"])]


def xl_layers(p, c, x, memory):
    masked = published_mask(x.shape[1], memory[0].shape[1], c["memory"], c["same_length"])
    states = []
    for i in range(c["layers"]):
        states.append(x)
        shared = f"biases.{i if c['untie'] else 0}."
        x = layer(sub(p, f"layers.{i}"), x, memory[i], p[shared + "u"], p[shared + "v"], masked, c)
    x = norm(p, "final_norm", x) if c["norm"] == "pre" and c["final_norm"] else x
    return x, published_memory(states, memory, c)


def recurrent_vanilla_layers(p, c, x, memory):
    """The encoder layers of reference.py, whose keys are those of the memory, too; positions are
    added to the segment's words alone, from 0."""
    p, states = sub(p, "encoder"), []
    masked = published_mask(x.shape[1], memory[0].shape[1], c["memory"], False)
    x = x + ref.sinusoids(*x.shape[1:])
    for i in range(c["layers"]):
        states.append(x)
        q, past = sub(p, f"layers.{i}"), memory[i]

        def attend(h):
            before = norm(q, "self_attention_norm", past) if c["norm"] == "pre" else past
            return ref.multi_head(sub(q, "self_attention"), h, torch.cat([before, h], 1),
                                  ~masked[None], c["heads"])

        x = ref.block(q, "self_attention_norm", x, c["norm"], attend)
        x = ref.block(q, "feed_forward_norm", x, c["norm"],
                      lambda h: ref.feed_forward(sub(q, "feed_forward"), h, c["activation"]))
    x = norm(p, "final_norm", x) if c["norm"] == "pre" else x
    return x, published_memory(states, memory, c)


def lstm_layers(p, c, x, memory):
    y, states = ref.lstm(p, x, memory)
    return y, [state.detach() for state in states]


LAYERS = dict(transformer_xl=xl_layers, recurrent_vanilla=recurrent_vanilla_layers,
              lstm=lstm_layers)


def hidden(p, c, ids, memory):
    x = F.embedding(ids, p["embedding.weight"]) * math.sqrt(c["d_model"])
    return LAYERS[c["kind"]](p, c, x, memory)


def logits(p, c, h):
    """With cutoffs: log p of every word."""
    weight, bias = p["embedding.weight" if c["tied"] else "output.weight"], p["output.bias"]
    if not c["cutoffs"]:
        return F.linear(h, weight, bias)
    return ref.adaptive_log_p(h, weight, bias, p["output.cluster_weight"],
                              p["output.cluster_bias"], c["cutoffs"])


def segment_of(stream, c, s):
    """The published iterator: a segment repeats the `extended` tokens before it."""
    begin = s * c["segment"]
    end = begin + c["segment"]
    return stream[:, max(0, begin - c["extended"]):end], stream[:, begin + 1:end + 1]


def run(p, c, stream, s, memory):
    """returns the loss, the logits and the new memory."""
    ids, expected = segment_of(stream, c, s)
    h, memory = hidden(p, c, ids, memory)
    y = logits(p, c, h)
    last = y[:, -expected.shape[1]:]
    return F.cross_entropy(last.flatten(0, 1), expected.flatten()), y, memory


def layer_shapes(c):
    d = c["d_model"]
    if c["kind"] == "recurrent_vanilla":
        return ref.stack_shapes("encoder.", d, c["d_ff"], c["layers"], ref.ENCODER, c["norm"])
    found = {}
    if c["kind"] == "lstm":
        for i in range(c["layers"]):
            found |= ref.lstm_shapes(f"layers.{i}.", d, c["d_ff"])
        return found
    for i in range(c["layers"] if c["untie"] else 1):
        found |= {f"biases.{i}.{n}": (c["heads"], d // c["heads"]) for n in "uv"}
    for i in range(c["layers"]):
        n = f"layers.{i}."
        for w in ("w_q", "w_k", "w_v", "w_r", "w_o"):
            found |= ref.linear_shapes(f"{n}attention.{w}", d, d, bias=False)
        found |= ref.norm_shapes(n + "attention_norm", d)
        found |= ref.feed_forward_shapes(n + "feed_forward.", d, c["d_ff"])
        found |= ref.norm_shapes(n + "feed_forward_norm", d)
    if c["norm"] == "pre" and c["final_norm"]:
        found |= ref.norm_shapes("final_norm", d)
    return found


def shapes(c):
    d = c["d_model"]
    found = {"embedding.weight": (c["vocabulary"], d)} | layer_shapes(c)
    if not c["tied"]:
        found["output.weight"] = (c["vocabulary"], d)
    found["output.bias"] = (c["vocabulary"],)
    if c["cutoffs"]:
        found["output.cluster_weight"] = (len(c["cutoffs"]), d)
        found["output.cluster_bias"] = (len(c["cutoffs"]),)
    return found


def variant_case(new, name, c):
    case = new(name)
    stream = case.ids("ids", case.random.integers(0, c["vocabulary"],
                                                  (2, UPDATES * c["segment"] + 1)))
    p = ref.draw(case, shapes(c))
    memory, losses = start(c, 2), []
    for s in range(SEGMENTS):
        loss, y, memory = run(p, c, stream, s, memory)
        case.put(f"logits.{s}", y)
        losses.append(loss)
    sum(losses).backward()
    case.put("losses", torch.stack(losses))
    case.put("past", memory[0].shape[1])
    for i, states in enumerate(memory if memory[0].shape[1] else []):
        case.put(f"memory.{i}", states)
    case.put_parameters(p)

    groups = [dict(params=[w for w in p.values() if (w.dim() > 1) == matrices],
                   weight_decay=c["weight_decay"] if matrices else 0) for matrices in (True, False)]
    adam = torch.optim.AdamW(groups, lr=1e-3, betas=(0.9, 0.98), eps=1e-9)
    memory, losses = start(c, 2), []
    for s in range(UPDATES):
        adam.zero_grad()
        loss, _, memory = run(p, c, stream, s, memory)
        loss.backward()
        adam.step()
        losses.append(loss.item())
    case.put("train_losses", losses)
    for n, value in p.items():
        case.put("final/" + n, value)


def vanilla_case(new):
    """The encoder of reference.py under a causal mask, with absolute positions."""
    case, c = new("vanilla"), BASE
    d, order = c["d_model"], c["norm"]
    ids = case.ids("ids", case.random.integers(0, c["vocabulary"], (2, 6)))
    p = ref.draw(case, {"embedding.weight": (c["vocabulary"], d)}
                 | ref.stack_shapes("encoder.", d, c["d_ff"], c["layers"], ref.ENCODER, order)
                 | {"output.bias": (c["vocabulary"],)})
    x = F.embedding(ids[:, :-1], p["embedding.weight"]) * math.sqrt(d) + ref.sinusoids(5, d)
    x = ref.stack(sub(p, "encoder"), x, order, c["layers"],
                  lambda q, h: ref.layer(q, h, ref.causal(5), c["heads"], order, c["activation"]))
    y = F.linear(x, p["embedding.weight"], p["output.bias"])
    loss = F.cross_entropy(y.flatten(0, 1), ids[:, 1:].flatten())
    loss.backward()
    case.put("logits", y)
    case.put("loss", loss)
    case.put_parameters(p)


def check_against_published():
    """relative_scores agrees with RelPartialLearnableMultiHeadAttn wherever the mask allows:
    time first, R from the farthest distance to 0, and _rel_shift."""
    case = Case({}, "published")
    batch, heads, d_k, d = 2, 3, 4, 12
    for length, keys, clamp in [(3, 5, 0), (4, 4, 0), (1, 6, 0), (3, 7, 2)]:
        q, k = case.normal(length, batch, heads, d_k), case.normal(keys, batch, heads, d_k)
        w_r, u, v = case.normal(d, d), case.normal(heads, d_k), case.normal(heads, d_k)
        positions = torch.arange(keys - 1, -1, -1)
        positions = positions.clamp(max=clamp) if clamp else positions
        r = (ref.sinusoids(keys, d)[positions] @ w_r.T).view(keys, heads, d_k)
        ac = torch.einsum("ibnd,jbnd->ijbn", q + u, k)
        bd = torch.einsum("ibnd,jnd->ijbn", q + v, r)
        padded = torch.cat([torch.zeros_like(bd[:, :1]), bd], 1)
        bd = padded.view(keys + 1, length, batch, heads)[1:].view_as(bd)
        ours = relative_scores(q.transpose(0, 1), k.transpose(0, 1), w_r, u, v, clamp)
        masked = published_mask(length, keys - length, keys, False)
        torch.testing.assert_close(ours.masked_fill(masked, 0),
                                   (ac + bd).permute(2, 3, 0, 1).masked_fill(masked, 0))


def main():
    torch.set_num_threads(1)
    check_against_published()
    made = {}
    for name, changes in VARIANTS.items():
        variant_case(lambda n: Case(made, n), name, BASE | changes)
    vanilla_case(lambda n: Case(made, n))
    sys.exit(ref.written_or_checked("transformer_xl.safetensors", made) > 0)


if __name__ == "__main__":
    main()

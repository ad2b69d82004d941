"""Makes xl_published.safetensors: 40 models as Transformer-XL's published code has them, which
tests/chapters/xl_published_test.cpp imports, and the losses that they must have.

    python xl_published.py            writes the file
    python xl_published.py --check    makes it again and compares

The model is written anew, in float64, after github.com/kimiyoung/transformer-xl
(pytorch/mem_transformer.py, pytorch/utils/proj_adaptive_softmax.py): the names of its state_dict,
AdaptiveEmbedding and ProjectedAdaptiveLogSoftmax with d_embed, div_val and tie_projs, d_head,
pre_lnorm, sines and cosines in halves, _rel_shift, clamp_len, same_length, and clusters that are
counted from the end. A norm at the end of the stack, which that code has not, is `final_norm`.
ext_len is 0: with another one the published code keeps other states in the first segments than it
says, since the call of _update_mems() swaps two of its arguments.

In the file: NAME/state/… under the published names (tied ones once, or, as state_dict() has them,
under each name), NAME/ids for four segments of two streams, NAME/losses, the mean of each segment;
the config of NAME stands in the metadata, as docs/en/model_directory.md has it.
"""

import json
import math
import pathlib
import sys

from needed import needed

with needed():
    import numpy as np
    import torch
    import torch.nn.functional as F
    from safetensors import safe_open
    from safetensors.numpy import load_file, save_file

FILE = pathlib.Path(__file__).parent / "xl_published.safetensors"
BASE = dict(n_token=19, n_layer=2, n_head=2, d_model=8, d_head=4, d_inner=12, d_embed=8, div_val=1,
            cutoffs=[], tie_weight=True, tie_projs="none", pre_lnorm=False, final_norm=False,
            tgt_len=4, mem_len=4, clamp_len=-1, same_length=False)
NAMED = {
    "base": {},
    "d_head_wide": dict(d_head=7),
    "d_head_narrow": dict(n_head=3, d_head=2),
    "d_embed": dict(d_embed=5),
    "d_embed_wide": dict(d_embed=12, tie_projs="all"),
    "d_embed_clusters": dict(d_embed=5, cutoffs=[5, 11], tie_projs="clusters"),
    "div_val": dict(div_val=2, cutoffs=[5, 11]),
    "div_val_untied": dict(div_val=2, cutoffs=[5, 11], tie_weight=False),
    "div_val_alone": dict(div_val=2),
    "as_on_wikitext": dict(div_val=4, d_embed=16, cutoffs=[5, 11], tie_projs="clusters"),
    "pre": dict(pre_lnorm=True),
    "pre_final": dict(pre_lnorm=True, final_norm=True),
    "post_final": dict(final_norm=True),
    "clamp": dict(clamp_len=3, mem_len=7),
    "same_length": dict(same_length=True, tgt_len=3),
    "no_memory": dict(mem_len=0),
}
CONFIGURATIONS, SEGMENTS, STREAMS = 40, 4, 2


def drawn(number):
    """A configuration by chance."""
    random = np.random.Generator(np.random.PCG64(number))

    def one_of(*values):
        return values[random.integers(len(values))]

    while True:
        c = BASE | dict(
            n_layer=one_of(1, 2, 3), n_head=one_of(1, 2, 3), d_model=one_of(4, 6, 8, 10),
            d_head=one_of(2, 3, 4, 5), d_inner=one_of(5, 8, 12), d_embed=one_of(4, 6, 8, 9, 16),
            div_val=one_of(1, 1, 2, 3, 4), cutoffs=one_of([], [6], [5, 11], [4, 9, 14]),
            tie_weight=one_of(True, False), tie_projs=one_of("none", "clusters", "all"),
            pre_lnorm=one_of(True, False), final_norm=one_of(True, False, False),
            tgt_len=one_of(1, 3, 4, 5), mem_len=one_of(0, 2, 4, 7), clamp_len=one_of(-1, 1, 3, 10),
            same_length=one_of(True, False))
        if c["d_embed"] // c["div_val"] ** len(c["cutoffs"]) == 0:
            continue
        if c["mem_len"] == 0:
            c["same_length"] = False  # there would be no keys
        if not projected(c):
            c["tie_projs"] = "none"
        return c


def configurations():
    found = {name: BASE | changes for name, changes in NAMED.items()}
    for number in range(CONFIGURATIONS - len(found)):
        found[f"drawn_{number}"] = drawn(number)
    return found


# ---- the parameters ----------------------------------------------------------------------------


def projected(c):
    return c["div_val"] > 1 or c["d_embed"] != c["d_model"]


def word_shapes(c, layers, projections, all_projections):
    """AdaptiveEmbedding and ProjectedAdaptiveLogSoftmax: their tables and projections."""
    ends = [0, *c["cutoffs"], c["n_token"]]
    widths = [c["d_embed"] // c["div_val"] ** i for i in range(len(ends) - 1)]
    if c["div_val"] == 1:
        found = {f"{layers}.0.weight": (c["n_token"], c["d_embed"])}
        count = len(widths) if all_projections else 1
    else:
        found = {f"{layers}.{i}.weight": (ends[i + 1] - ends[i], width)
                 for i, width in enumerate(widths)}
        count = len(widths)
    if projected(c):
        found |= {f"{projections}.{i}": (c["d_model"], widths[i]) for i in range(count)}
    return found


def shapes(c):
    d, heads = c["d_model"], (c["n_head"], c["d_head"])
    inner = c["n_head"] * c["d_head"]
    found = word_shapes(c, "word_emb.emb_layers", "word_emb.emb_projs", False)
    found |= {"r_w_bias": heads, "r_r_bias": heads}
    for i in range(c["n_layer"]):
        found |= {f"layers.{i}.dec_attn.qkv_net.weight": (3 * inner, d),
                  f"layers.{i}.dec_attn.r_net.weight": (inner, d),
                  f"layers.{i}.dec_attn.o_net.weight": (d, inner),
                  f"layers.{i}.pos_ff.CoreNet.0.weight": (c["d_inner"], d),
                  f"layers.{i}.pos_ff.CoreNet.0.bias": (c["d_inner"],),
                  f"layers.{i}.pos_ff.CoreNet.3.weight": (d, c["d_inner"]),
                  f"layers.{i}.pos_ff.CoreNet.3.bias": (d,)}
        for norm in ("dec_attn", "pos_ff"):
            found |= {f"layers.{i}.{norm}.layer_norm.weight": (d,),
                      f"layers.{i}.{norm}.layer_norm.bias": (d,)}
    if c["final_norm"]:
        found |= {"final.layer_norm.weight": (d,), "final.layer_norm.bias": (d,)}
    out = word_shapes(c, "crit.out_layers", "crit.out_projs", True)
    out |= {name[:-len("weight")] + "bias": shape[:1]
            for name, shape in out.items() if name.endswith(".weight")}
    if c["cutoffs"]:
        out |= {"crit.cluster_weight": (len(c["cutoffs"]), c["d_embed"]),
                "crit.cluster_bias": (len(c["cutoffs"]),)}
    return found | out


def tied_to(c, name):
    """The name of the tensor that this one is, as MemTransformerLM ties them; None for its own."""
    kind, _, number = name.removesuffix(".weight").rpartition(".")
    if c["tie_weight"] and kind == "crit.out_layers" and name.endswith(".weight"):
        return f"word_emb.emb_layers.{number}.weight"
    if kind == "crit.out_projs" and (c["tie_projs"] == "all" or
                                     (c["tie_projs"] == "clusters" and number != "0")):
        return f"word_emb.emb_projs.{0 if c['div_val'] == 1 else number}"
    return None


def draw(c, random):
    """A state that float16 holds exactly; a tied tensor stands under all its names."""
    state = {}
    for name, shape in shapes(c).items():
        if other := tied_to(c, name):
            state[name] = state[other]
            continue
        numbers = 0.5 * random.standard_normal(shape) + name.endswith("layer_norm.weight")
        state[name] = torch.tensor(numbers.astype(np.float16)).double()
    return state


# ---- the model ---------------------------------------------------------------------------------


def positional_embedding(pos_seq, demb):
    inv_freq = 1 / (10000 ** (torch.arange(0.0, demb, 2.0, dtype=torch.float64) / demb))
    sinusoid = torch.outer(pos_seq, inv_freq)
    return torch.cat([sinusoid.sin(), sinusoid.cos()], -1)


def rel_shift(x):
    """x: (qlen, klen, bsz, n_head)"""
    padded = torch.cat([torch.zeros_like(x[:, :1]), x], 1)
    return padded.reshape(x.shape[1] + 1, x.shape[0], *x.shape[2:])[1:].reshape(x.shape)


def layer_norm(state, name, x):
    weight, bias = state[f"{name}.layer_norm.weight"], state[f"{name}.layer_norm.bias"]
    return F.layer_norm(x, weight.shape, weight, bias)


def word_emb(state, c, ids):
    """AdaptiveEmbedding.forward"""
    if c["div_val"] == 1:
        embed = F.embedding(ids, state["word_emb.emb_layers.0.weight"])
        if projected(c):
            embed = F.linear(embed, state["word_emb.emb_projs.0"])
    else:
        ends = [0, *c["cutoffs"], c["n_token"]]
        embed = torch.zeros(*ids.shape, c["d_model"], dtype=torch.float64)
        for i, (low, high) in enumerate(zip(ends, ends[1:])):
            inside = (ids >= low) & (ids < high)
            rows = F.embedding(ids[inside] - low, state[f"word_emb.emb_layers.{i}.weight"])
            embed[inside] = F.linear(rows, state[f"word_emb.emb_projs.{i}"])
    return embed * c["d_model"] ** 0.5


def dec_attn(state, c, name, w, r, mem, masked):
    """RelPartialLearnableMultiHeadAttn.forward; w: (qlen, bsz, D)   r: (klen, D)
    mem: (mlen, bsz, D)"""
    cat, heads = torch.cat([mem, w]), (c["n_head"], c["d_head"])
    seen = layer_norm(state, name, cat) if c["pre_lnorm"] else cat
    q, k, v = (x.unflatten(-1, heads)
               for x in F.linear(seen, state[f"{name}.qkv_net.weight"]).chunk(3, -1))
    q, r = q[-len(w):], F.linear(r, state[f"{name}.r_net.weight"]).unflatten(-1, heads)
    ac = torch.einsum("ibnd,jbnd->ijbn", q + state["r_w_bias"], k)
    bd = rel_shift(torch.einsum("ibnd,jnd->ijbn", q + state["r_r_bias"], r))
    score = (ac + bd) / c["d_head"] ** 0.5
    prob = score.masked_fill(masked[:, :, None, None], -math.inf).softmax(1)
    vec = torch.einsum("ijbn,jbnd->ibnd", prob, v).flatten(2)
    output = w + F.linear(vec, state[f"{name}.o_net.weight"])
    return output if c["pre_lnorm"] else layer_norm(state, name, output)


def pos_ff(state, c, name, x):
    """PositionwiseFF.forward"""
    net = [state[f"{name}.CoreNet.{n}"] for n in ("0.weight", "0.bias", "3.weight", "3.bias")]
    h = layer_norm(state, name, x) if c["pre_lnorm"] else x
    output = x + F.linear(F.relu(F.linear(h, *net[:2])), *net[2:])
    return output if c["pre_lnorm"] else layer_norm(state, name, output)


def forward(state, c, ids, mems):
    """MemTransformerLM._forward; ids: (qlen, bsz)   returns (qlen, bsz, D) and the new mems"""
    w = word_emb(state, c, ids)
    qlen, mlen, mem_len = len(ids), len(mems[0]), c["mem_len"]
    klen, ones = mlen + qlen, torch.ones(qlen, mlen + qlen)
    masked = ones.triu(1 + mlen)
    if c["same_length"]:
        mask_len = klen - mem_len
        masked = masked + ones.tril(-(qlen - mask_len if mask_len > 0 else qlen))
    pos_seq = torch.arange(klen - 1, -1, -1.0, dtype=torch.float64)
    if c["clamp_len"] > 0:
        pos_seq.clamp_(max=c["clamp_len"])
    r, hids = positional_embedding(pos_seq, c["d_model"]), []
    for i in range(c["n_layer"]):
        hids.append(w)
        w = dec_attn(state, c, f"layers.{i}.dec_attn", w, r, mems[i], masked.bool())
        w = pos_ff(state, c, f"layers.{i}.pos_ff", w)
    new = [torch.cat([mem, hid])[max(0, klen - mem_len):] for mem, hid in zip(mems, hids)]
    return layer_norm(state, "final", w) if c["final_norm"] else w, new


def losses(state, c, hidden, target):
    """ProjectedAdaptiveLogSoftmax.forward, kept in order; hidden: (N, D)   target: (N)"""
    cutoffs, ends = c["cutoffs"], [0, *c["cutoffs"], c["n_token"]]

    def logits(i, weight, bias):
        proj = state.get(f"crit.out_projs.{i}")
        return F.linear(hidden if proj is None else hidden @ proj, weight, bias)

    def words(i):
        if c["div_val"] > 1:
            return (state[f"crit.out_layers.{i}.{kind}"] for kind in ("weight", "bias"))
        return (state[f"crit.out_layers.0.{kind}"][ends[i]:ends[i + 1]]
                for kind in ("weight", "bias"))

    weight, bias = words(0)
    if cutoffs:
        weight = torch.cat([weight, state["crit.cluster_weight"]])
        bias = torch.cat([bias, state["crit.cluster_bias"]])
    head = logits(0, weight, bias).log_softmax(-1)
    nll = torch.zeros(len(target), dtype=torch.float64)
    for i, (low, high) in enumerate(zip(ends, ends[1:])):
        rows = ((target >= low) & (target < high)).nonzero().squeeze(1)
        word = (target[rows] - low)[:, None]
        if i == 0:
            nll[rows] = -head[rows].gather(1, word).squeeze(1)
        else:
            tail = logits(i, *words(i)).log_softmax(-1)
            nll[rows] = -(head[rows, -i] + tail[rows].gather(1, word).squeeze(1))
    return nll


def run(state, c, stream):
    """The losses of the tokens of each segment; stream: (length, bsz)"""
    mems = [torch.zeros(0, stream.shape[1], c["d_model"], dtype=torch.float64)] * c["n_layer"]
    for begin in range(0, len(stream) - 1, c["tgt_len"]):
        target = stream[begin + 1:begin + 1 + c["tgt_len"]]
        hidden, mems = forward(state, c, stream[begin:begin + len(target)], mems)
        yield losses(state, c, hidden.flatten(0, 1), target.flatten())


# ---- the file ----------------------------------------------------------------------------------


def own_config(c, level="word"):
    """As config.json of docs/en/model_directory.md says it."""
    return {
        "kind": "transformer_xl", "vocabulary": c["n_token"], "d_model": c["d_model"],
        "d_ff": c["d_inner"], "heads": c["n_head"], "d_head": c["d_head"], "layers": c["n_layer"],
        "segment": c["tgt_len"], "memory": c["mem_len"], "extended": 0,
        "same_length": c["same_length"], "clamp": max(0, c["clamp_len"]), "untie": False,
        "tied": c["tie_weight"], "dropout": 0.1, "attention_dropout": 0.0,
        "norm": "pre" if c["pre_lnorm"] else "post",
        "final_norm": "always" if c["final_norm"] else "never", "activation": "relu",
        "norm_eps": 1e-5, "cutoffs": ",".join(map(str, c["cutoffs"])), "d_embed": c["d_embed"],
        "div_val": c["div_val"], "tied_projections": c["tie_projs"], "level": level,
    }


def half(x):
    return np.ascontiguousarray(x.numpy().astype(np.float16))


def make():
    made, metadata = {}, {}
    for number, (name, c) in enumerate(configurations().items()):
        random = np.random.Generator(np.random.PCG64([8, number]))
        state = draw(c, random)
        stream = torch.tensor(random.integers(0, c["n_token"],
                                              (SEGMENTS * c["tgt_len"] + 1, STREAMS)))
        for key, value in state.items():
            if number % 2 == 0 or tied_to(c, key) is None:
                made[f"{name}/state/{key}"] = half(value)
        made[f"{name}/ids"] = half(stream.T)
        made[f"{name}/losses"] = np.array([each.mean().item() for each in run(state, c, stream)])
        metadata[name] = json.dumps(own_config(c))
    return made, metadata


def main():
    torch.set_num_threads(1)
    made, metadata = make()
    if "--check" not in sys.argv:
        save_file(made, FILE, metadata)
        FILE.chmod(0o644)
        print(f"{FILE.name}: {len(metadata)} models, {FILE.stat().st_size} bytes")
        return
    stored = load_file(FILE)
    with safe_open(FILE, "np") as file:
        same = file.metadata() == metadata and made.keys() == stored.keys()
    gap = max((float(abs(made[n].astype(float) - stored[n]).max()) for n in made if same),
              default=math.inf)
    print(f"{FILE.name}: {len(metadata)} models, the largest difference is {gap:.1e}")
    sys.exit(not gap < 1e-12)


if __name__ == "__main__":
    main()

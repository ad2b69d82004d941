"""Makes model_xl/, a language model as Transformer-XL's published code has it, and what
`08_transformer_xl evaluate` must print for it.

The model is written anew after github.com/kimiyoung/transformer-xl, pytorch/mem_transformer.py:
its parameter names, its pre_lnorm (no norm ends the stack), sines and cosines in halves,
_rel_shift, clamp_len, same_length, and the clusters of utils/proj_adaptive_softmax.py, which are
counted from the end. convert() brings a state of that code into docs/en/model_directory.md's form.

    python xl_directory.py            writes model_xl/
    python xl_directory.py --check    converts and evaluates again and compares

Needs torch, numpy and safetensors.
"""

import json
import math
import pathlib
import sys

try:
    import numpy as np
    import torch
    import torch.nn.functional as F
    from safetensors.numpy import load_file, save_file
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

FOLDER = pathlib.Path(__file__).parent / "model_xl"
WORDS = "the cat dog saw a small big and then it ran home".split()
TEXT = """the cat saw a small dog
then it ran home and the big dog saw it

a cat and a dog then ran and ran
nobody saw the small cat
the dog ran home then it saw the cat and the cat ran
"""
D, FF, HEADS, LAYERS, CUTOFFS = 8, 12, 2, 2, [6, 11]
VOCABULARY = 4 + len(WORDS)
UNK, EOS = 3, 2
CONFIG = {
    "kind": "transformer_xl", "vocabulary": VOCABULARY, "d_model": D, "d_ff": FF, "heads": HEADS,
    "layers": LAYERS, "segment": 4, "memory": 6, "extended": 0, "same_length": False, "clamp": 0,
    "untie": False, "tied": True, "dropout": 0.1, "attention_dropout": 0.0, "norm": "pre",
    "final_norm": "never", "activation": "relu", "norm_eps": 1e-5,
    "cutoffs": ",".join(map(str, CUTOFFS)), "level": "word",
}
# flags of `evaluate` -> tgt_len, mem_len, clamp_len and same_length of the published test scripts
CASES = {
    "": (4, 6, -1, False),
    "--clamp 2": (4, 6, 2, False),
    "--same-length": (4, 6, -1, True),
    "--segment 3 --memory 5 --clamp 3 --same-length": (3, 5, 3, True),
}


def draw():
    """A state under the names of the published code, float64."""
    random = np.random.Generator(np.random.PCG64(8))
    shapes = {"word_emb.emb_layers.0.weight": (VOCABULARY, D), "r_w_bias": (HEADS, D // HEADS),
              "r_r_bias": (HEADS, D // HEADS), "crit.out_layers.0.bias": (VOCABULARY,),
              "crit.cluster_weight": (len(CUTOFFS), D), "crit.cluster_bias": (len(CUTOFFS),)}
    for i in range(LAYERS):
        for norm in ("dec_attn", "pos_ff"):
            shapes |= {f"layers.{i}.{norm}.layer_norm.weight": (D,),
                       f"layers.{i}.{norm}.layer_norm.bias": (D,)}
        shapes |= {f"layers.{i}.dec_attn.{w}_net.weight": (rows, D)
                   for w, rows in (("qkv", 3 * D), ("r", D), ("o", D))}
        shapes |= {f"layers.{i}.pos_ff.CoreNet.0.weight": (FF, D),
                   f"layers.{i}.pos_ff.CoreNet.0.bias": (FF,),
                   f"layers.{i}.pos_ff.CoreNet.3.weight": (D, FF),
                   f"layers.{i}.pos_ff.CoreNet.3.bias": (D,)}
    state = {}
    for name, shape in shapes.items():
        numbers = 0.5 * random.standard_normal(shape) + name.endswith("layer_norm.weight")
        state[name] = torch.tensor(numbers.astype(np.float32)).double()
    return state


# ---- the published model -----------------------------------------------------------------------


def positional_embedding(pos_seq):
    inv_freq = 1 / (10000 ** (torch.arange(0.0, D, 2.0, dtype=torch.float64) / D))
    sinusoid = torch.outer(pos_seq, inv_freq)
    return torch.cat([sinusoid.sin(), sinusoid.cos()], -1)


def rel_shift(x):
    """x: (qlen, klen, n_head)"""
    padded = torch.cat([torch.zeros_like(x[:, :1]), x], 1)
    return padded.view(x.shape[1] + 1, x.shape[0], x.shape[2])[1:].view_as(x)


def layer_norm(state, name, x):
    return F.layer_norm(x, (D,), state[f"{name}.layer_norm.weight"],
                        state[f"{name}.layer_norm.bias"])


def dec_attn(state, name, w, r, mem, masked):
    """w: (qlen, D)   r: (klen, D)   mem: (mlen, D)"""
    qlen, heads = len(w), (-1, HEADS, D // HEADS)
    cat = layer_norm(state, name, torch.cat([mem, w]))
    q, k, v = (x.view(heads) for x in (cat @ state[f"{name}.qkv_net.weight"].T).chunk(3, -1))
    q, r = q[-qlen:], (r @ state[f"{name}.r_net.weight"].T).view(heads)
    ac = torch.einsum("ind,jnd->ijn", q + state["r_w_bias"], k)
    bd = rel_shift(torch.einsum("ind,jnd->ijn", q + state["r_r_bias"], r))
    score = (ac + bd) / math.sqrt(D // HEADS)
    prob = score.masked_fill(masked[:, :, None], -math.inf).softmax(1)
    vec = torch.einsum("ijn,jnd->ind", prob, v).reshape(qlen, D)
    return w + vec @ state[f"{name}.o_net.weight"].T


def pos_ff(state, name, x):
    net = {n: state[f"{name}.CoreNet.{n}"] for n in ("0.weight", "0.bias", "3.weight", "3.bias")}
    h = F.relu(F.linear(layer_norm(state, name, x), net["0.weight"], net["0.bias"]))
    return x + F.linear(h, net["3.weight"], net["3.bias"])


def forward(state, ids, mems, mem_len, clamp_len, same_length):
    """returns the last layer's output and the new mems"""
    w = state["word_emb.emb_layers.0.weight"][ids] * math.sqrt(D)
    qlen, mlen = len(ids), len(mems[0])
    klen, ones = mlen + qlen, torch.ones(qlen, mlen + qlen)
    masked = ones.triu(1 + mlen)
    if same_length:
        mask_len = klen - mem_len
        masked = masked + ones.tril(-(qlen - mask_len if mask_len > 0 else qlen))
    pos_seq = torch.arange(klen - 1, -1, -1.0, dtype=torch.float64)
    if clamp_len > 0:
        pos_seq.clamp_(max=clamp_len)
    r, hids = positional_embedding(pos_seq), []
    for i in range(LAYERS):
        hids.append(w)
        w = dec_attn(state, f"layers.{i}.dec_attn", w, r, mems[i], masked.bool())
        w = pos_ff(state, f"layers.{i}.pos_ff", w)
    new = [torch.cat([mem, hid])[max(0, klen - mem_len):] for mem, hid in zip(mems, hids)]
    return w, new


def losses(state, hidden, target):
    weight, bias = state["word_emb.emb_layers.0.weight"], state["crit.out_layers.0.bias"]
    short = CUTOFFS[0]
    head = F.linear(hidden, torch.cat([weight[:short], state["crit.cluster_weight"]]),
                    torch.cat([bias[:short], state["crit.cluster_bias"]])).log_softmax(-1)
    for h, log_head, word in zip(hidden, head, target.tolist()):
        if word < short:
            yield -log_head[word].item()
        for i, (low, high) in enumerate(zip(CUTOFFS, CUTOFFS[1:] + [VOCABULARY]), 1):
            if low <= word < high:
                tail = F.linear(h, weight[low:high], bias[low:high]).log_softmax(-1)
                yield -(log_head[-i] + tail[word - low]).item()


def nats_per_token(state, tgt_len, mem_len, clamp_len, same_length):
    known = {word: 4 + i for i, word in enumerate(WORDS)}
    ids = [EOS]
    for line in TEXT.splitlines():
        ids += [known.get(word, UNK) for word in line.split()] + [EOS]
    ids, all_losses = torch.tensor(ids), []
    mems = [torch.zeros(0, D, dtype=torch.float64)] * LAYERS
    for begin in range(0, len(ids) - 1, tgt_len):
        target = ids[begin + 1:begin + 1 + tgt_len]
        hidden, mems = forward(state, ids[begin:begin + len(target)], mems, mem_len, clamp_len,
                               same_length)
        all_losses += losses(state, hidden, target)
    return sum(all_losses) / len(all_losses)


# ---- as a model directory ----------------------------------------------------------------------


def convert(state):
    """The published names and orders -> those of docs/en/model_directory.md."""
    made = {"embedding.weight": state["word_emb.emb_layers.0.weight"],
            "biases.0.u": state["r_w_bias"], "biases.0.v": state["r_r_bias"],
            "output.bias": state["crit.out_layers.0.bias"],
            "output.cluster_weight": state["crit.cluster_weight"].flip(0),
            "output.cluster_bias": state["crit.cluster_bias"].flip(0)}
    for i in range(LAYERS):
        theirs, ours = f"layers.{i}.dec_attn", f"layers.{i}.attention"
        qkv = state[f"{theirs}.qkv_net.weight"].chunk(3)
        made |= {f"{ours}.w_{x}.weight": part for x, part in zip("qkv", qkv)}
        made[f"{ours}.w_o.weight"] = state[f"{theirs}.o_net.weight"]
        # the columns of the sines, then those of the cosines -> sine and cosine in turn
        halves = state[f"{theirs}.r_net.weight"].view(D, 2, D // 2)
        made[f"{ours}.w_r.weight"] = halves.transpose(1, 2).reshape(D, D)
        for theirs, ours in (("dec_attn", "attention_norm"), ("pos_ff", "feed_forward_norm")):
            for x, y in (("weight", "gamma"), ("bias", "beta")):
                made[f"layers.{i}.{ours}.{y}"] = state[f"layers.{i}.{theirs}.layer_norm.{x}"]
        for x, y in (("0", "w_1"), ("3", "w_2")):
            for kind in ("weight", "bias"):
                made[f"layers.{i}.feed_forward.{y}.{kind}"] = (
                    state[f"layers.{i}.pos_ff.CoreNet.{x}.{kind}"])
    return {name: np.ascontiguousarray(x.numpy().astype(np.float32)) for name, x in made.items()}


def write(state):
    FOLDER.mkdir(exist_ok=True)
    tokens = ["<pad>", "<bos>", "<eos>", "<unk>", *WORDS]
    (FOLDER / "text.vocab.txt").write_text("\n".join(tokens) + "\n")
    (FOLDER / "text.txt").write_text(TEXT)
    (FOLDER / "config.json").write_text(json.dumps(CONFIG, indent=2) + "\n")
    save_file(convert(state), FOLDER / "model.safetensors")
    (FOLDER / "model.safetensors").chmod(0o644)
    (FOLDER / "nats.json").write_text(json.dumps(
        {flags: round(nats_per_token(state, *how), 7) for flags, how in CASES.items()},
        indent=2) + "\n")


def main():
    torch.set_num_threads(1)
    state = draw()
    if "--check" not in sys.argv:
        write(state)
    stored = load_file(FOLDER / "model.safetensors")
    made = convert(state)
    same = made.keys() == stored.keys() and all((made[n] == stored[n]).all() for n in made)
    expected = json.loads((FOLDER / "nats.json").read_text())
    gap = max(abs(nats_per_token(state, *how) - expected[flags]) for flags, how in CASES.items())
    print(f"model_xl: parameters {'agree' if same else 'differ'}, {len(CASES)} evaluations, "
          f"the largest difference is {gap:.1e}")
    sys.exit(not same or not gap < 1e-6)


if __name__ == "__main__":
    main()

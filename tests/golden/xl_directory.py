"""Makes model_xl/ and model_xl_narrow/, language models as Transformer-XL's published code has
them, and what `08_transformer_xl evaluate` must print for them.

xl_published.py is that code, written anew; state.safetensors is a state_dict of it. A
model.safetensors is what `08_transformer_xl import` makes of it: that of model_xl is kept, and
tests/xl_commands_test.py makes that of model_xl_narrow, with d_embed, div_val and d_head.

    python xl_directory.py            writes both
    python xl_directory.py --check    evaluates again and compares

Needs torch, numpy and safetensors.
"""

import json
import pathlib
import sys

import xl_published as published  # exits with 77 where there is no PyTorch
from xl_published import load_file, np, save_file, torch

HERE = pathlib.Path(__file__).parent
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
MODEL = published.BASE | dict(
    n_token=VOCABULARY, n_layer=LAYERS, n_head=HEADS, d_model=D, d_head=D // HEADS, d_inner=FF,
    d_embed=D, cutoffs=CUTOFFS, pre_lnorm=True, tgt_len=4, mem_len=6)
NARROW = MODEL | dict(n_head=3, d_head=5, d_embed=12, div_val=3, tie_projs="clusters",
                      pre_lnorm=False)
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
    shapes = {name: shape for name, shape in published.shapes(MODEL).items()
              if not published.tied_to(MODEL, name)}
    of_layers = [name for name in shapes if name.startswith("layers.")]  # the norms of each first
    names = [name for name in shapes if name not in of_layers]
    names += sorted(of_layers, key=lambda name: (name.split(".")[1], "layer_norm" not in name))
    state = {}
    for name in names:
        numbers = 0.5 * random.standard_normal(shapes[name]) + name.endswith("layer_norm.weight")
        state[name] = torch.tensor(numbers.astype(np.float32)).double()
    return state


def nats_per_token(state, model, tgt_len, mem_len, clamp_len, same_length):
    model = model | dict(tgt_len=tgt_len, mem_len=mem_len, clamp_len=clamp_len,
                         same_length=same_length)
    known = {word: 4 + i for i, word in enumerate(WORDS)}
    ids = [EOS]
    for line in TEXT.splitlines():
        ids += [known.get(word, UNK) for word in line.split()] + [EOS]
    stream = torch.tensor(ids)[:, None]
    return torch.cat(list(published.run(state, model, stream))).mean().item()


# ---- as a model directory ----------------------------------------------------------------------


def float32(x):
    return np.ascontiguousarray(x.numpy().astype(np.float32))


def config_of(model):
    """What model_xl had before there were keys for narrow words is left out where it can be."""
    config = published.own_config(model)
    if model is MODEL:
        for key in ("d_head", "d_embed", "div_val", "tied_projections"):
            del config[key]
    return config


def expected(state, model):
    return {flags: round(nats_per_token(state, model, *how), 7) for flags, how in CASES.items()}


def write(name, state, model):
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    tokens = ["<pad>", "<bos>", "<eos>", "<unk>", *WORDS]
    (folder / "text.vocab.txt").write_text("\n".join(tokens) + "\n")
    (folder / "text.txt").write_text(TEXT)
    (folder / "config.json").write_text(json.dumps(config_of(model), indent=2) + "\n")
    # state_dict() has a tied tensor under each of its names
    save_file({n: float32(x) for n, x in state.items()}, folder / "state.safetensors")
    (folder / "state.safetensors").chmod(0o644)
    (folder / "nats.json").write_text(json.dumps(expected(state, model), indent=2) + "\n")


def equal(state, path):
    stored = load_file(path)
    return state.keys() == stored.keys() and all((float32(x) == stored[n]).all()
                                                 for n, x in state.items())


def main():
    torch.set_num_threads(1)
    plain = draw()
    plain["crit.out_layers.0.weight"] = plain["word_emb.emb_layers.0.weight"]  # tied
    narrow = published.draw(NARROW, np.random.Generator(np.random.PCG64(9)))
    same, gap = True, 0
    for name, state, model in (("model_xl", plain, MODEL), ("model_xl_narrow", narrow, NARROW)):
        if "--check" not in sys.argv:
            write(name, state, model)
        same &= equal(state, HERE / name / "state.safetensors")
        stored = json.loads((HERE / name / "nats.json").read_text())
        gap = max(gap, *(abs(x - stored[flags]) for flags, x in expected(state, model).items()))
    print(f"model_xl, model_xl_narrow: parameters {'agree' if same else 'differ'}, "
          f"{2 * len(CASES)} evaluations, the largest difference is {gap:.1e}")
    sys.exit(not same or not gap < 1e-6)


if __name__ == "__main__":
    main()

"""A torch.nn.Transformer whose sources begin with a start token and end in padding that it sees.

    python tests/golden/seen_padding.py              writes tests/golden/model_padded
    python tests/golden/seen_padding.py --check      computes its scores again
    python tests/golden/seen_padding.py --ruaccent FOLDER DIR
             of the package ruaccent-predictor, unpacked in FOLDER: DIR as `import` wants it

model_padded holds config.json, the vocabularies, state.safetensors under the names that `import`
reads, source.txt, target.txt, and scores.txt: log p(target | source) of each pair. Made with torch
2.13.0; --check leaves with 77 without it.
"""

import json
import math
import pathlib
import sys

from needed import needed

with needed():
    import torch
    from safetensors.torch import load_file, save_file

HERE = pathlib.Path(__file__).resolve().parent
OUT = HERE / "model_padded"
SPECIALS = ["<pad>", "<bos>", "<eos>", "<unk>"]
TOKENS = [*SPECIALS, *" abcdefgh'"]
LENGTH, WIDTH = 24, 16
SOURCES = ["a", "abc def", "hgfedcba", "bad cab", "aaaa aaaa aaaa", "face a bead"]
TARGETS = ["a'", "a'bc de'f", "h", "bad ca'b", "aaaa", "fa'ce a bea'd"]


def config(vocabulary: int, **sizes) -> dict:
    return {"source_vocabulary": vocabulary, "target_vocabulary": vocabulary, "dropout": 0.1,
            "norm": "post", "final_norm": "always", "activation": "relu",
            "shared_embeddings": False, "tied_output": False, "output_bias": True,
            "scale_embeddings": True, "norm_eps": 1e-5, "source_tokenizer": "char",
            "target_tokenizer": "char", **sizes}


SIZES = {"d_model": WIDTH, "d_ff": 24, "heads": 2, "encoder_layers": 2, "decoder_layers": 2}


def write(folder: pathlib.Path, state: dict, tokens: list, sizes: dict):
    folder.mkdir(parents=True, exist_ok=True)
    save_file({name: value.contiguous().clone() for name, value in state.items()},
              folder / "state.safetensors")
    for side in ("source", "target"):
        (folder / f"{side}.vocab.txt").write_text(
            "".join(t.replace(" ", "▁") + "\n" for t in tokens), encoding="utf-8")
    (folder / "config.json").write_text(json.dumps(config(len(tokens), **sizes), indent=1) + "\n")


def positions(length: int) -> torch.Tensor:
    angle = torch.arange(length).unsqueeze(1) / 10000 ** (torch.arange(0, WIDTH, 2) / WIDTH)
    return torch.stack([angle.sin(), angle.cos()], 2).reshape(length, WIDTH).float()


def expected(state: dict) -> list:
    model = torch.nn.Transformer(WIDTH, 2, 2, 2, 24, batch_first=True).eval()
    model.load_state_dict({k: v for k, v in state.items() if k.startswith(("encoder", "decoder"))})

    def embed(side, ids):
        return state[f"{side}.weight"][ids] * math.sqrt(WIDTH) + positions(len(ids))

    scores = []
    for source, target in zip(SOURCES, TARGETS):
        ids = [1, *map(TOKENS.index, source), 2]
        ids += [0] * (LENGTH - len(ids))
        before, after = [1, *map(TOKENS.index, target)], [*map(TOKENS.index, target), 2]
        mask = torch.nn.Transformer.generate_square_subsequent_mask(len(before))
        with torch.no_grad():
            states = model.decoder(embed("target", before)[None],
                                   model.encoder(embed("source", ids)[None]), tgt_mask=mask)
        logits = states[0] @ state["output.weight"].T + state["output.bias"]
        logs = torch.log_softmax(logits.double(), 1)
        scores.append(round(sum(logs[i, id].item() for i, id in enumerate(after)), 6))
    return scores


def make():
    torch.manual_seed(5)
    model = torch.nn.Transformer(WIDTH, 2, 2, 2, 24, batch_first=True)
    state = {name: torch.randn_like(value) * 0.3 + (1 if "norm" in name and "weight" in name else 0)
             for name, value in model.state_dict().items()}
    for name, shape in (("source.weight", (len(TOKENS), WIDTH)), ("target.weight", (len(TOKENS),
                        WIDTH)), ("output.weight", (len(TOKENS), WIDTH)),
                        ("output.bias", (len(TOKENS),))):
        state[name] = torch.randn(shape) * 0.3
    write(OUT, state, TOKENS, SIZES)
    for name, lines in (("source.txt", SOURCES), ("target.txt", TARGETS),
                        ("scores.txt", expected(state))):
        (OUT / name).write_text("".join(f"{line}\n" for line in lines))


def check() -> bool:
    old = map(float, (OUT / "scores.txt").read_text().split())
    new = expected(load_file(OUT / "state.safetensors"))
    return all(abs(a - b) < 1e-4 for a, b in zip(old, new))


def of_ruaccent(package: pathlib.Path, folder: pathlib.Path):
    theirs = torch.load(package / "ruaccent/model/acc_model.pt", map_location="cpu",
                        weights_only=True)
    state = {name.removeprefix("transformer.").replace("output_proj", "output"): value
             for name, value in theirs.items() if not name.startswith("embed.")}
    state["source.weight"] = state["target.weight"] = theirs["embed.char_embed.weight"]
    known = json.loads((package / "ruaccent/model/vocab.json").read_text(encoding="utf-8"))
    tokens = sorted(known, key=known.get)
    write(folder, state, [*SPECIALS, *tokens[4:]],
          {"d_model": 256, "d_ff": 1024, "heads": 8, "encoder_layers": 4, "decoder_layers": 4})


if __name__ == "__main__":
    if "--ruaccent" in sys.argv:
        at = sys.argv.index("--ruaccent")
        sys.exit(of_ruaccent(pathlib.Path(sys.argv[at + 1]), pathlib.Path(sys.argv[at + 2])))
    if "--check" in sys.argv:
        sys.exit(0 if check() else 1)
    make()

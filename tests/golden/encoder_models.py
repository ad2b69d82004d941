"""Random encoders of the kind BERT, as `transformers` writes and reads them, and sentence vectors.

    python tests/golden/encoder_models.py               writes tests/golden/published_encoders
    python tests/golden/encoder_models.py --check       makes them again and compares
    python tests/golden/encoder_models.py --minilm DIR  writes golden/minilm.json, from real weights
    python tests/golden/encoder_models.py --minilm DIR --lines FILE PROGRAM
                  compares the vectors of its lines with PROGRAM's, build/release/bin/05_encoder

A directory holds what the library saves and expected.json: `sentences`, their `ids` and `vectors`,
the mean of the last states over the tokens that are no padding, of norm 1, as sentence-transformers
has it; and `lines` with their ids. Made with transformers 5.24.0, tokenizers 0.23.3 and torch
2.13.0; --check leaves with 77 without them.
"""

import json
import pathlib
import shutil
import subprocess
import sys

from needed import needed

with needed():
    import torch
    import transformers
    from safetensors.torch import load_file, save_file
    from tokenizers import Tokenizer
    from transformers import BertConfig, BertForMaskedLM, BertModel
    from published_models import ALONE, differs, draw_vectors, hostile_lines

HERE = pathlib.Path(__file__).resolve().parent
OUT = HERE / "published_encoders"
SENTENCES = ["the cat sat on the mat", "Hello WORLD, naïve café!", "a",
             "it's what we'd say; isn't it? 你好 world 12 345"]
REAL = ["A man is playing a guitar.", "Someone plays an instrument.",
        "The stock market fell today."]


def config(**more) -> BertConfig:
    return BertConfig(**{**dict(vocab_size=300, hidden_size=16, num_hidden_layers=2,
                                num_attention_heads=2, intermediate_size=24, initializer_range=0.3,
                                max_position_embeddings=40, type_vocab_size=2), **more})


# Name: the config; the class; do the norms have the older letters?
MODELS = {
    "bert-plain": (config(), BertModel, False),
    "bert-masked": (config(num_attention_heads=4, hidden_act="relu", layer_norm_eps=1e-3,
                           num_hidden_layers=1), BertForMaskedLM, True),
}


def vectors(model, tokenizer, sentences) -> torch.Tensor:
    tokenizer.no_truncation()
    tokenizer.enable_padding(pad_id=tokenizer.token_to_id("[PAD]"), pad_token="[PAD]")
    batch = tokenizer.encode_batch(sentences)
    mask = torch.tensor([one.attention_mask for one in batch])
    with torch.no_grad():
        states = model(torch.tensor([one.ids for one in batch]), attention_mask=mask)[0].double()
    share = mask.unsqueeze(-1).double()
    return torch.nn.functional.normalize((states * share).sum(1) / share.sum(1), dim=1)


def rounded(table: torch.Tensor) -> list:
    return [[float(f"{x:.7f}") for x in row] for row in table.tolist()]


def load(directory: pathlib.Path):
    model = BertModel.from_pretrained(directory, dtype=torch.float32, add_pooling_layer=False)
    return model.eval(), Tokenizer.from_file(str(directory / "tokenizer.json"))


def expected(directory: pathlib.Path) -> dict:
    model, tokenizer = load(directory)
    tokenizer.no_padding()
    ids = [tokenizer.encode(s).ids for s in SENTENCES]
    lines = [[line, tokenizer.encode(line).ids] for line in hostile_lines(60, 11)]
    return {"sentences": SENTENCES, "ids": ids, "lines": lines,
            "vectors": rounded(vectors(model, tokenizer, SENTENCES))}


def make(name: str):
    settings, kind, older = MODELS[name]
    torch.manual_seed(sum(map(ord, name)))
    model = kind(settings).eval()
    draw_vectors(model)
    directory = OUT / name
    model.save_pretrained(directory)
    if older:
        tensors = load_file(directory / "model.safetensors")
        save_file({key.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
            "LayerNorm.bias", "LayerNorm.beta"): value for key, value in tensors.items()},
            directory / "model.safetensors", {"format": "pt"})
    shutil.copy(ALONE / "word-pieces/tokenizer.json", directory)
    (directory / "expected.json").write_text(json.dumps(expected(directory)) + "\n")


def check() -> list[str]:
    """Those that differ."""
    return [name for name in MODELS if differs(name, json.loads(
        (OUT / name / "expected.json").read_text()), expected(OUT / name), "vectors", 1e-5)]


def compare_lines(directory: str, path: str, program: str) -> bool:
    model, tokenizer = load(pathlib.Path(directory))
    text = pathlib.Path(path).read_text(encoding="utf-8")
    lines = [line for line in text.split("\n") if line.split()]
    most = 0.0
    said = subprocess.run([program, "encode", "--model", directory, "--text-file", path,
                           "--vectors"], capture_output=True, check=True)
    ours = torch.tensor([[float(x) for x in row.split()] for row in said.stdout.splitlines()])
    for first in range(0, len(lines), 64):
        theirs = vectors(model, tokenizer, lines[first:first + 64])
        most = max(most, (ours[first:first + 64].double() - theirs).abs().max().item())
    print(f"{len(lines)} lines, vectors differ by {most:.1e} at most")
    return most <= 1e-5


if __name__ == "__main__":
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    if "--lines" in sys.argv:
        at, folder = sys.argv.index("--lines"), sys.argv[sys.argv.index("--minilm") + 1]
        sys.exit(0 if compare_lines(folder, sys.argv[at + 1], sys.argv[at + 2]) else 1)
    if "--minilm" in sys.argv:
        found = vectors(*load(pathlib.Path(sys.argv[sys.argv.index("--minilm") + 1])), REAL)
        (HERE / "minilm.json").write_text(
            json.dumps({"sentences": REAL, "vectors": rounded(found)}) + "\n")
        sys.exit()
    if "--check" in sys.argv:
        sys.exit(1 if check() else 0)
    shutil.rmtree(OUT, ignore_errors=True)
    for each in MODELS:
        make(each)

"""Makes three small model directories and what `07_transformer score` must print for them.

Everything is written without this project's code, from docs/en/model_directory.md alone: the model
is PyTorch's own torch.nn.Transformer or its layers, in float64, the pieces are cut by the
SentencePiece package. The parameters are random, so no rule can be forgotten unnoticed.

    python model_directory.py            writes model_word/, model_torch/ and model_bpe/
    python model_directory.py --check    computes the scores of the committed directories again

Needs torch, numpy, safetensors and sentencepiece.
"""

import io
import json
import math
import pathlib
import re
import sys

from needed import needed

with needed():
    import numpy as np
    import sentencepiece
    import torch
    from safetensors.numpy import load_file, save_file

HERE = pathlib.Path(__file__).parent
PAD, BOS, EOS, UNK = range(4)

PAIRS = [
    ("i like the winter games", "wo ai dong ao hui"),
    ("the games", "ao hui"),
    ("i do not like winter", "wo bu ai dong tian"),
    ("games like games like games like games like games like games",
     "hui ai hui ai hui ai hui ai hui ai hui ai hui"),
    ("a word that nobody knows", "yi ge wo bu ai de ci"),
    ("winter", "dong tian lai le wo ai dong tian"),
    ("the winter games do not like a word", "ci"),
]
KNOWN = [["i", "like", "the", "winter", "games", "do", "not", "a"],
         ["wo", "ai", "dong", "ao", "hui", "bu", "tian", "lai", "le"]]

PLAIN = {
    "source_vocabulary": 0, "target_vocabulary": 0, "d_model": 16, "d_ff": 24, "heads": 2,
    "encoder_layers": 1, "decoder_layers": 2, "dropout": 0.1, "norm": "post",
    "activation": "relu", "shared_embeddings": False, "tied_output": False, "output_bias": True,
    "scale_embeddings": True, "norm_eps": 1e-5, "source_tokenizer": "word",
    "target_tokenizer": "word",
}
CONFIGS = {
    "model_word": PLAIN,
    "model_torch": PLAIN | {"final_norm": "always"},  # torch.nn.Transformer as it is built
    "model_bpe": PLAIN | {
        "heads": 4, "encoder_layers": 2, "decoder_layers": 1, "norm": "pre", "activation": "gelu",
        "shared_embeddings": True, "tied_output": True, "output_bias": False,
        "scale_embeddings": False, "norm_eps": 0.01, "source_tokenizer": "bpe",
        "target_tokenizer": "bpe"},
}


# ---- the model, out of PyTorch's modules -------------------------------------------------------


def ends_in_norm(c):
    return {"pre": c["norm"] == "pre", "always": True, "never": False}[c.get("final_norm", "pre")]


class Model(torch.nn.Module):
    def __init__(self, c):
        super().__init__()
        d = c["d_model"]
        how = dict(d_model=d, nhead=c["heads"], dim_feedforward=c["d_ff"], dropout=0.0,
                   activation=c["activation"], layer_norm_eps=c["norm_eps"], batch_first=True,
                   norm_first=c["norm"] == "pre")

        self.config = c
        self.source = torch.nn.Embedding(c["source_vocabulary"], d)
        self.target = torch.nn.Embedding(c["target_vocabulary"], d)
        if ends_in_norm(c):  # both of its stacks end in a norm, whatever their order
            whole = torch.nn.Transformer(num_encoder_layers=c["encoder_layers"],
                                         num_decoder_layers=c["decoder_layers"], **how)
            self.encoder, self.decoder = whole.encoder, whole.decoder
        else:
            self.encoder = torch.nn.TransformerEncoder(
                torch.nn.TransformerEncoderLayer(**how), c["encoder_layers"],
                enable_nested_tensor=False)
            self.decoder = torch.nn.TransformerDecoder(
                torch.nn.TransformerDecoderLayer(**how), c["decoder_layers"])
        self.output = torch.nn.Linear(d, c["target_vocabulary"], c["output_bias"])
        if c["shared_embeddings"]:
            self.target.weight = self.source.weight
        if c["tied_output"]:
            self.output.weight = self.target.weight
        self.double()

    def embed(self, table, ids):
        d = self.config["d_model"]
        x = table(ids) * (math.sqrt(d) if self.config["scale_embeddings"] else 1.0)
        for i in range(0, d, 2):
            angle = torch.arange(len(ids), dtype=torch.float64) / 10000 ** (i / d)
            x[:, i] += angle.sin()
            x[:, i + 1] += angle.cos()
        return x[None]

    def score(self, source, target):
        memory = self.encoder(self.embed(self.source, torch.tensor(source + [EOS])))
        size = len(target) + 1
        ahead = torch.ones(size, size, dtype=torch.bool).triu(1)
        x = self.decoder(self.embed(self.target, torch.tensor([BOS] + target)), memory,
                         tgt_mask=ahead)
        log_p = self.output(x)[0].log_softmax(-1)
        return sum(log_p[t, token].item() for t, token in enumerate(target + [EOS]))


NORMS = {"encoder": ("self_attention", "feed_forward"),
         "decoder": ("self_attention", "cross_attention", "feed_forward")}


def our_names(theirs):
    """The names in model.safetensors of what PyTorch's tensor is, stacked along axis 0: it keeps
    the three input projections one below the other."""
    stack = theirs.partition(".")[0]
    if stack in ("source", "target"):
        return [f"{stack}_embedding.weight"]
    name = re.sub(r"norm(\d)", lambda found: NORMS[stack][int(found[1]) - 1] + "_norm", theirs)
    name = name.replace(f"{stack}.norm", f"{stack}.final_norm")
    if "_norm." in name:
        name = name.replace("weight", "gamma").replace("bias", "beta")
    for word, ours in (("self_attn", "self_attention"), ("multihead_attn", "cross_attention"),
                       ("out_proj", "w_o"), ("linear", "feed_forward.w_")):
        name = name.replace(word, ours)
    before, in_proj, kind = name.partition(".in_proj_")
    return [f"{before}.w_{x}.{kind}" for x in "qkv"] if in_proj else [name]


# ---- writing and reading a directory -----------------------------------------------------------


def write_vocabularies(folder, c):
    if c["source_tokenizer"] == "word":
        sizes = []
        for side, known in zip(("source", "target"), KNOWN):
            tokens = ["<pad>", "<bos>", "<eos>", "<unk>"] + known
            (folder / f"{side}.vocab.txt").write_text("\n".join(tokens) + "\n", encoding="utf-8")
            sizes.append(len(tokens))
        return sizes
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([line for pair in PAIRS[:4] for line in pair]), model_writer=model,
        model_type="bpe", vocab_size=48, hard_vocab_limit=False, character_coverage=1.0,
        normalization_rule_name="identity", pad_id=PAD, bos_id=BOS, eos_id=EOS, unk_id=UNK,
        pad_piece="<pad>", bos_piece="<bos>", eos_piece="<eos>", unk_piece="<unk>",
        minloglevel=2)
    for side in ("source", "target"):
        (folder / f"{side}.model").write_bytes(model.getvalue())
    size = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue()).vocab_size()
    return [size, size]


def encoder_of(folder, c, side):
    if c[f"{side}_tokenizer"] == "bpe":
        return sentencepiece.SentencePieceProcessor(str(folder / f"{side}.model")).encode
    tokens = (folder / f"{side}.vocab.txt").read_text(encoding="utf-8").splitlines()
    ids = {token: i for i, token in enumerate(tokens)}
    return lambda line: [ids.get(word, UNK) for word in line.split()]


def write(folder, config):
    folder.mkdir(exist_ok=True)
    sizes = write_vocabularies(folder, config)
    config = config | dict(zip(("source_vocabulary", "target_vocabulary"), sizes))
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    random = np.random.Generator(np.random.PCG64(len(config["norm"])))
    stored = {}
    for name, value in Model(config).named_parameters():
        numbers = random.standard_normal(value.shape) * (0.5 if value.ndim == 2 else 0.3)
        ours = our_names(name)
        numbers = (numbers + (ours[0].endswith("gamma"))).astype(np.float32)
        for one, part in zip(ours, np.split(numbers, len(ours))):
            stored[one] = np.ascontiguousarray(part)
    save_file(stored, folder / "model.safetensors")
    (folder / "model.safetensors").chmod(0o644)
    for column, name in enumerate(("source.txt", "target.txt")):
        text = "".join(pair[column] + "\n" for pair in PAIRS)
        (folder / name).write_text(text, encoding="utf-8")


def loaded(folder, config):
    """The committed model as PyTorch's."""
    stored = load_file(folder / "model.safetensors")
    model = Model(config).eval()
    with torch.no_grad():
        for name, value in model.named_parameters():
            value.copy_(torch.tensor(np.concatenate([stored.pop(one) for one in our_names(name)])))
    assert not stored, f"{folder}: unknown {list(stored)}"
    return model


def write_state(folder):
    """model_torch/state.safetensors: what `export` writes and `import` reads."""
    model = loaded(folder, json.loads((folder / "config.json").read_text()))
    state = {name: value.numpy().astype(np.float32) for name, value in model.state_dict().items()}
    save_file(state, folder / "state.safetensors", {"format": "pt"})
    (folder / "state.safetensors").chmod(0o644)


def scores(folder):
    config = json.loads((folder / "config.json").read_text())
    model = loaded(folder, config)
    with torch.no_grad():
        source, target = (encoder_of(folder, config, side) for side in ("source", "target"))
        return [model.score(source(a), target(b)) for a, b in PAIRS]


def main():
    torch.set_num_threads(1)
    bad = False
    for name, config in CONFIGS.items():
        folder = HERE / name
        if "--check" not in sys.argv:
            write(folder, config)
            text = "".join(f"{score:.6f}\n" for score in scores(folder))
            (folder / "scores.txt").write_text(text)
            if name == "model_torch":
                write_state(folder)
        found = np.array(scores(folder))
        stored = np.array((folder / "scores.txt").read_text().split(), float)
        gap = np.abs(found - stored).max()
        print(f"{name}: {len(found)} scores, the largest difference is {gap:.1e}")
        bad |= not gap < 1e-5
    sys.exit(bad)


if __name__ == "__main__":
    main()

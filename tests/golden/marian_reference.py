"""Makes small translation models in the layout of Hugging Face's Marian, and what they answer.

The directories, the token ids, the logits and the searches are all the work of `transformers`; the
parameters are random, so that no rule can be forgotten unnoticed. SentencePiece learns its pieces
from the few lines below, which were written for this purpose.

    python marian_reference.py            writes marian/
    python marian_reference.py --check    computes the answers of the committed models again

Made with torch 2.13.0, transformers 5.23.0, sentencepiece 0.2.3 and safetensors 0.8.0.
"""

import hashlib
import json
import pathlib
import shutil
import sys
import tempfile

from needed import needed

with needed():
    import sentencepiece
    import torch
    from safetensors.torch import load_file, save_file
    from transformers import GenerationConfig, MarianConfig, MarianMTModel, MarianTokenizer

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))
from hostile_lines import hostile_lines  # noqa: E402

HERE = pathlib.Path(__file__).parent / "marian"

ENGLISH = """the old boat lies by the river and waits for rain
a child reads the letter aloud, then reads it again
who paints the door green in the middle of winter?
two friends walk home; one of them sings
she counts 1, 2, 3 and opens her eyes!
the baker's oven is warm, the baker's hands are cold
naïve café owners serve crème brûlée
snow falls on the quiet road between the hills
nobody asked why the clock had stopped at ten past four
rivers remember every bridge that crosses them""".splitlines()
GERMAN = """das alte boot liegt am fluss und wartet auf regen
ein kind liest den brief laut, dann liest es ihn noch einmal
wer streicht mitten im winter die tür grün?
zwei freunde gehen heim; einer von ihnen singt
sie zählt 1, 2, 3 und öffnet die augen!
der ofen des bäckers ist warm, seine hände sind kalt
schnee fällt auf die stille straße zwischen den hügeln
niemand fragte, warum die uhr um zehn nach vier stand
flüsse erinnern sich an jede brücke, die sie quert""".splitlines()

SOURCES = ["the old boat waits", "who reads the letter to the child ?", "snow",
           "ﬁne  ｗｉｄｔｈ — naïve café № 7", "one of them paints the river green and sings again ."]

PLAIN = dict(d_model=16, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2,
             decoder_attention_heads=2, encoder_ffn_dim=24, decoder_ffn_dim=24,
             activation_function="relu", scale_embedding=True, max_position_embeddings=64)
SEARCH = dict(max_length=14, num_beams=4, length_penalty=1.0, bad_words="pad")

# What differs from these two.
MODELS = {
    "plain": ({}, {}),
    "swish_deep": (dict(encoder_layers=3, activation_function="swish"),
                   dict(num_beams=6, renormalize_logits=True)),
    "gelu_deep": (dict(decoder_layers=3, activation_function="gelu", scale_embedding=False),
                  dict(length_penalty=0.6, early_stopping=True)),
    "odd_heads": (dict(d_model=30, encoder_attention_heads=6, decoder_attention_heads=6,
                       encoder_ffn_dim=37, decoder_ffn_dim=37, encoder_layers=2),
                  dict(bad_words="more", length_penalty=2.0)),
    "separate": (dict(share_encoder_decoder_embeddings=False, decoder_layers=2,
                      activation_function="silu"), dict(early_stopping="never")),
    "untied": (dict(tie_word_embeddings=False, activation_function="gelu", d_model=24,
                    encoder_attention_heads=3, decoder_attention_heads=3), dict(num_beams=2)),
    "learned": (dict(max_position_embeddings=40, encoder_layers=2), dict(length_penalty=0.0)),
    "odd_width": (dict(d_model=21, encoder_attention_heads=3, decoder_attention_heads=3,
                       activation_function="swish"), dict(max_length=9)),
    "half": (dict(decoder_layers=2, torch_dtype="float16"), dict(bad_words=None, num_beams=3)),
    "unforced": (dict(encoder_layers=2, decoder_layers=2),
                 dict(forced_eos_token_id=None, max_length=6, num_beams=5)),
}


def train(lines, rule, size, kind):
    with tempfile.TemporaryDirectory() as folder:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(lines), model_prefix=f"{folder}/m", vocab_size=size,
            model_type=kind, normalization_rule_name=rule, character_coverage=1.0,
            minloglevel=2, num_threads=1)
        return pathlib.Path(f"{folder}/m.model").read_bytes()


def pieces(model):
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    return [processor.id_to_piece(i) for i in range(processor.get_piece_size())
            if not processor.is_control(i) and not processor.is_unknown(i)]


def vocabulary(lists, codes=(), pad_last=True):
    """</s> and <unk> first, <pad> last; in between another order than the models have. Two
    vocabularies have one id for <pad>: there it comes third."""
    every = sorted({piece for each in lists for piece in each} | set(codes),
                   key=lambda piece: hashlib.sha256(piece.encode()).digest())
    every = every + ["<pad>"] if pad_last else ["<pad>"] + every
    return {piece: i for i, piece in enumerate(["</s>", "<unk>", *every])}


def write_tokenizers():
    source = train(ENGLISH, "nmt_nfkc", 70, "unigram")
    target = train(GERMAN, "identity", 60, "bpe")
    (HERE / "source.spm").write_bytes(source)
    (HERE / "target.spm").write_bytes(target)
    # A few pieces are left out of the vocabulary: what text gives, but the model does not know.
    both = [pieces(source)[:-3], pieces(target)[:-2]]
    for name, table in {"vocab.json": vocabulary(both, [">>deu<<", ">>zho<<"]),
                        "source_vocab.json": vocabulary(both[:1], pad_last=False),
                        "target_vocab.json": vocabulary(both[1:], pad_last=False)}.items():
        (HERE / name).write_text(json.dumps(table, ensure_ascii=False, indent=0) + "\n")


def tokenizer(separate):
    names = ("source.spm", "target.spm", "source_vocab.json" if separate else "vocab.json")
    more = dict(target_vocab_file=str(HERE / "target_vocab.json"), separate_vocabs=True)
    return MarianTokenizer(*(str(HERE / name) for name in names), **(more if separate else {}))


def write_model(name, number):
    changes, how = MODELS[name]
    changes = dict(changes)
    dtype = changes.pop("torch_dtype", None)
    tokens = tokenizer(name == "separate")
    size = len(tokens.encoder)
    target_size = len(tokens.target_encoder) if name == "separate" else size
    pad = tokens.encoder["<pad>"]
    config = MarianConfig(**{**PLAIN, **changes}, vocab_size=size, decoder_vocab_size=target_size,
                          pad_token_id=pad, decoder_start_token_id=pad, eos_token_id=0,
                          forced_eos_token_id=0)
    torch.manual_seed(number)
    model = MarianMTModel(config).eval()
    with torch.no_grad():
        for key, tensor in model.named_parameters():
            if "embed_positions" in key:
                continue
            if "layer_norm" in key and key.endswith("weight"):
                tensor.copy_(1 + 0.2 * torch.randn_like(tensor))
            else:
                wide = "embed" in key or "shared" in key or "lm_head" in key
                tensor.copy_((0.6 if wide else 0.35) * torch.randn_like(tensor))
        model.final_logits_bias.copy_(0.5 * torch.randn_like(model.final_logits_bias))
        model.final_logits_bias[0, 0] += 2 + number % 3 * 1.5  # ends now and then
        positions = {}
        if name == "learned":
            for side in ("encoder", "decoder"):
                table = getattr(model.model, side).embed_positions.weight
                table.copy_(0.4 * torch.randn_like(table))
                positions[f"model.{side}.embed_positions.weight"] = table.clone()
    if dtype:
        model = model.half()
    search = {**SEARCH, **how}
    bad = search.pop("bad_words")
    table = tokens.get_vocab()
    bad_words = {None: None, "pad": [[pad]],
                 "more": [[pad], [1], [table["▁"]], [5, 6], [7, 8, 9], [12]]}[bad]
    generation = GenerationConfig(**{"forced_eos_token_id": 0, **search}, bad_words_ids=bad_words,
                                  pad_token_id=pad, eos_token_id=0, decoder_start_token_id=pad)
    model.generation_config = generation
    folder = HERE / name
    shutil.rmtree(folder, ignore_errors=True)
    model.save_pretrained(folder)
    if positions:
        path = folder / "model.safetensors"
        save_file({**load_file(path), **positions}, path, metadata={"format": "pt"})


def assembled(name, folder):
    """A directory as one is downloaded: the model with the tokenizers beside it."""
    shutil.copytree(HERE / name, folder)
    for spm in ("source.spm", "target.spm"):
        shutil.copy(HERE / spm, folder)
    if name == "separate":
        shutil.copy(HERE / "source_vocab.json", pathlib.Path(folder) / "vocab.json")
        shutil.copy(HERE / "target_vocab.json", folder)
        (pathlib.Path(folder) / "tokenizer_config.json").write_text('{"separate_vocabs": true}\n')
    else:
        shutil.copy(HERE / "vocab.json", folder)
    return folder


def answers(name, work):
    """For each source its ids; what greedy and beam search find; the logits along the latter."""
    folder = assembled(name, f"{work}/{name}")
    tokens = MarianTokenizer.from_pretrained(folder)
    model = MarianMTModel.from_pretrained(folder, dtype=torch.float32).eval()
    assert model.dtype == torch.float32
    every, logits = [], {}
    for i, line in enumerate(SOURCES):
        ids = tokens(line, return_tensors="pt")
        with torch.no_grad():
            greedy = model.generate(**ids, num_beams=1)[0].tolist()
            beam = model.generate(**ids)[0].tolist()
            out = model(**ids, decoder_input_ids=torch.tensor([beam[:-1]])).logits[0]
        if i < 2:
            logits[f"{name}/{i}"] = out.contiguous()
        every.append({"source": line, "ids": ids["input_ids"][0].tolist(), "greedy": greedy,
                      "beam": beam,
                      "greedy_text": tokens.decode(greedy, skip_special_tokens=True),
                      "beam_text": tokens.decode(beam, skip_special_tokens=True)})
    return every, logits


def token_digests():
    """Of each hundred hostile lines, the SHA-256 of their ids, a line each."""
    shared, digests = tokenizer(False), []
    lines = hostile_lines(10_000)
    for first in range(0, len(lines), 100):
        text = "".join(" ".join(map(str, shared(line)["input_ids"])) + "\n"
                       for line in lines[first:first + 100])
        digests.append(hashlib.sha256(text.encode()).hexdigest())
    return digests


def compute():
    with tempfile.TemporaryDirectory() as work:
        found, logits = {}, {}
        for name in MODELS:
            found[name], more = answers(name, work)
            logits |= more
    return {"models": found, "hostile": token_digests()}, logits


def main():
    torch.set_num_threads(1)
    if "--check" not in sys.argv[1:]:
        HERE.mkdir(exist_ok=True)
        write_tokenizers()
        for number, name in enumerate(MODELS):
            write_model(name, 100 + number)
    found, logits = compute()
    if "--check" in sys.argv[1:]:
        kept = json.loads((HERE / "answers.json").read_text())
        assert kept == found, "other answers"
        for key, tensor in load_file(HERE / "logits.safetensors").items():
            assert torch.allclose(tensor, logits[key], atol=1e-5), key
        print("the answers are those committed")
        return
    (HERE / "answers.json").write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n")
    save_file(logits, HERE / "logits.safetensors")
    for name, lines in found["models"].items():
        print(name, [len(line["beam"]) for line in lines], [len(line["greedy"]) for line in lines])


main()

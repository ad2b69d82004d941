"""Random models of the published families, as `transformers` writes and reads them.

    python tests/golden/published_models.py                    writes tests/golden/published
    python tests/golden/published_models.py --tokenizers       writes golden/published_tokenizers
    python tests/golden/published_models.py --check            makes them again and compares
    python tests/golden/published_models.py --lines 10000 PROGRAM [DIR...]
                       compares the tokenizers, or those of directories with a tokenizer.json, with
                       PROGRAM, build/release/bin/09_since_2017

A directory holds what the library saves, config.json, model.safetensors or its shards and the files
of the tokenizer, and expected.json: `prompt`, its `ids`, the tokens `greedy` and the `text` that
generate() writes, the library's `logits` for a few positions, and `lines` with their ids. Those of
tokenizers alone have `lines` and `texts`, which are lists of ids and what they spell. Made with
transformers 5.23.0, tokenizers 0.23.3 and torch 2.13.0; --check leaves with 77 without them.
"""

import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

from needed import needed

with needed():
    import torch
    import transformers
    from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers
    from tokenizers import decoders, processors, trainers
    from transformers import (GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM,
                              MistralConfig, MistralForCausalLM, Qwen2Config, Qwen2ForCausalLM,
                              Qwen3Config, Qwen3ForCausalLM)

HERE = pathlib.Path(__file__).resolve().parent
OUT = HERE / "published"
ALONE = HERE / "published_tokenizers"
TOKENS, PROMPT = 24, "The cat's 1234 mats — 你好, naïve  world!"
LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 32}

SPLIT = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}%s"
         r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")

TEXT = ["the cat sat on the mat, and they're there: 12 345 6789", "hello world  hello\n\nworld",
        "naïve café 你好 你好 world", "it's what we'd say; isn't it?", "HELLO'S worlds\t\tthere"]


DEEPSEEK = (r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|"""
            r"[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+|"
            r" ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
WORDS = r" ?\p{Lu}?[\p{Ll}\p{M}]+(?i:'s|'t)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def small(cuts, tokenizer=None, decoder=None, **trainer) -> Tokenizer:
    """A tokenizer with these steps before it merges, of bytes as characters."""
    own = tokenizer or Tokenizer(models.BPE())
    if cuts is not None:
        own.pre_tokenizer = cuts
    own.decoder = decoder or decoders.ByteLevel()
    usual = dict(vocab_size=300, initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    own.train_from_iterator(TEXT, trainers.BpeTrainer(**{**usual, **trainer}, show_progress=False))
    return own


def byte_level(*before, regex=False, space=False):
    return pre_tokenizers.Sequence(
        [*before, pre_tokenizers.ByteLevel(add_prefix_space=space, use_regex=regex)])


def tokenizer_of(family: str) -> Tokenizer:
    """A small one, with the steps of the family's published tokenizer."""
    tokenizer = Tokenizer(models.BPE(ignore_merges=family == "llama"))
    digits = "{1,3}" if family == "llama" else ""
    cuts = [] if family == "gpt2" else [pre_tokenizers.Split(Regex(SPLIT % digits), "isolated")]
    if family == "qwen2":
        tokenizer.normalizer = normalizers.NFC()
    specials = {"gpt2": ["<|endoftext|>"], "llama": ["<|begin_of_text|>", "<|end_of_text|>"],
                "qwen2": ["<|endoftext|>", "<|im_start|>"]}[family]
    small(byte_level(*cuts) if cuts else pre_tokenizers.ByteLevel(add_prefix_space=False),
          tokenizer, special_tokens=[] if family == "qwen2" else specials)
    tokenizer.add_special_tokens([AddedToken(s, special=True, normalized=False) for s in specials])
    if family == "llama":
        begin = tokenizer.token_to_id("<|begin_of_text|>")
        tokenizer.post_processor = processors.Sequence([
            processors.ByteLevel(trim_offsets=False),
            processors.TemplateProcessing(single="<|begin_of_text|> $A",
                                          special_tokens=[("<|begin_of_text|>", begin)])])
    return tokenizer


TOKENIZERS = {family: tokenizer_of(family) for family in ("gpt2", "llama", "qwen2")}
TOKENIZERS |= {"mistral": TOKENIZERS["llama"], "qwen3": TOKENIZERS["qwen2"]}
for extra in (AddedToken("<lstrip>", lstrip=True, normalized=False),
              AddedToken("<rstrip>", rstrip=True, normalized=True),
              AddedToken("é!", special=False)):
    TOKENIZERS["qwen2"].add_tokens([extra])


def sentencepiece_like(cuts=None, normalizer=None, decoder=None, fuse=True) -> Tokenizer:
    """As Llama 2's: ▁ for a space, <0x0A> for a byte that no piece has."""
    own = Tokenizer(models.BPE(byte_fallback=True, fuse_unk=fuse, unk_token="<unk>"))
    if normalizer:
        own.normalizer = normalizer
    specials = ["<unk>", "<s>", "</s>"]
    small(cuts, own, decoder or decoders.Sequence([
        decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(),
        decoders.Strip(" ", 1, 0)]), vocab_size=360, initial_alphabet=[],
        special_tokens=[f"<0x{i:02X}>" for i in range(256)])
    own.add_special_tokens([AddedToken(s, special=True, normalized=False) for s in specials])
    begin = own.token_to_id("<s>")
    own.post_processor = processors.TemplateProcessing(single="<s> $A",
                                                       special_tokens=[("<s>", begin)])
    state = json.loads(own.to_str())  # the bytes are pieces, not added tokens
    state["added_tokens"] = [t for t in state["added_tokens"] if not t["content"].startswith("<0x")]
    for token in state["added_tokens"]:  # and <unk> is one of the model's
        state["model"]["vocab"][token["content"]] = token["id"]
    return Tokenizer.from_str(json.dumps(state))


def word_pieces(size=300, **normalizer) -> Tokenizer:
    """As BERT's."""
    own = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=12))
    own.normalizer = normalizers.BertNormalizer(**normalizer)
    own.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    own.decoder = decoders.WordPiece("##", cleanup=True)
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    alphabet = [chr(c) for c in range(33, 127)] + list("你好界世ʰßςσ٣½—")
    own.train_from_iterator(TEXT, trainers.WordPieceTrainer(
        vocab_size=size, initial_alphabet=alphabet, special_tokens=specials, show_progress=False))
    own.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    return own


def with_added() -> Tokenizer:
    own = small(byte_level(regex=True))
    own.add_tokens([AddedToken(f"<s_{i}>", normalized=False) for i in range(400)])
    own.add_tokens([AddedToken("cat", single_word=True, normalized=False),
                    AddedToken("the ", normalized=True), AddedToken("the cat", normalized=True),
                    AddedToken("<lstrip>", lstrip=True, normalized=False),
                    AddedToken("<rstrip>", rstrip=True, normalized=False)])
    own.add_special_tokens([AddedToken("<|endoftext|>", special=True, normalized=False)])
    return own


def alone() -> dict:
    """The tokenizers that have no model here, by what is special about them."""
    split = pre_tokenizers.Split
    found = {
        "digits": small(byte_level(pre_tokenizers.Digits(individual_digits=True), regex=True)),
        "digits-together": small(byte_level(pre_tokenizers.Digits(False), regex=True, space=True)),
        "splits": small(byte_level(split(Regex(r"\p{N}{1,3}"), "isolated"),
                                   split(Regex("[一-龥\u3040-ゟ゠-ヿ]+"), "isolated"),
                                   split(Regex(DEEPSEEK), "isolated"))),
        "removed-inverted": small(byte_level(split(Regex(WORDS), "removed", invert=True))),
        "punctuation": small(byte_level(pre_tokenizers.Punctuation("contiguous"),
                                        pre_tokenizers.WhitespaceSplit())),
        "delimiter": small(byte_level(pre_tokenizers.CharDelimiterSplit("t"),
                                      pre_tokenizers.Whitespace())),
        "added": with_added(),
        "word-pieces": word_pieces(),
        "word-pieces-cased": word_pieces(lowercase=False, strip_accents=False),
        "word-pieces-accents": word_pieces(strip_accents=False, clean_text=False,
                                           handle_chinese_chars=False),
        "fallback": sentencepiece_like(normalizer=normalizers.Sequence(
            [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])),
        "fallback-metaspace": sentencepiece_like(
            pre_tokenizers.Metaspace("▁", "first", split=False), fuse=False),
        "metaspace": sentencepiece_like(pre_tokenizers.Metaspace("▁", "always", split=True),
                                        decoder=decoders.Metaspace("▁", "always")),
    }
    for behavior in ("isolated", "removed", "merged_with_previous", "merged_with_next",
                     "contiguous"):
        for invert in (False, True):
            found[f"{behavior}{'-inverted' * invert}".replace("_", "-")] = small(byte_level(
                split(Regex(r"\s|[aeiou]"), behavior, invert)))
    found["text-replaced"] = small(byte_level(split("he", "merged_with_previous")))
    found["text-replaced"].normalizer = normalizers.Replace(Regex(r"l+"), "L")
    return found


def expected_alone(tokenizer: Tokenizer, name: str) -> dict:
    seed = sum(map(ord, name))
    draw = random.Random(seed)
    size = tokenizer.get_vocab_size()
    texts = [[draw.randrange(size) for _ in range(draw.randrange(1, 12))] for _ in range(12)]
    own = [t.content for t in tokenizer.get_added_tokens_decoder().values()][-8:]
    lines = hostile_lines(50, seed) + [f"the cat{t}cat {t} the t{t}" for t in own]
    return {"lines": [[line, tokenizer.encode(line).ids] for line in lines],
            "texts": [[ids, tokenizer.decode(ids)] for ids in texts]}


def make_alone():
    shutil.rmtree(ALONE, ignore_errors=True)
    for name, tokenizer in alone().items():
        (ALONE / name).mkdir(parents=True)
        tokenizer.save(str(ALONE / name / "tokenizer.json"), pretty=False)
        (ALONE / name / "expected.json").write_text(
            json.dumps(expected_alone(tokenizer, name)) + "\n")


def apart(old: list, new: list) -> float:
    """The largest difference of two tables."""
    return max(abs(a - b) for x, y in zip(old, new, strict=True) for a, b in zip(x, y, strict=True))


def check_alone() -> list[str]:
    """Those that differ."""
    return [folder.name for folder in sorted(ALONE.iterdir())
            if json.loads((folder / "expected.json").read_text()) != expected_alone(
                Tokenizer.from_file(str(folder / "tokenizer.json")), folder.name)]


SMALL = dict(vocab_size=310, hidden_size=16, intermediate_size=24, num_hidden_layers=2,
             num_attention_heads=4, num_key_value_heads=2, initializer_range=0.3)
QWEN = dict(eos_token_id=300, bos_token_id=None, tie_word_embeddings=True)
FAMILIES = {
    "gpt2": (GPT2LMHeadModel, GPT2Config, dict(
        vocab_size=310, n_embd=16, n_layer=2, n_head=2, n_positions=96, initializer_range=0.3,
        bos_token_id=0, eos_token_id=0)),
    "llama": (LlamaForCausalLM, LlamaConfig, {**SMALL, "bos_token_id": 0, "eos_token_id": 1}),
    "qwen2": (Qwen2ForCausalLM, Qwen2Config, {**SMALL, **QWEN}),
    "qwen3": (Qwen3ForCausalLM, Qwen3Config, {**SMALL, **QWEN, "head_dim": 6}),
    "mistral": (MistralForCausalLM, MistralConfig, {**SMALL, "bos_token_id": 0, "eos_token_id": 1}),
}


# Name: what differs in the config, and how it is saved: dtype, bytes of a shard, files of the
# tokenizer, a change of config.json as older releases wrote it.
MODELS = {
    "gpt2-plain": (dict(), {}),
    "gpt2-inner": (dict(n_inner=20, n_layer=3, activation_function="gelu"), {"two": True}),
    "gpt2-untied": (dict(tie_word_embeddings=False, n_head=4), {}),
    "gpt2-float16": (dict(n_embd=12, n_head=3, layer_norm_epsilon=1e-3), {"dtype": "float16"}),
    "gpt2-scales": (dict(scale_attn_by_inverse_layer_idx=True, scale_attn_weights=False,
                         activation_function="relu"), {"bare": True}),
    "gpt2-shards": (dict(n_layer=4, n_head=1, n_embd=10), {"dtype": "bfloat16", "shard": "6KB"}),
    "llama-plain": (dict(), {}),
    "llama-biases": (dict(attention_bias=True, mlp_bias=True, rms_norm_eps=1e-3), {"old": True}),
    "llama-scaled": (dict(rope_scaling={**LLAMA3, "rope_theta": 500.0}, num_key_value_heads=1,
                          eos_token_id=[1, 7, 9]), {"dtype": "bfloat16"}),
    "llama-scaled-old": (dict(rope_scaling={**LLAMA3, "rope_theta": 500000.0}),
                        {"old": True, "dtype": "float16"}),
    "llama-head-dim": (dict(head_dim=10, num_attention_heads=8, num_key_value_heads=4,
                            tie_word_embeddings=True), {}),
    "llama-linear": (dict(rope_scaling={"rope_type": "linear", "factor": 4.0,
                                        "rope_theta": 10000.0}, hidden_act="gelu",
                          num_key_value_heads=4), {"shard": "12KB"}),
    "qwen2-plain": (dict(), {}),
    "qwen2-untied": (dict(tie_word_embeddings=False, num_hidden_layers=1), {"two": True}),
    "qwen2-theta": (dict(rope_scaling={"rope_type": "default", "rope_theta": 1000000.0},
                         num_attention_heads=2, num_key_value_heads=1), {"dtype": "bfloat16"}),
    "qwen2-shards": (dict(num_hidden_layers=3, hidden_size=24), {"shard": "14KB", "old": True}),
    "qwen2-float16": (dict(num_key_value_heads=4, rms_norm_eps=1e-5), {"dtype": "float16"}),
    "qwen2-window": (dict(use_sliding_window=True, sliding_window=90, max_window_layers=1),
                    {"two": True}),
    "qwen3-plain": (dict(), {}),
    "qwen3-biases": (dict(attention_bias=True, tie_word_embeddings=False, num_key_value_heads=1,
                          rms_norm_eps=1e-3, rope_parameters={"rope_type": "default",
                                                              "rope_theta": 1000000.0}),
                    {"two": True, "dtype": "bfloat16", "old": True}),
    "mistral-plain": (dict(sliding_window=None), {}),
    "mistral-window": (dict(sliding_window=90, head_dim=6, num_key_value_heads=1),
                       {"dtype": "bfloat16", "old": True}),
}


def hostile_lines(count: int, seed: int = 7) -> list:
    """Lines of all that a tokenizer may stumble over."""
    draw = random.Random(seed)
    pieces = ["'s", "'S", "'ſ", "'RE", "'ll", "'Ve", "'d", "'", " ", "  ", "\t", "\r", "\n",
              "\r\n", "\u00a0", "\u2003", "\u2028", "\u3000", "\u0085", "\u200b", "\ufeff",
              "1", "12345678", "٣", "Ⅷ", "½", "²", "a", "Word", "cat", "the", "你好", "é",
              "e\u0301", "a\u0316\u0301", "\u0301", "\u1100\u1161\u11a8", "각", "가\u11a8", "ﬁ",
              "Å", "\u212b", "\u0958", "\u2adc", "🙂", "👩‍👩‍👧", "\U0001f1e9\U0001f1ea",
              "<|endoftext|>", "<|im_start|>", "<|begin_of_text|>", "<lstrip>", "<rstrip>",
              "é!", "e\u0301!", "<|endof", "!", "?!", "...", "—", "_", "\x00", "\x7f",
              "\u00ad", "Ġ", "Ċ", "ǅ", "ʰ", "𝔘", "𐐷", "\U000e0001", "\u0e33", "ไทย", "العربية"]
    lines = ["", " ", "\n", "  \n \n a", "a\r\n\r\nb"]
    while len(lines) < count:
        parts = []
        for _ in range(draw.randrange(1, 14)):
            kind = draw.random()
            if kind < 0.75:
                parts.append(draw.choice(pieces))
            elif kind < 0.9:
                parts.append(chr(draw.randrange(32, 0x3100)))
            else:
                value = draw.randrange(0x110000)
                parts.append(chr(value) if not 0xD800 <= value <= 0xDFFF else "x")
        lines.append("".join(parts))
    return lines[:count]


def family_of(name: str) -> str:
    return name.split("-")[0]


def save_tokenizer(name: str, directory: pathlib.Path, two: bool):
    tokenizer = TOKENIZERS[family_of(name)]
    if not two:
        tokenizer.save(str(directory / "tokenizer.json"), pretty=False)
        return
    tokenizer.model.save(str(directory))
    added = {str(id): {"content": token.content, "lstrip": token.lstrip, "rstrip": token.rstrip,
                       "normalized": token.normalized, "single_word": token.single_word,
                       "special": token.special}
             for id, token in tokenizer.get_added_tokens_decoder().items()}
    (directory / "tokenizer_config.json").write_text(json.dumps({"added_tokens_decoder": added}))


def written_as_before(directory: pathlib.Path):
    """The keys of the positions as releases before 5 wrote them."""
    path = directory / "config.json"
    config = json.loads(path.read_text())
    rope = config.pop("rope_parameters")
    config["rope_theta"] = rope.pop("rope_theta")
    config["rope_scaling"] = rope if rope["rope_type"] != "default" else None
    config["torch_dtype"] = config.pop("dtype")
    path.write_text(json.dumps(config, indent=2))


def draw_vectors(model):
    """Biases and gains are drawn, too."""
    with torch.no_grad():
        for key, value in model.named_parameters():
            if value.dim() == 1:
                value.copy_(torch.randn_like(value) * 0.2 + (1 if "bias" not in key else 0))


def make(name: str, directory: pathlib.Path):
    (kind, config_of, usual), (more, how) = FAMILIES[family_of(name)], MODELS[name]
    config = config_of(**{**usual, **more})
    torch.manual_seed(sum(map(ord, name)))
    model = kind(config)
    draw_vectors(model)
    model = model.to(getattr(torch, how.get("dtype", "float32")))
    directory.mkdir(parents=True)
    saved = model.transformer if how.get("bare") else model
    saved.save_pretrained(directory, **({"max_shard_size": how["shard"]} if "shard" in how else {}))
    if how.get("bare"):
        config.architectures = ["GPT2LMHeadModel"]
    if how.get("old"):
        written_as_before(directory)
    save_tokenizer(name, directory, how.get("two", False))
    expect(name, directory)


def expect(name: str, directory: pathlib.Path):
    tokenizer = TOKENIZERS[family_of(name)]
    model = FAMILIES[family_of(name)][0].from_pretrained(directory, dtype=torch.float32)
    ids = tokenizer.encode(PROMPT).ids
    with torch.no_grad():
        logits = model(torch.tensor([ids])).logits[0].double()
        written = model.generate(torch.tensor([ids]), max_new_tokens=TOKENS, do_sample=False)
    greedy = written[0, len(ids):].tolist()
    lines = [line for line in hostile_lines(60, sum(map(ord, name)))]
    places = [0, len(ids) // 2, len(ids) - 1]
    expected = {
        "prompt": PROMPT, "ids": ids, "greedy": greedy,
        "text": tokenizer.decode(greedy, skip_special_tokens=True),
        "places": places,
        "logits": [[float(f"{x:.7g}") for x in logits[i].tolist()] for i in places],
        "lines": [[line, tokenizer.encode(line).ids] for line in lines]}
    (directory / "expected.json").write_text(json.dumps(expected) + "\n")


def compare_lines(count: int, program: str, folders: list) -> bool:
    same = True
    all_of_them = {folder: Tokenizer.from_file(str(folder / "tokenizer.json"))
                   for folder in folders or sorted(ALONE.iterdir())}
    if not folders:
        all_of_them |= {OUT / f"{family}-plain": own for family, own in TOKENIZERS.items()}
    for folder, tokenizer in all_of_them.items():
        tokenizer.no_truncation()
        tokenizer.no_padding()
        # A zero byte ends a line, so none may hold one.
        lines = [line.replace("\x00", "\x01") for line in hostile_lines(count)]
        with tempfile.TemporaryDirectory() as scratch:
            path = pathlib.Path(scratch, "lines")
            path.write_bytes("".join(line + "\0" for line in lines).encode())
            said = subprocess.run([program, "tokens", "--model", folder, "--text", path, "--zero"],
                                  capture_output=True, check=True)
        ours = said.stdout.decode().split("\n")[:-1]
        theirs = [" ".join(map(str, tokenizer.encode(line).ids)) for line in lines]
        wrong = [i for i in range(len(lines)) if i >= len(ours) or ours[i] != theirs[i]]
        print(f"{folder.name}: {len(lines)} lines, {len(wrong)} differ")
        for i in wrong[:5]:
            print(f"  {lines[i]!r}\n    ours   {ours[i] if i < len(ours) else None}\n"
                  f"    theirs {theirs[i]}")
        same = same and not wrong and len(ours) == len(lines)
    return same


def differs(name: str, old: dict, new: dict, table: str, most: float) -> bool:
    """The numbers of a table may differ in their last digits from processor to processor."""
    gap = apart(old.pop(table), new.pop(table))
    if differ := old != new or gap > most:
        print(f"{name} differs ({table} by {gap:.1e})")
    return differ


def check() -> list[str]:
    """Those that differ."""
    with tempfile.TemporaryDirectory() as folder:
        for name in MODELS:
            shutil.copytree(OUT / name, pathlib.Path(folder, name))
            expect(name, pathlib.Path(folder, name))
        return [name for name in MODELS if differs(name, *(json.loads(
            (place / name / "expected.json").read_text())
            for place in (OUT, pathlib.Path(folder))), "logits", 1e-4)]


if __name__ == "__main__":
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    if "--lines" in sys.argv:
        at = sys.argv.index("--lines")
        more = [pathlib.Path(folder) for folder in sys.argv[at + 3:]]
        sys.exit(0 if compare_lines(int(sys.argv[at + 1]), sys.argv[at + 2], more) else 1)
    if "--tokenizers" in sys.argv:
        sys.exit(make_alone())
    if "--check" in sys.argv:
        sys.exit("\n".join(check() + check_alone()) or None)
    shutil.rmtree(OUT, ignore_errors=True)
    for each in MODELS:
        make(each, OUT / each)
    print(sum(f.stat().st_size for f in OUT.rglob("*") if f.is_file()), "bytes in", OUT.name)

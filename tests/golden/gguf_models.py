"""GGUF files, as the `gguf` package writes and reads them.

    python tests/golden/gguf_models.py             writes tests/golden/gguf
    python tests/golden/gguf_models.py --check     compares them with what the packages say

kinds.gguf holds a tensor of each kind that is read, of random blocks; kinds.safetensors what the
package makes of them. llama, mistral, qwen2, qwen3 and gpt2.gguf are the models of golden/published
(NAME-plain) as llama.cpp's converter writes them: its names, its order of a Llama's rows of queries
and keys; Mistral's say that they are Llama's. What is expected of them stands there. pieces.gguf
is a tokenizer of SentencePiece, pieces.json its ids of hostile lines. smollm.gguf is a tokenizer of
byte pairs that cuts digits, smollm.json its ids by `tokenizers`. Made with gguf 0.19.0,
sentencepiece 0.2.3 and what published_models.py names; --check leaves with 77 without them.
"""

import io
import json
import pathlib
import shutil
import sys
import tempfile

from needed import needed

with needed():
    import accelerate  # noqa: F401, without which transformers reads no GGUF
    import numpy as np
    import sentencepiece
    import torch
    from gguf import GGMLQuantizationType, GGUFReader, GGUFWriter, quants
    from safetensors.numpy import load_file, save_file
    from tokenizers import AddedToken, pre_tokenizers
    from transformers import AutoModelForCausalLM
    from published_models import OUT as PUBLISHED, TEXT, byte_level, hostile_lines, small

OUT = pathlib.Path(__file__).resolve().parent / "gguf"
KINDS = ("F32", "F16", "BF16", "Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q4_K", "Q5_K", "Q6_K")
# Where the float16 numbers of a block stand.
HALVES = {"Q8_0": (0,), "Q4_0": (0,), "Q4_1": (0, 2), "Q5_0": (0,), "Q5_1": (0, 2),
          "Q4_K": (0, 2), "Q5_K": (0, 2), "Q6_K": (208,)}
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)


def written(writer: GGUFWriter) -> None:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_kinds(path: pathlib.Path) -> None:
    draw, writer = np.random.default_rng(1), GGUFWriter(path, "none")
    for name in KINDS:
        kind = GGMLQuantizationType[name]
        numbers, size = quants.GGML_QUANT_SIZES[kind]
        if name not in HALVES:
            data = draw.standard_normal((2, 256), dtype=np.float32)
            data = quants.quantize(data, kind) if name != "F32" else data
        else:
            data = draw.integers(0, 256, (2, 256 // numbers, size), dtype=np.uint8)
            for at in HALVES[name]:
                scales = draw.normal(0, 0.1, (2, 256 // numbers, 1)).astype(np.float16)
                data[:, :, at:at + 2] = scales.view(np.uint8)
            data = data.reshape(2, -1)
        writer.add_tensor(name, data, raw_dtype=kind if data.dtype == np.uint8 else None)
    written(writer)


def kinds_as_floats(path: pathlib.Path) -> dict:
    return {tensor.name: np.ascontiguousarray(quants.dequantize(tensor.data, tensor.tensor_type))
            for tensor in GGUFReader(path).tensors}


THEIRS = (("model.layers.", "blk."), ("h.", "blk."), ("post_attention_layernorm", "ffn_norm"),
          ("input_layernorm", "attn_norm"), ("self_attn.q_proj", "attn_q"),
          ("self_attn.k_proj", "attn_k"), ("self_attn.v_proj", "attn_v"),
          ("self_attn.o_proj", "attn_output"), ("self_attn.q_norm", "attn_q_norm"),
          ("self_attn.k_norm", "attn_k_norm"), ("mlp.gate_proj", "ffn_gate"),
          ("mlp.up_proj", "ffn_up"), ("mlp.down_proj", "ffn_down"), ("model.norm", "output_norm"),
          ("model.embed_tokens", "token_embd"), ("lm_head", "output"), ("ln_1", "attn_norm"),
          ("ln_2", "ffn_norm"), ("attn.c_attn", "attn_qkv"), ("attn.c_proj", "attn_output"),
          ("mlp.c_fc", "ffn_up"), ("mlp.c_proj", "ffn_down"), ("ln_f", "output_norm"),
          ("wte", "token_embd"), ("wpe", "position_embd"))


# What the file of a family says that it is.
ARCHITECTURES = {"llama": "llama", "mistral": "llama", "qwen2": "qwen2", "qwen3": "qwen3",
                 "gpt2": "gpt2"}


def converted(family: str, name: str, data: np.ndarray, config: dict) -> tuple:
    """The name and the numbers of a tensor as llama.cpp's converter writes them."""
    name = name.removeprefix("transformer.")
    if family == "gpt2" and data.ndim == 2 and name.split(".")[-2].startswith("c_"):
        data = data.T
    if ARCHITECTURES[family] == "llama" and (".q_proj" in name or ".k_proj" in name):
        heads = config["num_attention_heads" if ".q_proj" in name else "num_key_value_heads"]
        data = (data.reshape(heads, 2, data.shape[0] // heads // 2, *data.shape[1:])
                .swapaxes(1, 2).reshape(data.shape))
    for ours, theirs in THEIRS:
        at = name.find(ours)
        if at == 0 or (at > 0 and name[at - 1] == "."):
            name = name.replace(ours, theirs, 1)
    return name, np.ascontiguousarray(data)


def add_byte_pairs(writer: GGUFWriter, tokenizer: dict, size: int, pre: str) -> None:
    added = {token["id"]: token for token in tokenizer["added_tokens"]}
    names = {id: token for token, id in tokenizer["model"]["vocab"].items()}
    names.update((id, token["content"]) for id, token in added.items())
    types = [(CONTROL if added[id]["special"] else USER_DEFINED) if id in added
             else NORMAL if id in names else UNUSED for id in range(size)]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(pre)
    writer.add_token_list([names.get(id, f"[PAD{id}]") for id in range(size)])
    writer.add_token_types(types)
    writer.add_token_merges([merge if isinstance(merge, str) else " ".join(merge)
                             for merge in tokenizer["model"]["merges"]])


def write_model(family: str, path: pathlib.Path) -> None:
    source = PUBLISHED / f"{family}-plain"
    config = json.loads((source / "config.json").read_text())
    tokenizer = json.loads((source / "tokenizer.json").read_text())
    writer, gpt2 = GGUFWriter(path, ARCHITECTURES[family]), family == "gpt2"
    writer.add_block_count(config["n_layer" if gpt2 else "num_hidden_layers"])
    writer.add_context_length(config["n_positions" if gpt2 else "max_position_embeddings"])
    width = config["n_embd" if gpt2 else "hidden_size"]
    writer.add_embedding_length(width)
    writer.add_feed_forward_length(4 * width if gpt2 else config["intermediate_size"])
    writer.add_head_count(config["n_head" if gpt2 else "num_attention_heads"])
    if gpt2:
        writer.add_layer_norm_eps(config["layer_norm_epsilon"])
    else:
        writer.add_head_count_kv(config["num_key_value_heads"])
        writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
        writer.add_rope_freq_base(config["rope_parameters"]["rope_theta"])
        size = config.get("head_dim") or width // config["num_attention_heads"]
        writer.add_rope_dimension_count(size)
        if family == "qwen3":  # whose heads side by side are not as wide as the model
            writer.add_key_length(size)
            writer.add_value_length(size)
    writer.add_vocab_size(config["vocab_size"])
    pre = {"gpt2": "gpt-2", "llama": "llama-bpe"}.get(ARCHITECTURES[family], "qwen2")
    add_byte_pairs(writer, tokenizer, config["vocab_size"], pre)
    if config.get("bos_token_id") is not None:
        writer.add_bos_token_id(config["bos_token_id"])
    writer.add_eos_token_id(config["eos_token_id"])
    if ARCHITECTURES[family] == "llama":
        writer.add_add_bos_token(True)
    for name, data in sorted(load_file(source / "model.safetensors").items()):
        name, data = converted(family, name, data, config)
        if not (name == "output.weight" and config.get("tie_word_embeddings")):
            writer.add_tensor(name, data)
    written(writer)


def write_pieces(folder: pathlib.Path) -> None:
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXT * 3), model_writer=model, vocab_size=360, model_type="bpe",
        byte_fallback=True, normalization_rule_name="identity", remove_extra_whitespaces=False,
        character_coverage=0.98, minloglevel=2)
    pieces = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    writer, all_ids = GGUFWriter(folder / "pieces.gguf", "llama"), range(pieces.get_piece_size())
    writer.add_tokenizer_model("llama")
    writer.add_token_list([pieces.id_to_piece(id) for id in all_ids])
    writer.add_token_scores([pieces.get_score(id) for id in all_ids])
    writer.add_token_types([UNKNOWN if pieces.is_unknown(id) else CONTROL if pieces.is_control(id)
                            else BYTE if pieces.is_byte(id) else NORMAL for id in all_ids])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    written(writer)
    lines = [[line, [1, *pieces.encode(line)]] for line in hostile_lines(200, 3)]
    texts = [[ids, pieces.decode(ids[1:])] for line, ids in lines]
    (folder / "pieces.json").write_text(json.dumps({"lines": lines, "texts": texts}) + "\n")


def write_smollm(folder: pathlib.Path) -> None:
    specials = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    tokenizer = small(byte_level(pre_tokenizers.Digits(individual_digits=True), regex=True),
                      special_tokens=specials)
    tokenizer.add_special_tokens([AddedToken(s, special=True, normalized=False) for s in specials])
    writer = GGUFWriter(folder / "smollm.gguf", "llama")
    add_byte_pairs(writer, json.loads(tokenizer.to_str()), tokenizer.get_vocab_size(), "smollm")
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_add_bos_token(False)
    written(writer)
    lines = [[line, tokenizer.encode(line).ids] for line in hostile_lines(100, 4)]
    texts = [[ids, tokenizer.decode(ids)] for _, ids in lines]
    (folder / "smollm.json").write_text(json.dumps({"lines": lines, "texts": texts}) + "\n")


def make(folder: pathlib.Path) -> None:
    write_kinds(folder / "kinds.gguf")
    save_file(kinds_as_floats(folder / "kinds.gguf"), folder / "kinds.safetensors")
    for family in ARCHITECTURES:
        write_model(family, folder / f"{family}.gguf")
    write_pieces(folder)
    write_smollm(folder)


def as_transformers_reads(family: str) -> bool:
    """Does the library, which reads GGUF too, find the same model in the file?"""
    expected = json.loads((PUBLISHED / f"{family}-plain/expected.json").read_text())
    unread = {"gpt2": {"n_positions": 96}, "qwen3": {"head_dim": 6}}  # by the library
    more = unread.get(family, {})
    model = AutoModelForCausalLM.from_pretrained(OUT, gguf_file=f"{family}.gguf",
                                                 dtype=torch.float32, **more)
    with torch.no_grad():
        logits = model(torch.tensor([expected["ids"]])).logits[0]
    apart = max(abs(a - b) for place, row in zip(expected["places"], expected["logits"])
                for a, b in zip(logits[place].tolist(), row))
    print(f"{family}.gguf: logits by {apart:.1e}")
    return apart < 1e-4


def check() -> bool:
    same = all(as_transformers_reads(family) for family in ARCHITECTURES)
    floats, kept = kinds_as_floats(OUT / "kinds.gguf"), load_file(OUT / "kinds.safetensors")
    same = same and all(np.array_equal(floats[name], kept[name]) for name in KINDS)
    with tempfile.TemporaryDirectory() as scratch:
        make(pathlib.Path(scratch))
        for path in sorted(OUT.iterdir()):
            if path.read_bytes() != (pathlib.Path(scratch) / path.name).read_bytes():
                print(path.name, "differs")
                same = False
    return same


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(0 if check() else 1)
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir()
    make(OUT)
    print(sum(f.stat().st_size for f in OUT.iterdir()), "bytes in", OUT.name)

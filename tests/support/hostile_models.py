"""Model directories that are none: tests/golden/model_word with one file changed, and a word of the
line that says what is wrong."""

from __future__ import annotations

import json
import math
import re
import struct
from pathlib import Path

GOLDEN = Path(__file__).resolve().parent.parent / "golden" / "model_word"
CONFIG, WEIGHTS, WORDS = "config.json", "model.safetensors", "source.vocab.txt"


def with_header(weights: bytes, change) -> bytes:
    """A safetensors file whose header has been changed, its numbers as they are."""
    begin = 8 + int.from_bytes(weights[:8], "little")
    header = json.loads(weights[8:begin])
    change(header, next(name for name, entry in header.items()
                        if len(set(entry.get("shape", ()))) == 2))  # a matrix that is not square
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + weights[begin:]


def filled(weights: bytes, number: float) -> bytes:
    """Every number of it is this one."""
    begin = 8 + int.from_bytes(weights[:8], "little")
    return weights[:begin] + struct.pack("<f", number) * ((len(weights) - begin) // 4)


def with_keys(**values):
    """The settings with these values; None takes a key away."""
    return lambda old: json.dumps({key: each for key, each in {**json.loads(old), **values}.items()
                                   if each is not None}).encode()


HOSTILE = (
    (WEIGHTS, lambda old: b"", "truncated, or does not belong to the model"),
    (WEIGHTS, lambda old: len(old).to_bytes(8, "little") + old[8:], "truncated inside the header"),
    (WEIGHTS, lambda old: (1 << 63).to_bytes(8, "little") + old[8:], "9223372036854775808 bytes"),
    (WEIGHTS, lambda old: ((1 << 32) + 8).to_bytes(8, "little") + old[8:], "4294967304 bytes"),
    (WEIGHTS, lambda old: old[:8] + b"\xff" * 3000 + old[3008:], "is not JSON"),
    (WEIGHTS, lambda old: old[:-40], "ends before the end of"),
    (WEIGHTS, lambda old: old + b"more", "4 bytes follow"),
    (WEIGHTS, lambda old: with_header(old, lambda all, one: all[one].update(
        data_offsets=[1 << 40, (1 << 40) + 4])), "data_offsets"),
    (WEIGHTS, lambda old: with_header(old, lambda all, one: all[one].update(
        shape=[65536, 65536], data_offsets=[0, 0])), "data_offsets"),  # 2^32 is 0 in 32 bits
    (WEIGHTS, lambda old: with_header(old, lambda all, one: all[one].update(
        shape=list(reversed(all[one]["shape"])))), "the model needs"),
    (WEIGHTS, lambda old: with_header(old, lambda all, one: all.update(
        {"other": all.pop(one)})), "the model also needs"),
    (WEIGHTS, lambda old: with_header(old, lambda all, one: all[one].update(
        dtype="I32")), "I32"),
    (WEIGHTS, lambda old: filled(old, math.nan), "NaN or infinity"),
    (WEIGHTS, lambda old: filled(old, -math.inf), "NaN or infinity"),
    (WEIGHTS, lambda old: old[:5], "truncated, or does not belong to the model"),
    (WEIGHTS, lambda old: with_header(old, lambda all, one: all.update({one: None})),
     "not described by a JSON object"),
    (WEIGHTS, lambda old: with_header(old, lambda all, one: all[one].update(
        data_offsets=[-4, 0])), "data_offsets"),
    (WEIGHTS, lambda old: with_header(old, lambda all, one: all[one].update(
        shape=[-n for n in all[one]["shape"]])), "bad shape"),
    (WEIGHTS, lambda old: with_header(old, lambda all, one: all[one].update(
        shape=all[one]["shape"] + [1] * 5000)), "too many values"),
    (WEIGHTS, lambda old: with_header(old, lambda all, one: all.update({"twice": all[one]})),
     "overlaps"),
    (CONFIG, lambda old: b"null", "not a JSON object"),
    (CONFIG, lambda old: old.replace(b'"d_model": 16', b'"d_model": 16.5'), "integer"),
    (CONFIG, lambda old: old.replace(b'"d_model": 16', b'"d_model": 16, "d_model": 32'), "twice"),
    (CONFIG, lambda old: re.sub(rb'("norm_eps"): [^,\n]+', rb"\1: 1e999", old), "norm_eps|JSON"),
    (CONFIG, lambda old: old.replace(b'"norm": "post"', b'"norm": "<script>"'), "norm"),
    (CONFIG, lambda old: old.decode().encode("utf-16"), "JSON"),
    (WORDS, lambda old: old.replace(b"<bos>", b"<BOS>"), "expected <bos>, found"),
    (WORDS, lambda old: old + old.splitlines()[-1] + b"\n", "already on line"),
    (CONFIG, lambda old: b"", "JSON"),
    (CONFIG, lambda old: b"\x00\xff not a config", "JSON"),
    (CONFIG, lambda old: b"[" * 200_000, "at most 65536"),
    (CONFIG, lambda old: b"[" * 60_000, "nested too deeply"),
    (CONFIG, lambda old: b'{"model_type": "llama", "hidden_size": 576}',
     "hidden_size|model_type"),
    (CONFIG, lambda old: old.replace(b'"d_model": 16', b'"d_model": 2000000000'), "truncated, or"),
    (CONFIG, lambda old: re.sub(rb'("encoder_layers"): \d+', rb"\1: 2000000000", old),
     "truncated, or"),
    (CONFIG, lambda old: re.sub(rb'("heads"): \d+', rb"\1: 3", old), "heads"),
    (CONFIG, lambda old: old.replace(b'_tokenizer": "word"', b'_tokenizer": "bpe"'),
     "source.model"),
    (WORDS, lambda old: old + b"one\nmore\n", "entries"),
    (WORDS, lambda old: b"", "source.vocab.txt"),
    (WORDS, lambda old: b"\xff" * 500_000, "source.vocab.txt"),
    (WORDS, lambda old: old + b"\n", "source.vocab.txt:13: an empty token"),
    (WEIGHTS, lambda old: old[:-4] + struct.pack("<f", math.nan), "NaN or infinity"),
    (CONFIG, lambda old: b"[1]", "config.json"),
    *((CONFIG, with_keys(**{key: value}), f"(?=.*config.json).*{key}") for key, value in (
        ("colour", 1), ("heads", None), ("heads", "2"), ("heads", 0), ("d_model", 15), ("d_ff", -1),
        ("dropout", 1.5), ("norm_eps", 0), ("activation", "tanh"), ("source_vocabulary", 11),
        ("target_tokenizer", "syllable"), ("tied_output", 1))),
)

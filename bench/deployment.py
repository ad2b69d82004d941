#!/usr/bin/env python3
"""Translation and generation compared with CTranslate2, in float32 and in 8 bits.

    bench/deployment.py --pieces DATA OUT   Multi30k's text in pieces, and how to train on it
    bench/deployment.py --publish OUT       that model in the layout of a published Marian model and
                                            for CTranslate2; two more with random weights
    bench/deployment.py --measure OUT       runs both sides in turns, writes the log, then the
                                            tables of docs/results/deployment.md; needs an otherwise
                                            idle machine (20 minutes)
    bench/deployment.py --memory OUT        runs this side once more to update only its memory use;
                                            the machine may be busy
    bench/deployment.py --check             do the tables match the log? (exit code 1 if not)

Needs ctranslate2 4.8, transformers 5, torch 2.13, sentencepiece and sacrebleu, except for --check.
"""

import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

import results_page
from results_page import RESULTS, ROOT

LOG = RESULTS / "logs" / "deployment.jsonl"
BIN = ROOT / "build" / "release" / "bin"
ROUNDS, THREADS, LENGTH, PIECES = 3, 2, 24, 4000
MODELS = ["multi30k", "opus", "qwen"]
SETS = ("train", "val", "test_2016_flickr")
TEST = "test_2016_flickr"
TRAINING = ["train", "--src", "train.de", "--tgt", "train.en", "--valid-src", "val.de",
            "--valid-tgt", "val.en", "--tokenizer", "word", "--vocab", "9000",
            "--shared-embeddings", "--tied-output", "--d-model", "256", "--d-ff", "512",
            "--heads", "8", "--activation", "silu", "--dropout", "0.15", "--epochs", "8",
            "--schedule", "linear", "--lr", "0.0012", "--warmup", "500", "--batch-tokens", "2048",
            "--bleu-tokens", "none", "--seed", "1", "--out", "model"]


# --- the models ---

def pieces(data: Path, out: Path) -> None:
    """Text split into pieces, so that `train --tokenizer word` learns a published model's."""
    import sentencepiece
    out.mkdir(parents=True, exist_ok=True)
    text = {(part, side): data / f"{part}.lc.norm.tok.{side}" for part in SETS
            for side in ("de", "en")}
    sentencepiece.SentencePieceTrainer.train(
        input=",".join(str(text["train", side]) for side in ("de", "en")),
        model_prefix=str(out / "joint"), vocab_size=PIECES, model_type="unigram",
        character_coverage=1.0, minloglevel=2)
    cutter = sentencepiece.SentencePieceProcessor(model_file=str(out / "joint.model"))
    for (part, side), path in text.items():
        lines = path.read_text(encoding="utf-8").split("\n")[:-1]
        cut = [" ".join(cutter.encode(line, out_type=str)) for line in lines]
        (out / f"{part}.{side}").write_text("".join(line + "\n" for line in cut), encoding="utf-8")
        (out / f"{part}.text.{side}").write_text("".join(line + "\n" for line in lines),
                                                 encoding="utf-8")
    print(f"next: cd {out} && {BIN / '07_transformer'} " + " ".join(TRAINING))


def marian_config(**sizes):
    from transformers import MarianConfig
    return MarianConfig(
        decoder_vocab_size=sizes["vocab_size"], pad_token_id=sizes["vocab_size"] - 1,
        decoder_start_token_id=sizes["vocab_size"] - 1, eos_token_id=0, forced_eos_token_id=0,
        activation_function="swish", scale_embedding=True, dropout=0.1, **sizes)


def save_marian(model, out: Path, tokens: list[str], spm: Path) -> None:
    import shutil

    from transformers import GenerationConfig, MarianTokenizer
    out.mkdir(parents=True, exist_ok=True)
    (out / "vocab.json").write_text(json.dumps({token: i for i, token in enumerate(tokens)}),
                                    encoding="utf-8")
    for side in ("source.spm", "target.spm"):
        shutil.copyfile(spm, out / side)
    pad = len(tokens) - 1
    model.generation_config = GenerationConfig(
        bad_words_ids=[[pad]], decoder_start_token_id=pad, eos_token_id=0, forced_eos_token_id=0,
        pad_token_id=pad, max_length=200, num_beams=5, length_penalty=1.0)
    MarianTokenizer(source_spm=str(out / "source.spm"), target_spm=str(out / "target.spm"),
                    vocab=str(out / "vocab.json")).save_pretrained(out)
    model.save_pretrained(out)


def publish_trained(out: Path) -> None:
    """Our model directory in the Marian layout: other names, and all sines before the cosines."""
    import torch
    from safetensors.torch import load_file
    from transformers import MarianMTModel
    config = json.loads((out / "model" / "config.json").read_text(encoding="utf-8"))
    ours = load_file(out / "model" / "model.safetensors")
    width = config["d_model"]
    wide = [i // 2 + i % 2 * (width // 2) for i in range(width)]  # our column i is their wide[i]
    narrow = [wide.index(i) for i in range(width)]
    words = (out / "model" / "target.vocab.txt").read_text(encoding="utf-8").split("\n")[:-1]
    pad, bos, eos, unk = range(4)
    others = range(4, len(words))
    rows = [eos, unk, *others, bos]  # their order; ours start with <bos>, theirs with <pad>
    model = MarianMTModel(marian_config(
        vocab_size=len(rows), d_model=width, encoder_layers=config["encoder_layers"],
        decoder_layers=config["decoder_layers"], encoder_attention_heads=config["heads"],
        decoder_attention_heads=config["heads"], encoder_ffn_dim=config["d_ff"],
        decoder_ffn_dim=config["d_ff"], max_position_embeddings=512))
    table = ours["source_embedding.weight"]  # shared by all embeddings
    state = {"model.shared.weight": table[rows][:, narrow],
             "final_logits_bias": ours["output.bias"][rows].reshape(1, -1)}
    both = {"w_q": "q_proj", "w_k": "k_proj", "w_v": "v_proj", "w_o": "out_proj"}
    parts = {"self_attention": "self_attn", "cross_attention": "encoder_attn"}
    for stack in ("encoder", "decoder"):
        for i in range(config[f"{stack}_layers"]):
            here, there = f"{stack}.layers.{i}.", f"model.{stack}.layers.{i}."
            for part, their_part in parts.items():
                if here + part + ".w_q.weight" not in ours:
                    continue
                for w, their_w in both.items():
                    weight, bias = (ours[f"{here}{part}.{w}.{kind}"] for kind in ("weight", "bias"))
                    if w == "w_o":
                        weight, bias = weight[narrow], bias[narrow]
                    else:
                        weight = weight[:, narrow]
                    state[f"{there}{their_part}.{their_w}.weight"] = weight
                    state[f"{there}{their_part}.{their_w}.bias"] = bias
                norm = f"{here}{part}_norm."
                state[f"{there}{their_part}_layer_norm.weight"] = ours[norm + "gamma"][narrow]
                state[f"{there}{their_part}_layer_norm.bias"] = ours[norm + "beta"][narrow]
            state[there + "fc1.weight"] = ours[here + "feed_forward.w_1.weight"][:, narrow]
            state[there + "fc1.bias"] = ours[here + "feed_forward.w_1.bias"]
            state[there + "fc2.weight"] = ours[here + "feed_forward.w_2.weight"][narrow]
            state[there + "fc2.bias"] = ours[here + "feed_forward.w_2.bias"][narrow]
            norm = here + "feed_forward_norm."
            state[there + "final_layer_norm.weight"] = ours[norm + "gamma"][narrow]
            state[there + "final_layer_norm.bias"] = ours[norm + "beta"][narrow]
    state = {key: value.contiguous() for key, value in state.items()}
    missing, unexpected = model.load_state_dict(state, strict=False)
    wrong = [key for key in missing if "embed" not in key and key != "lm_head.weight"]
    if unexpected or wrong:
        sys.exit(f"error: not the same model: {unexpected} {wrong}")
    with torch.no_grad():
        model.tie_weights()
    tokens = ["</s>", "<unk>", *(words[i] for i in others), "<pad>"]
    save_marian(model, out / "multi30k", tokens, out / "joint.model")


def publish_opus(out: Path) -> None:
    """Models of opus-mt's sizes, with random weights."""
    import torch
    from transformers import MarianMTModel
    torch.manual_seed(1)
    tokens = json.loads((out / "multi30k" / "vocab.json").read_text(encoding="utf-8"))
    known = sorted(tokens, key=tokens.get)[:-1]
    known += [f"filler{i}" for i in range(58100 - len(known))] + ["<pad>"]
    model = MarianMTModel(marian_config(
        vocab_size=len(known), d_model=512, encoder_layers=6, decoder_layers=6,
        encoder_attention_heads=8, decoder_attention_heads=8, encoder_ffn_dim=2048,
        decoder_ffn_dim=2048, max_position_embeddings=512))
    save_marian(model, out / "opus", known, out / "joint.model")


def publish_qwen(out: Path) -> None:
    """A model of Qwen2-0.5B's size, with random weights in bfloat16."""
    import shutil

    import torch
    from transformers import Qwen2Config, Qwen2ForCausalLM
    torch.manual_seed(1)
    model = Qwen2ForCausalLM(Qwen2Config(
        vocab_size=151936, hidden_size=896, intermediate_size=4864, num_hidden_layers=24,
        num_attention_heads=14, num_key_value_heads=2, max_position_embeddings=2048,
        tie_word_embeddings=True, bos_token_id=None, eos_token_id=None)).to(torch.bfloat16)
    model.save_pretrained(out / "qwen")
    small = ROOT / "tests" / "golden" / "published" / "qwen2-plain"
    for path in small.glob("token*.json"):
        shutil.copyfile(path, out / "qwen" / path.name)


def convert(out: Path) -> None:
    """Converts for CTranslate2. Its Marian loader starts decoding with a zero embedding, as
    Marian's models do; ours start with the embedding of <pad>, an ordinary token, and so does
    this one."""
    from ctranslate2.converters import TransformersConverter
    from ctranslate2.converters import transformers as loaders

    class StartsWithPad(loaders.BartLoader):
        architecture_name = "MarianMTModel"

        def get_model_spec(self, model):
            model.config.normalize_before = model.config.normalize_embedding = False
            return super().get_model_spec(model)

        def set_config(self, config, model, tokenizer):
            config.eos_token, config.unk_token = tokenizer.eos_token, tokenizer.unk_token
            config.decoder_start_token = tokenizer.pad_token

    loaders._MODEL_LOADERS["MarianConfig"] = StartsWithPad()
    for name in ("multi30k", "opus", "qwen"):
        for kind in ("float32", "int8"):
            TransformersConverter(str(out / name)).convert(str(out / f"{name}.{kind}.ct2"),
                                                          quantization=kind, force=True)


# --- one run of the other side, in a process of its own ---

def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def ct2_translate(model: str, kind: str, source: str, batch: int, beam: int, length: int,
                  target: str) -> None:
    import ctranslate2
    sentences = [line.split() + ["</s>"] for line in
                 Path(source).read_text(encoding="utf-8").split("\n")[:-1]]
    how = {"beam_size": beam, "length_penalty": 1.0, "suppress_sequences": [["<pad>"]],
           "max_decoding_length": length or 200, "min_decoding_length": length or 1}
    best = None
    # Whichever is faster: with one sentence at a time, a second thread may not help.
    for inter, intra in ((1, THREADS), (1 if batch == 1 else THREADS, 1)):
        translator = ctranslate2.Translator(model, device="cpu", compute_type=kind,
                                            inter_threads=inter, intra_threads=intra)

        def translate():
            if batch == 1:
                return [translator.translate_batch([one], **how)[0] for one in sentences]
            return translator.translate_batch(sentences, max_batch_size=batch, **how)
        translate()
        times = []
        for _ in range(3):
            start = time.perf_counter()
            found = translate()
            times.append(time.perf_counter() - start)
        if best is None or statistics.median(times) < best[0]:
            best = statistics.median(times), [inter, intra], [one.hypotheses[0] for one in found]
        del translator
    seconds, workers, found = best
    tokens = sum(len(one) + 1 for one in found)
    if target:
        Path(target).write_text("".join(" ".join(one) + "\n" for one in found), encoding="utf-8")
    print(json.dumps({"tokens_per_s": tokens / seconds, "ms": seconds * 1e3, "tokens": tokens,
                      "sentences": len(sentences), "inter_and_intra_threads": workers,
                      "peak_rss_mb": peak_mb()}))


def ct2_generate(model: str, kind: str, tokens: int) -> None:
    import ctranslate2
    generator = ctranslate2.Generator(model, device="cpu", compute_type=kind, inter_threads=1,
                                      intra_threads=THREADS)

    def seconds(length: int) -> float:
        start = time.perf_counter()
        found = generator.generate_batch([["a"]], max_length=length, min_length=length,
                                         sampling_topk=1, include_prompt_in_result=False)
        if len(found[0].sequences_ids[0]) != length:
            sys.exit("error: another length")
        return time.perf_counter() - start
    seconds(4)
    one, many = seconds(1), seconds(tokens + 1)
    print(json.dumps({"tokens_per_s": tokens / (many - one), "peak_rss_mb": peak_mb()}))


# --- both sides in turns ---

def clean_environment() -> dict[str, str]:
    return {name: text for name, text in os.environ.items() if "OPENBLAS_" not in name}


def answer_of(command: list, **more) -> str:
    found = subprocess.run([str(word) for word in command], env=clean_environment(), check=True,
                           capture_output=True, text=True, **more)
    return found.stdout


def own_generation(model: Path, kind: str, tokens: int) -> dict:
    """Tokens per second from the times of one token and of many, the fastest of three runs each,
    because load times vary; the difference contains neither startup nor loading."""
    def seconds(length: int) -> tuple[float, float]:
        start = time.perf_counter()
        child = subprocess.Popen(
            [str(BIN / "09_since_2017"), "generate", "--model", str(model), "--prompt", "a",
             "--length", str(length), "--greedy", "--precision", kind, "--threads", str(THREADS),
             "--arithmetic", "fast"], env=clean_environment(), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        if status:
            sys.exit("error: generate")
        return time.perf_counter() - start, usage.ru_maxrss / 1024
    seconds(1)  # from now on the files are in memory
    one, many = (min(seconds(length) for _ in range(3)) for length in (1, tokens + 1))
    return {"tokens_per_s": tokens / (many[0] - one[0]), "peak_rss_mb": many[1]}


def measure(out: Path, chosen: list[str], rounds: int, other: bool = True) -> list[dict]:
    """The runs of all rounds, of our side only or of the other side as well."""
    lines = []

    def note(number: int, side: str, model: str, kind: str, form: str, record: dict) -> None:
        lines.append({"round": number, "side": side, "model": model, "precision": kind,
                      "form": form, **record})
        print(number, side, model, kind, form, round(record["tokens_per_s"], 1), "tokens/s",
              round(record["peak_rss_mb"]), "MB", flush=True)
    me = [sys.executable, Path(__file__).resolve()]
    for number in range(rounds):
        for model, length, sentences in (("multi30k", 0, {1: 100, 64: None}),
                                         ("opus", LENGTH, {1: 8, 64: 128})):
            if model not in chosen:
                continue
            for beam, batch in ((1, 1), (1, 64), (5, 1), (5, 64)):
                source = {}
                for form in ("text.de", "de"):
                    text = (out / f"{TEST}.{form}").read_text(encoding="utf-8").split("\n")[:-1]
                    source[form] = out / f"measured.{form}"
                    source[form].write_text("".join(line + "\n" for line in
                                                    text[:sentences[batch]]), encoding="utf-8")
                for kind in ("float32", "int8"):
                    form = f"beam {beam}, batch {batch}"
                    ours = [BIN / "bench", "translate", "--model", out / model, "--src",
                            source["text.de"], "--batch", batch, "--beam", beam, "--length",
                            length, "--precision", kind, "--threads", THREADS]
                    record = json.loads(answer_of(ours).splitlines()[-1])
                    note(number, "ours", model, kind, form, record)
                    if not other:
                        continue
                    target = out / f"ct2.{model}.{kind}.{beam}.{batch}"
                    theirs = [*me, "--ct2-translate", out / f"{model}.{kind}.ct2", kind,
                              source["de"], batch, beam, length, target]
                    record = json.loads(answer_of(theirs))
                    note(number, "CTranslate2", model, kind, form, record)
        for kind in ("float32", "int8") if "qwen" in chosen else ():
            note(number, "ours", "qwen", kind, "token by token",
                 own_generation(out / "qwen", kind, 48))
            if not other:
                continue
            record = json.loads(answer_of([*me, "--ct2-generate", out / f"qwen.{kind}.ct2", kind,
                                           48]))
            note(number, "CTranslate2", "qwen", kind, "token by token", record)
    return lines


def keep(lines: list[dict]) -> None:
    LOG.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def keep_measured(out: Path, chosen: list[str]) -> None:
    others = [run for run in records() if "model" in run and run["model"] not in chosen]
    keep(others + measure(out, chosen, ROUNDS) + scores(out))


def keep_memory(out: Path, chosen: list[str]) -> None:
    """A run that only measures memory has no round."""
    others = [run for run in records() if run.get("model") not in chosen or "round" in run]
    keep(others + [{name: run[name] for name in ("side", "model", "precision", "form",
                                                 "peak_rss_mb")}
                   for run in measure(out, chosen, 1, other=False)])


def scores(out: Path) -> list[dict]:
    """BLEU on Multi30k's test and validation sets, and how many translations both sides share."""
    import sacrebleu
    found = []
    for part in (TEST, "val"):
        text = [(out / f"{part}.text.{side}").read_text(encoding="utf-8") for side in ("de", "en")]
        references = text[1].split("\n")[:-1]
        for beam in (1, 5):
            for kind in ("float32", "int8"):
                ours = answer_of([BIN / "07_transformer", "translate", "--model",
                                  out / "multi30k", "--beam", beam, "--precision", kind,
                                  "--threads", THREADS], input=text[0]).split("\n")[:-1]
                record = {"side": "ours", "part": part, "beam": beam, "precision": kind,
                          "bleu": sacrebleu.corpus_bleu(ours, [references], tokenize="none",
                                                        force=True).score}
                if part == TEST:
                    cut = (out / f"ct2.multi30k.{kind}.{beam}.64").read_text(encoding="utf-8")
                    theirs = [line.replace(" ", "").replace("▁", " ").strip()
                              for line in cut.split("\n")[:-1]]
                    found.append({**record, "side": "CTranslate2",
                                  "bleu": sacrebleu.corpus_bleu(theirs, [references],
                                                                tokenize="none",
                                                                force=True).score})
                    record["alike"] = sum(a == b for a, b in zip(ours, theirs))
                    record["sentences"] = len(ours)
                found.append(record)
    return found


# --- the page ---

WORDS = {
    False: {"head": ["", "beam", "batch", "ours, float32", "CTranslate2, float32", "ratio",
                     "ours, int8", "CTranslate2, int8", "ratio"],
            "multi30k": "trained model", "opus": "opus-mt's sizes",
            "qwen": "Qwen2-0.5B's sizes",
            "bleu": ["", "beam", "float32", "int8", "difference"],
            TEST: "test", "val": "validation", "ours": "ours",
            "alike": "In float32 with a beam of {2}, both engines translate {0} of {1} test "
                     "sentences identically, word for word."},
    True: {"head": ["", "束宽", "批大小", "本项目，float32", "CTranslate2，float32", "比值",
                    "本项目，int8", "CTranslate2，int8", "比值"],
           "multi30k": "训练过的模型", "opus": "opus-mt 的尺寸",
           "qwen": "Qwen2-0.5B 的尺寸",
           "bleu": ["", "束宽", "float32", "int8", "差"],
           TEST: "测试集", "val": "验证集", "ours": "本项目",
           "alike": "用 float32、束宽 {2} 时，{1} 个测试句子里，两者译文逐词相同的有 {0} 句。"},
}


def records() -> list[dict]:
    return [json.loads(line) for line in LOG.read_text(encoding="utf-8").splitlines()]


def table(zh: bool, what: str) -> str:
    """A table of tokens per second with their ratio, or of each side's memory use."""
    words, runs = WORDS[zh], [run for run in records() if "form" in run]
    has_ratio = what == "tokens_per_s"
    alone = {(run["model"], run["side"]) for run in runs if "round" not in run}
    runs = [run for run in runs
            if ("round" in run) == (has_ratio or (run["model"], run["side"]) not in alone)]
    heads = words["head"] if has_ratio else [head for i, head in enumerate(words["head"])
                                             if i not in (5, 8)]
    rows = ["| " + " | ".join(heads) + " |", "|---" + "|--:" * (len(heads) - 1) + "|"]

    def ratio(above: list[float], below: list[float]) -> str:
        each = [a / b for a, b in zip(above, below)]
        spread = f" ({min(each):.2f} … {max(each):.2f})" if len(each) > 1 else ""
        return f"{statistics.median(each):.2f}{spread}"
    for key in dict.fromkeys((run["model"], run["form"]) for run in runs):
        cells = [words[key[0]], *(re.findall(r"\d+", key[1]) or ["1", "1"])]
        for kind in ("float32", "int8"):
            sides = [[run[what] for run in runs
                      if (run["model"], run["form"]) == key and run["side"] == side
                      and run["precision"] == kind] for side in ("ours", "CTranslate2")]
            for side in sides:
                number = statistics.median(side)
                cells.append(f"{number:,.0f}" if number >= 100 or not has_ratio
                             else f"{number:.1f}")
            cells += [ratio(*sides)] if has_ratio else []
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows) + "\n"


def bleu_table(zh: bool) -> str:
    words, runs = WORDS[zh], [run for run in records() if "bleu" in run]
    rows = ["| " + " | ".join(words["bleu"]) + " |", "|---|--:|--:|--:|--:|"]
    for side, part, beam in dict.fromkeys((run["side"], run["part"], run["beam"]) for run in runs):
        wide, narrow = (next(run["bleu"] for run in runs
                             if (run["side"], run["part"], run["beam"], run["precision"]) ==
                             (side, part, beam, kind)) for kind in ("float32", "int8"))
        comma = "，" if zh else ", "
        rows.append(f"| {words.get(side, side)}{comma}{words[part]} | {beam} | {wide:.2f} | "
                    f"{narrow:.2f} | {narrow - wide:+.2f} |")
    said = [words["alike"].format(run["alike"], run["sentences"], run["beam"]) for run in runs
            if "alike" in run and run["precision"] == "float32"]
    return "\n".join(rows) + "\n\n" + "\n".join(said) + "\n"


def tables(zh: bool) -> dict[str, str]:
    return {"rates": table(zh, "tokens_per_s"), "memory": table(zh, "peak_rss_mb"),
            "bleu": bleu_table(zh)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--pieces", nargs=2, type=Path, metavar=("DATA", "OUT"))
    what.add_argument("--publish", type=Path, metavar="OUT")
    what.add_argument("--measure", type=Path, metavar="OUT")
    what.add_argument("--memory", type=Path, metavar="OUT")
    what.add_argument("--check", action="store_true")
    parser.add_argument("--models", nargs="+", choices=MODELS, default=MODELS,
                        help="measure these, and keep the others' lines of the log")
    what.add_argument("--ct2-translate", nargs=7, help=argparse.SUPPRESS)
    what.add_argument("--ct2-generate", nargs=3, help=argparse.SUPPRESS)
    flags = parser.parse_args()
    if flags.ct2_translate:
        model, kind, source, batch, beam, length, target = flags.ct2_translate
        ct2_translate(model, kind, source, int(batch), int(beam), int(length), target)
        return 0
    if flags.ct2_generate:
        ct2_generate(flags.ct2_generate[0], flags.ct2_generate[1], int(flags.ct2_generate[2]))
        return 0
    if flags.pieces:
        pieces(*flags.pieces)
        return 0
    if flags.publish:
        publish_trained(flags.publish)
        publish_opus(flags.publish)
        publish_qwen(flags.publish)
        convert(flags.publish)
        return 0
    if flags.check:
        return results_page.check("deployment", tables, "bench/deployment.py --measure")
    if flags.memory:
        keep_memory(flags.memory, flags.models)
    else:
        keep_measured(flags.measure, flags.models)
    results_page.write("deployment", tables)
    return 0


if __name__ == "__main__":
    sys.exit(main())

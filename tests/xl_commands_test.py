#!/usr/bin/env python3
"""`08_transformer_xl train | evaluate | generate`, run as a user would.

Every refusal is one line on stderr that names the file, line or flag, exit code 2, and every file
that existed is as it was. The program is $XF_BIN/08_transformer_xl, or that of the release build.
"""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import signal
import subprocess
import unittest
from pathlib import Path
from unittest import mock

from support.checkout import BIN, GOLDEN, data_of, json_of
from support.programs import Commands, parts_of, replaced, tensors_of, without_sanitizer

TEXT = "".join(f"{a} {b} {c} .\n" for a in ("the dog", "a cat", "one bird")
               for b in ("runs", "sings", "sleeps") for c in ("loudly", "in the house", "today"))
SMALL = ["--d-model", "8", "--d-ff", "12", "--heads", "2", "--layers", "2", "--segment", "6",
         "--memory", "9", "--batch", "3", "--threads", "2"]


class Case(Commands):
    program = BIN / "08_transformer_xl"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.text = cls.shared / "text"
        cls.text.write_text(TEXT)
        cls.model = cls.shared / "model"
        answer = Case.run_program(*cls.train(cls, out="model"))
        assert answer.returncode == 0, answer.stderr.decode()

    def train(self, *more, out="new", text=None, updates=2):
        return ["train", "--text", text or self.text, "--out", self.shared / out, *SMALL,
                "--updates", updates, *more]

    def train_kind(self, kind: str, *more, **how) -> list:
        """Two of the kinds have no memory."""
        words = self.train("--kind", kind, *more, **how)
        return words if kind == "recurrent_vanilla" else replaced(words, "--memory")

    def copied(self, model: Path, name: str) -> Path:
        """A model, to be changed."""
        return shutil.copytree(model, self.shared / name)

    def evaluated(self, *more, model=None, text=None) -> str:
        return self.done("evaluate", "--model", model or self.model, "--text", text or self.text,
                         *more)

    def nats(self, *more, **what) -> float:
        """Per token."""
        return float(re.search(r"nats per token (\S+)", self.evaluated(*more, **what))[1])

    def unevaluated(self, *more, model=None, text=None, names) -> None:
        self.refused("evaluate", "--model", model or self.model, "--text", text or self.text, *more,
                     names=names)


class BadInput(Case):
    def test_no_room_for_temporary_files(self):
        with mock.patch.dict(os.environ, TMPDIR=str(self.shared / "nowhere")):
            self.refused(*self.train(), names="TMPDIR")

    def test_missing_text(self):
        no = self.shared / "no"
        self.refused(*self.train(text=no), names="no: No such file")
        self.refused(*self.train("--valid", no), names="no: No such file")
        self.unevaluated(text=no, names="no: No such file")

    def test_an_invalid_byte_names_line_and_column(self):
        path = self.file("latin1", b"fine\nb\xe4d\n" * 20)
        self.refused(*self.train(text=path), names="latin1:2: invalid UTF-8 at byte 2")
        self.unevaluated(text=path, names="latin1:2: invalid UTF-8 at byte 2")
        self.refused("generate", "--model", self.model, "--prompt", os.fsdecode(b"b\xe4d"),
                     names="--prompt: invalid UTF-8 at byte 2")

    def test_a_text_shorter_than_a_segment(self):
        path = self.file("short", b"a dog")
        self.refused(*self.train(text=path), names=["short: 6 tokens", "--segment"])
        self.unevaluated("--segment", "7", text=path, names=["short: 6 tokens", "--segment"])
        self.refused(*self.train("--valid", self.file("empty", b"")), names="empty: 0 tokens")

    def test_memory_beyond_what_is_free_is_refused_before_it_is_taken(self):
        self.refused(*replaced(self.train(), "--memory", 2000000000),
                     names=["--memory 2000000000", "GiB"])
        for command in (["evaluate", "--text", self.text], ["generate"]):
            self.refused(*command, "--model", self.model, "--memory", "2000000000",
                         names=["--memory 2000000000", "GiB"])

    def test_what_takes_the_memory_is_named(self):
        for flag in ("--segment", "--extended", "--batch", "--d-ff", "--layers"):
            self.refused(*replaced(self.train(), flag), f"{flag}=2000000000", names=[flag, "GiB"])
        self.unevaluated("--segment", "2000000000", names=["--segment 2000000000", "GiB"])
        self.refused("speed", "--lengths", "20000000", names=["--lengths 20000000", "GiB"])

    def test_speed_refuses_before_it_measures(self):
        for flag, value in (("--heads", 3), ("--d-model", 7), ("--vocabulary", 3), ("--layers", 0),
                            ("--lengths", "0,8"), ("--seconds", "nan"), ("--tolerance", -1)):
            self.refused("speed", f"{flag}={value}", names=flag)
        self.refused("speed", "--out", self.text, names=self.text)

    def test_a_vocabulary_that_is_not_the_models(self):
        folder = self.copied(self.model, "broken")
        with (folder / "text.vocab.txt").open("a") as file:
            file.write("€\n")
        self.unevaluated(model=folder, names=["broken/text.vocab.txt", "vocabulary in config.json"])
        (folder / "text.vocab.txt").unlink()
        self.refused("generate", "--model", folder, names="text.vocab.txt: No such file")
        shutil.rmtree(folder)

    def test_a_damaged_model(self):
        folder = self.copied(self.model, "damaged")
        path = folder / "model.safetensors"
        path.write_bytes(path.read_bytes()[:500])
        self.unevaluated(model=folder, names="damaged/model.safetensors")
        path.write_bytes((self.model / "model.safetensors").read_bytes()[:-4] + b"\0\0\xc0\x7f")
        self.unevaluated(model=folder, names=["damaged/model.safetensors", "holds NaN or infinity"])
        whole = json_of(folder / "config.json")
        for key, value in (("heads", 3), ("colour", 1), ("level", "syllable"), ("segment", 0)):
            json_of(folder / "config.json", **{key: value})
            self.unevaluated(model=folder, names=["damaged/config.json", key])
            json_of(folder / "config.json", **{key: whole.get(key)})

    def test_values_out_of_range_name_the_flag(self):
        for flag, value in (("--heads", 3), ("--d-model", 7), ("--layers", 0), ("--segment", 0),
                            ("--memory", -1), ("--extended", -1), ("--dropout", 1), ("--lr", 0),
                            ("--attention-dropout", 1), ("--batch", 0), ("--updates", -1),
                            ("--schedule", "cosine"), ("--level", "syllable"), ("--vocab", 4),
                            ("--norm", "both"), ("--cutoffs", "9,5"), ("--min-count", 0),
                            ("--beta2", 1), ("--warmup", -1), ("--patience", -1),
                            ("--kind", "rnn"), ("--average", 0), ("--weight-decay", -1),
                            ("--embedding-dropout", 1)):
            self.refused(*replaced(self.train(out="range"), flag), f"{flag}={value}", names=flag)
        for flag, value in (("--length", 0), ("--temperature", -1), ("--top-k", -1),
                            ("--top-p", 1.5), ("--segment", 0), ("--memory", -2)):
            self.refused("generate", "--model", self.model, f"{flag}={value}", names=flag)

    def test_lists_and_values_that_end_too_soon(self):
        self.refused(*self.train("--cutoffs", "10,"), names=["--cutoffs", "10,"])
        self.refused(*self.train("--cutoffs", ","), names="--cutoffs")
        self.refused(*self.train("--cutoffs", "5,,10"), names="--cutoffs")
        self.refused("ablation", "--text", self.text, "--valid", self.text, "--out",
                     self.shared / "new", "--attention", "0,400,", names="--attention")
        self.refused("speed", "--lengths", "8,", "--out", self.shared / "new", names="--lengths")
        for flag in ("--text", "--valid", "--level", "--kind"):
            self.refused(*self.train(flag, ""), names=flag)
        self.refused("generate", "--model", self.model, "--temperature", "", names="--temperature")
        self.refused(*self.train("--seed", "99999999999999999999"), names="--seed")

    def test_an_endless_device_is_no_text(self):
        self.refused(*self.train(text="/dev/zero"), names="/dev/zero: a device")
        self.unevaluated(text="/dev/zero", names="/dev/zero: a device")

    def test_what_means_nothing_to_a_kind(self):
        self.refused(*self.train("--kind", "vanilla"), names=["--memory", "vanilla"])
        self.refused(*self.train("--kind", "recurrent_vanilla", "--clamp", 3), names="--clamp")
        self.refused(*self.train("--kind", "recurrent_vanilla", "--untie"), names="--untie")
        self.refused(*self.train("--equal-parameters"), names=["--equal-parameters", "--kind"])
        self.done(*self.train_kind("vanilla", out="kindly"))
        for command in (["evaluate", "--text", self.text], ["generate"]):
            self.refused(*command, "--model", self.shared / "kindly", "--memory", 4,
                         names=["--memory", "vanilla"])
        config = self.shared / "kindly/config.json"
        config.write_text(config.read_text().replace('"vanilla"', '"rnn"'))
        self.refused("generate", "--model", self.shared / "kindly",
                     names=["kindly/config.json", "kind"])

    def test_what_must_be_given(self):
        self.refused("train", "--text", self.text, "--updates", "1", names="--out is missing")
        self.refused(*replaced(self.train(), "--updates"),
                     names="--minutes is missing: how long to train")
        self.refused("evaluate", "--text", self.text, names="--model")
        self.refused("evaluate", "--model", self.model, names="--text")
        self.refused(*self.train(out="model"), names=["--out", str(self.model)])
        self.refused(*self.train("--resume", out="nowhere"), names=["--resume", "checkpoint"])


class Training(Case):
    LIMITS = ["--dropout", "0.2", "--extended", "2", "--seed", "7", "--valid-every", "300",
              "--average", "2", "--weight-decay", "0.1", "--embedding-dropout", "0.1"]

    def whole(self, out, *more, updates=1000):
        return self.train("--valid", self.text, *self.LIMITS, *more, out=out, updates=updates)

    def checkpoint(self, out) -> tuple[dict, bytes]:
        """Its header and all its numbers: parameters, Adam's state, the memories."""
        return parts_of(self.shared / out / "checkpoint.safetensors")

    def test_interrupted_and_resumed_is_uninterrupted(self):
        self.done(*self.whole("uncut"))
        command, stops = self.whole("cut"), []
        for line, *resume in ([b"parameters"], [b"resumed", "--resume"]):
            self.interrupted(line, *command, *resume)
            stops.append(int(self.checkpoint("cut")[0]["__metadata__"]["update"]))
        self.assertTrue(0 < stops[0] <= stops[1] < 1000, stops)
        self.refused(*self.whole("cut"), names=["--out", "--resume"])
        self.refused(*self.whole("cut", "--resume", "--lr", "0.5"), names="--lr")
        self.refused(*self.whole("cut", "--resume", "--clamp", "3"), names="--clamp")
        self.done(*command, "--resume")
        for name in ("uncut", "cut"):
            for layer in ("memory.0", "memory.1"):
                self.assertEqual(self.checkpoint(name)[0][layer]["shape"][::2], [3, 8])
        self.assertEqual(self.checkpoint("cut")[1], self.checkpoint("uncut")[1], stops)
        self.assertEqual(*((self.shared / name / "model.safetensors").read_bytes()
                           for name in ("cut", "uncut")))
        self.refused(*replaced(self.whole("cut", "--resume"), "--valid"),
                     names=["--resume", "--valid"])
        other = self.file("other", TEXT.replace("dog", "fox"))
        self.refused(*replaced(self.whole("cut", "--resume"), "--valid", other),
                     names=["--resume", "another validation text"])
        for flag in ("--vocab", "--min-count"):
            self.refused(*self.whole("cut", "--resume", flag, 5), names=flag + ": ")
        self.done(*command, "--resume", "--vocab", 0, "--min-count", 1)
        history = (self.shared / "cut" / "history.csv").read_text().splitlines()
        self.assertEqual([line.split(",")[0] for line in history],
                         ["update", "300", "600", "900", "1000"])

    def test_every_kind_resumes_exactly(self):
        """Stopped by the limit of one run, taken up by another with a later limit."""
        for kind, extended in (("vanilla", 2), ("recurrent_vanilla", 6), ("lstm", 0)):
            def command(out, updates, *more):
                return self.train_kind(kind, "--valid", self.text, "--dropout", "0.2", "--schedule",
                                       "constant", "--extended", extended,
                                       "--equal-parameters", *more, out=out, updates=updates)
            self.done(*command(f"{kind}-uncut", 200))
            self.done(*command(f"{kind}-cut", 77))
            self.done(*command(f"{kind}-cut", 200, "--resume"))
            cut, uncut = (self.checkpoint(f"{kind}-{name}") for name in ("cut", "uncut"))
            self.assertEqual(cut[1], uncut[1])
            self.assertEqual("memory.0" in cut[0], kind != "vanilla")
            self.refused(*replaced(command(f"{kind}-cut", 300, "--resume"), "--kind",
                                   "transformer_xl"), names="--kind")

    def test_another_text_is_noticed_on_resume(self):
        text = self.file("moving", TEXT.encode())
        command = self.train(out="moving-model", text=text)
        longer = self.train("--resume", out="moving-model", text=text, updates=4)
        self.done(*command)
        for content in (TEXT + "more\n", TEXT.replace("dog", "fox"), TEXT[::-1].strip() + "\n"):
            text.write_text(content)
            self.refused(*longer, names=["--resume", "another training text", "bytes"])
        text.write_text(TEXT.replace("\n", "\r\n"))  # the same lines
        self.done(*longer)

    @without_sanitizer
    def test_a_long_text_takes_no_more_memory(self):
        """A text whose ids are many times the difference that is allowed."""
        large = self.file("large", (TEXT * 16000).encode())
        self.assertGreater(4 * large.stat().st_size, 40e6)
        small = self.file("medium", (TEXT * 80).encode())
        (first, code, *_), (second, other, *_) = (
            self.peak(*self.train(out=f"memory-{path.name}", text=path)) for path in (small, large))
        self.assertEqual((code, other), (0, 0))
        self.assertLess(1024 * (second - first), 8e6, "training")

    def test_equal_parameters(self):
        def count(*more):
            arguments = replaced(self.train(*more, out=f"count{len(more)}"), "--d-model", 16)
            if "vanilla" in more:
                arguments = replaced(arguments, "--memory")
            return int(re.search(r"; (\d+) parameters", self.done(*arguments))[1])
        xl, vanilla = count(), count("--kind", "vanilla", "--equal-parameters")
        self.assertLess(abs(xl - vanilla), 2 * (2 * 16 + 1) / 2 + 1)  # half a hidden unit a layer
        self.assertGreater(abs(xl - count("--kind", "vanilla")), 2 * (2 * 16 + 1))

    def test_it_learns(self):
        self.done(*self.train("--valid", self.text, "--valid-every", "20", "--lr", "0.01",
                              "--dropout", "0", "--attention-dropout", "0", "--warmup", "5",
                              out="learns", updates=120))
        history = (self.shared / "learns/history.csv").read_text().splitlines()[1:]
        losses = [float(line.split(",")[6]) for line in history]
        self.assertLess(losses[-1], losses[0] - 0.5)

    def test_every_level_and_the_documentation(self):
        for level in ("word", "bpe"):
            more = ["--vocab", "60"] if level == "bpe" else []
            self.done(*self.train("--level", level, *more, out=level))
            self.assertRegex(self.evaluated(model=self.shared / level),
                             r"characters %d\n" % len(TEXT))
        answer = self.done("train", "--out", self.shared / "docs", *SMALL, "--updates", "2",
                           "--valid-every", "100")
        self.assertRegex(answer, r"^[1-9]\d{3,} training tokens, [1-9]\d{2,} for validation")


class Using(Case):
    def evaluate(self, *more):
        return {name: float(value) for name, value in re.findall(
            r"(?m)(tokens|unknown|characters|nats per token|bits per character|perplexity) "
            r"(\d[\d.]*)", self.evaluated(*more))}

    def test_unknown_tokens_are_counted(self):
        known = self.evaluate()
        text = self.file("foreign", (TEXT + "\u4f60\u597d\n").encode())
        self.assertEqual(known["unknown"], 0)
        self.assertIn(f"tokens {len(TEXT) + 3}  unknown 2  characters {len(TEXT) + 3}\n",
                      self.evaluated(text=text))

    def test_the_token_count_is_the_same_whatever_the_segment(self):
        found = [self.evaluate("--segment", segment, "--memory", memory)
                 for segment, memory in ((1, 20), (7, 0), (64, 64), (200, 3))]
        found.append(self.evaluate("--batch", "4"))
        for one in found:
            self.assertEqual((one["tokens"], one["characters"]), (len(TEXT), len(TEXT)))
            self.assertAlmostEqual(one["perplexity"], math.exp(one["nats per token"]), delta=0.01)
            self.assertAlmostEqual(one["bits per character"],
                                   one["nats per token"] / math.log(2), delta=1e-4)

    def test_every_kind_predicts_every_token_once_and_goes_on_with_a_prompt(self):
        for kind in ("vanilla", "recurrent_vanilla", "lstm"):
            self.done(*self.train_kind(kind, out=kind))
            nats = set()
            others = ([], ["--segment", "11"], ["--segment", "4", "--extended", "3"])
            for more in others[:2] if kind == "lstm" else others:
                answer = self.evaluated(*more, model=self.shared / kind)
                self.assertIn(f"tokens {len(TEXT)}  unknown 0  characters {len(TEXT)}\n", answer)
                nats.add(re.search(r"nats per token (\S+)", answer)[1])
            # Other contexts, other predictions; an LSTM's state does not know of segments.
            self.assertEqual(len(nats), 1 if kind == "lstm" else 3, nats)
            answer = self.done("generate", "--model", self.shared / kind, "--prompt",
                               "the dog runs in the", "--length", 30)
            self.assertTrue(answer.startswith("the dog runs in the"))
            self.assertEqual(len(answer), len("the dog runs in the") + 30 + 1)

    def test_a_text_is_shown_as_it_is_written_and_can_be_stopped(self):
        with subprocess.Popen([self.program, "generate", "--model", self.model, "--prompt",
                               "the dog", "--length", "100000000"],
                              stdout=subprocess.PIPE) as writes:
            self.assertEqual(writes.stdout.read(200)[:7], b"the dog")
            writes.send_signal(signal.SIGINT)
            rest = writes.stdout.read()
            self.assertEqual(writes.wait(timeout=60), 0)
        self.assertTrue(rest.endswith(b"\n"))

    def test_a_model_of_the_published_code_gives_its_numbers(self):
        self.assert_published(GOLDEN / "model_xl", 5e-5)

    def assert_published(self, folder: Path, delta: float) -> None:
        for flags, nats in json_of(folder / "nats.json").items():
            found = self.nats(*flags.split(), model=folder, text=folder / "text.txt")
            self.assertAlmostEqual(found, nats, delta=delta, msg=(folder.name, flags))

    def test_a_state_dict_of_the_published_code_goes_both_ways(self):
        tied = {"model_xl": {"crit.out_layers.0.weight"},
                "model_xl_narrow": {*(f"crit.out_layers.{i}.weight" for i in range(3)),
                                    "crit.out_projs.1", "crit.out_projs.2"}}
        for name, again in tied.items():
            golden, folder = GOLDEN / name, self.copied(GOLDEN / name, f"{name}_imported")
            weights, theirs = folder / "model.safetensors", golden / "state.safetensors"
            weights.unlink(missing_ok=True)
            self.done("import", "--model", folder, "--state", theirs)
            if name == "model_xl":  # which Python has converted
                self.assertEqual(tensors_of(weights), tensors_of(golden / "model.safetensors"))
            self.assert_published(folder, 1e-5)
            state = self.both_ways(folder)
            # Every number of theirs, a tied tensor once; and what they count among the numbers.
            written, whole = tensors_of(state), tensors_of(theirs)
            self.assertEqual(written.pop("pos_emb.inv_freq")[0], [4])
            self.assertEqual(whole.keys() - written.keys(), again)
            self.assertEqual(written, {key: whole[key] for key in written})

    def both_ways(self, folder) -> Path:
        """Exported, imported, exported: the same bytes twice, of both files."""
        states = [self.shared / f"{folder.name}.{i}.safetensors" for i in range(2)]
        weights = folder / "model.safetensors"
        before = weights.read_bytes()
        self.done("export", "--model", folder, "--state", states[0])
        weights.unlink()
        self.done("import", "--model", folder, "--state", states[0])
        self.assertEqual(weights.read_bytes(), before)
        self.refused("export", "--model", folder, "--state", weights, names="--state: ")
        self.refused("import", "--model", folder, "--state", states[0], "--out", self.shared,
                     names="--out: ")
        self.done("export", "--model", folder, "--state", states[1])
        self.assertEqual(states[0].read_bytes(), states[1].read_bytes())
        return states[0]

    def test_narrow_words_and_wide_heads_are_trained_kept_and_exchanged(self):
        flags = ["--d-embed", 12, "--div-val", 2, "--cutoffs", "9,15", "--d-head", 5,
                 "--tied-projections", "clusters", "--final-norm", "never"]
        self.done(*self.train(*flags, out="narrow"))
        folder = self.shared / "narrow"
        config = json_of(folder / "config.json")
        self.assertEqual([config[key] for key in ("d_embed", "div_val", "d_head")], [12, 2, 5])
        self.assertEqual(config["tied_projections"], "clusters")
        shapes = {name: shape for name, (shape, _) in
                  tensors_of(folder / "model.safetensors").items()}
        self.assertEqual(shapes["narrow.tables.0"], [6, 6])
        self.assertIn("output.narrow.projections.0", shapes)
        self.assertNotIn("output.narrow.projections.1", shapes)
        self.assertIn("\n", self.done("generate", "--model", folder, "--length", 20))
        self.both_ways(folder)
        self.refused(*self.train(*flags, "--kind", "recurrent_vanilla", out="other"),
                     names=["--d-head", "recurrent_vanilla"])
        self.refused(*self.train("--tied-projections", "all", out="other"),
                     names=["--tied-projections", "--d-embed"])
        self.refused(*self.train("--div-val", 0, out="other"), names="--div-val")
        self.refused(*self.train("--cutoffs", "9,15", "--div-val", 30, out="other"),
                     names=["--div-val", "--d-embed"])

    def test_a_state_that_is_none_of_the_published_code(self):
        folder = self.copied(GOLDEN / "model_xl", "unpublished")
        state, config = folder / "state.safetensors", folder / "config.json"
        whole, said = state.read_bytes(), config.read_text()
        for content, names in ((whole.replace(b"r_r_bias", b"r_r_bia_"), "r_r_bias"),
                               (whole[:-9], "state.safetensors"), (b"", "state.safetensors"),
                               (whole[:-4] + b"\0\0\xc0\x7f", "NaN")):
            state.write_bytes(content)
            self.refused("import", "--model", folder, "--state", state, names=names)
        state.write_bytes(whole)
        for key, value in (("activation", "gelu"), ("final_norm", "always"), ("untie", True),
                           ("d_head", 3), ("d_embed", 4)):
            config.write_text(json.dumps(json.loads(said) | {key: value}))
            names = [config, key] if isinstance(value, (str, bool)) else [state, "the model needs"]
            self.refused("import", "--model", folder, "--state", state, names=names)

    def test_clamp_and_same_length_as_if_trained_so(self):
        folder = self.copied(GOLDEN / "model_xl", "clamped")
        what = {"model": folder, "text": folder / "text.txt"}
        config, known = json_of(folder / "config.json"), self.nats(**what)
        for flags, fields in ((["--clamp", 2], {"clamp": 2}),
                              (["--same-length"], {"same_length": True}),
                              (["--clamp", 3, "--same-length"], {"clamp": 3, "same_length": True})):
            json_of(folder / "config.json", **{key: config.get(key) for key in fields})
            found = self.nats(*flags, **what)
            self.assertNotEqual(found, known)
            json_of(folder / "config.json", **fields)
            self.assertEqual(self.nats(**what), found)
            self.assertEqual(self.nats("--clamp", 0, "--no-same-length", **what), known)
        for flags in (["--clamp", "-1"], ["--clamp", "x"]):
            self.unevaluated(*flags, names="--clamp")
        self.unevaluated("--same-length", "--memory", 0, names="--memory")

    def test_memory_and_segment_are_one_context(self):
        """A memory that holds the whole text makes every segment length the same model."""
        found = [self.nats("--segment", segment, "--memory", 2000)
                 for segment in (5, 64, len(TEXT))]
        self.assertLess(max(found) - min(found), 2e-4, found)

    def test_words_are_read_with_a_longer_memory_than_in_training(self):
        """The same count of words, and where the memory holds the whole text, the same loss."""
        self.done(*self.train("--level", "word", out="words", updates=40))
        nats = {}
        for segment, memory in ((6, 9), (6, 200), (50, 200), (6, 0)):
            answer = self.evaluated("--segment", segment, "--memory", memory,
                                    model=self.shared / "words")
            self.assertIn(f"tokens {len(TEXT.split()) + TEXT.count(chr(10))}  ", answer)
            nats[segment, memory] = float(re.search(r"nats per token (\S+)", answer)[1])
        self.assertAlmostEqual(nats[6, 200], nats[50, 200], delta=1e-4)
        self.assertEqual(len({nats[6, memory] for memory in (0, 9, 200)}), 3, nats)

    def test_a_seed_gives_its_text_again(self):
        def text(*more):
            return self.done("generate", "--model", self.model, "--prompt", "the dog\na ",
                             "--length", "40", *more)

        self.assertEqual(text("--seed", "3"), text("--seed", "3"))
        self.assertNotEqual(text("--seed", "3"), text("--seed", "4"))
        self.assertTrue(text().startswith("the dog\na "))
        self.assertEqual(len(text()), len("the dog\na ") + 40 + 1)
        greedy = text("--temperature", "0")
        self.assertEqual(greedy, text("--top-k", "1", "--seed", "9"))
        self.assertEqual(greedy, text("--top-p", "1e-9", "--seed", "9"))
        self.assertEqual(text("--seed", "3"), text("--top-p", "1", "--seed", "3"))
        self.assertNotEqual(text("--seed", "3"), text("--top-p", "0.3", "--seed", "3"))
        self.assertEqual(greedy, text("--temperature", "0", "--segment", "3"))


class Ablation(Case):
    FLAGS = ["--d-model", "8", "--d-ff", "12", "--heads", "2", "--layers", "1", "--segment", "4",
             "--memory", "8", "--batch", "3", "--threads", "2"]

    def command(self, *more, out="ablation", updates=3):
        return ["ablation", "--text", self.text, "--valid", self.text, "--out", self.shared / out,
                *self.FLAGS, "--updates", updates, "--seeds", 2, "--positions", 20, *more]

    def test_tables_files_and_verdicts(self):
        answer = self.done(*self.command("--attention", "0,12,24"))
        rows = [line.split(",") for line in
                (self.shared / "ablation/ablation.csv").read_text().splitlines()]
        self.assertEqual(rows[0], ["recurrence", "positions", "parameters", "seed",
                                   "attention_length", "nats_per_token"])
        self.assertEqual(len(rows) - 1, 5 * 2 * 4)  # models, seeds, lengths 0, 8, 12, 24
        self.assertEqual({(row[0], row[1]) for row in rows[1:]},
                         {(a, b) for a in ("on", "off") for b in ("relative", "absolute")}
                         | {("LSTM", "none")})
        counts = {row[0] + row[1]: int(row[2]) for row in rows[1:]}
        lstm = counts.pop("LSTMnone")
        self.assertLessEqual(max(counts.values()) - min(counts.values()), (2 * 8 + 1) / 2)
        self.assertLessEqual(abs(lstm - counts["onrelative"]), (9 * 8 + 4) / 2)
        self.assertEqual(len(re.findall(r"(?m) (checked|failed)$", answer)), 6, answer)
        for name in ("ablation.svg", "ablation_context.svg", "ablation_context.csv"):
            self.assertIn(name, answer)
            self.assertGreater((self.shared / "ablation" / name).stat().st_size, 100)
        # The loss in the table is that of `evaluate` for the same model.
        row = next(row for row in rows if row[:2] == ["on", "relative"] and row[3:5] == ["2", "12"])
        model = self.shared / "ablation/models/recurrence_relative_2"
        self.assertAlmostEqual(self.nats("--memory", 12, "--batch", 4, model=model), float(row[5]),
                               delta=1e-4)
        self.refused(*self.command(), names=["--out", "--resume"])
        self.refused(*self.command("--resume", "--lr", "0.5"), names="other settings")
        csv = (self.shared / "ablation/ablation.csv").read_bytes()
        self.done(*self.command("--attention", "0,12,24", "--resume"))
        self.assertEqual((self.shared / "ablation/ablation.csv").read_bytes(), csv)

    def test_refusals(self):
        for flag, value in (("--seeds", 0), ("--positions", 0), ("--step", -1), ("--step", 9999),
                            ("--memory", 0), ("--attention", "0,x"), ("--attention", "8"),
                            ("--updates", 0),
                            ("--level", "syllable"), ("--heads", 3), ("--lr", 0)):
            self.refused(*replaced(self.command(out="no"), flag), f"{flag}={value}", names=flag)
        self.refused(*self.command("--attention", "2000000000", out="no"), names="--attention")
        self.refused(*self.command("--attention", "999999", "--batch=10000", out="no")[:-2],
                     "--attention=0", names="--attention")
        self.refused(*replaced(self.command(out="no"), "--valid"), names="--valid")
        short = self.file("brief", b"a dog")
        self.refused(*replaced(self.command(out="no"), "--valid", short), names="brief: 6 tokens")

    def test_attend_writes_a_page_of_every_segment(self):
        self.done(*self.train("--keep-every", 1, "--level", "word", out="kept"))
        out = self.shared / "page"
        said = self.done("attend", "--model", self.shared / "kept", "--prompt",
                         "the dog runs loudly . a cat sings", "--out", out)
        self.assertEqual(said, f"{out / 'attention.html'}\n")
        data = data_of(out / "attention.html")
        self.assertEqual(data["checkpoints"], ["update 0", "update 1", "update 2", "model"])
        first, second = data["views"]  # <eos> and 8 words in segments of 6
        self.assertEqual(first["queries"], ["<eos>", "the", "dog", "runs", "loudly", "."])
        self.assertEqual((first["memory"], second["memory"]), (0, 6))
        self.assertEqual(second["keys"], first["queries"] + ["a", "cat", "sings"])
        self.assertEqual(second["reach"], [0, 6, 0, 7, 0, 8])
        for likeliest in second["next"]:
            self.assertEqual(len(likeliest), 5)
            self.assertLessEqual(sum(p for _, p in likeliest), 1)
        lstm = self.shared / "lstm"
        self.done(*self.train_kind("lstm", out="lstm"))
        self.refused("attend", "--model", lstm, "--prompt", "the", "--out", out / "new",
                     names=[str(lstm), "no attention"])
        self.refused("attend", "--model", self.model, "--prompt", "", "--out", out / "new",
                     names="--prompt")


if __name__ == "__main__":
    unittest.main()

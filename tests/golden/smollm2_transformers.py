"""SmolLM2 from GGUF in float32, beside `transformers` with the same weights.

    python tests/golden/smollm2_transformers.py --model FILE.gguf --prompts FILE --long FILE TEXT...

FILE.gguf is what `./learn data get smollm2` fetches; transformers takes its numbers out of the same
file. Compared, with 09_since_2017 of build/release:
  - the greedy continuation of the first 50 lines of --prompts, 60 tokens each, as text;
  - the logits after 2,000 and 8,000 tokens of --long: the largest difference, in parts of their
    range;
  - nats a token of the first 6,000 bytes of each TEXT, in stretches of 1,024 tokens.
Leaves with 1 where a text differs, a logit by more than 1e-4 of the range, or a loss by more than
1e-4 of itself; with 77 without transformers. It takes about ten minutes on two cores.
"""

import argparse
import math
import pathlib
import re
import subprocess
import sys
import tempfile

from needed import needed

with needed():
    import torch
    from safetensors.torch import load_file
    from transformers import AutoModelForCausalLM, AutoTokenizer

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = ROOT / "build/release/bin/09_since_2017"
PROMPTS, TOKENS, BYTES, CONTEXT = 50, 60, 6000, 1024


class Peers:
    def __init__(self, model: pathlib.Path):
        self.file, place = model, {"gguf_file": model.name}
        self.tokenizer = AutoTokenizer.from_pretrained(model.parent, **place)
        self.model = AutoModelForCausalLM.from_pretrained(model.parent, **place,
                                                          dtype=torch.float32).eval()

    def ours(self, command: str, *words) -> str:
        return subprocess.run([PROGRAM, command, "--model", self.file, "--language", "en",
                               *map(str, words)], check=True, stdout=subprocess.PIPE,
                              text=True).stdout

    def ids(self, text: str) -> torch.Tensor:
        return torch.tensor([self.tokenizer.encode(text, add_special_tokens=False)])

    def is_continued_alike(self, prompt: str) -> bool:
        written = self.ours("generate", "--prompt", prompt, "--greedy", "--length", TOKENS)
        ids = self.ids(prompt)
        made = self.model.generate(ids, max_new_tokens=TOKENS, do_sample=False)
        wanted = self.tokenizer.decode(made[0, ids.size(1):], skip_special_tokens=True)
        if written.strip() != wanted.strip():
            print(f"  differs: {prompt!r}\n    {written!r}\n    {wanted!r}")
        return written.strip() == wanted.strip()

    def logits_apart(self, text: str, count: int) -> float:
        """The text ends before the token that is `count` tokens after its beginning."""
        ids = self.ids(text)[:, :count]
        text = self.tokenizer.decode(ids[0])
        assert self.ids(text).equal(ids), "another text for the same tokens"
        with tempfile.TemporaryDirectory() as folder, torch.no_grad():
            path = pathlib.Path(folder, "logits.safetensors")
            self.ours("score", "--text", text, "--logits", path)
            (ours,) = load_file(path).values()
            theirs = self.model(ids, logits_to_keep=1).logits.flatten()
        return float((ours.flatten() - theirs).abs().max() / (theirs.max() - theirs.min()))

    def losses(self, text: str) -> tuple[float, float]:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "text.txt")
            path.write_text(text, encoding="utf-8")
            told = self.ours("evaluate", "--text", path, "--context", CONTEXT)
        ids, total = self.ids(text), 0.0
        for first in range(0, ids.size(1) - 1, CONTEXT - 1):  # stretches overlap in one token
            part = ids[:, first:first + CONTEXT]
            with torch.no_grad():
                total += float(self.model(part, labels=part).loss) * (part.size(1) - 1)
        found = re.search(r"nats per token +([\d.]+)", told)
        return float(found[1]), total / (ids.size(1) - 1)


def main() -> int:
    parser = argparse.ArgumentParser()
    for name in ("--model", "--prompts", "--long"):
        parser.add_argument(name, type=pathlib.Path, required=True)
    parser.add_argument("texts", nargs="+", type=pathlib.Path)
    flags = parser.parse_args()
    peers, wrong = Peers(flags.model), 0
    lines = [line for line in flags.prompts.read_text(encoding="utf-8").splitlines() if line]
    alike = sum(map(peers.is_continued_alike, lines[:PROMPTS]))
    print(f"{alike} of {PROMPTS} prompts are continued by the same {TOKENS} tokens", flush=True)
    wrong += alike < PROMPTS
    for count in (2000, 8000):
        apart = peers.logits_apart(flags.long.read_text(encoding="utf-8"), count)
        print(f"{count} tokens: logits {apart:.1e} of their range apart", flush=True)
        wrong += not apart <= 1e-4
    for path in flags.texts:
        text = path.read_bytes()[:BYTES].decode("utf-8", "ignore")
        ours, theirs = peers.losses(text)
        print(f"{path.name}: nats a token {ours:.6f}, transformers {theirs:.6f}, perplexity "
              f"{math.expm1(ours - theirs):+.1e}", flush=True)
        wrong += not abs(ours / theirs - 1) <= 1e-4
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

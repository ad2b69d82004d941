"""What the layers of the models in golden/published compute on their way, as `transformers` says.

    python tests/golden/attentions.py            writes tests/golden/attentions.safetensors
    python tests/golden/attentions.py --check    makes it again and compares

Of each model in MODELS: the attention weights and the residual stream of every layer for the first
TOKENS ids of its expected.json, and the logits when head 1 of layer 0 hands on nothing, its columns
of the output projection's input being set to 0. Made with transformers 5.23.0 and torch 2.13.0;
--check leaves with 77 without them.
"""

import json
import pathlib
import sys

from needed import needed

with needed():
    import torch
    from safetensors.torch import load_file, save_file
    from transformers import AutoModelForCausalLM

HERE = pathlib.Path(__file__).resolve().parent
OUT = HERE / "attentions.safetensors"
MODELS, TOKENS, HEAD = ("gpt2-plain", "llama-plain", "qwen2-plain"), 16, 1


def of(name: str) -> dict[str, torch.Tensor]:
    folder = HERE / "published" / name
    model = AutoModelForCausalLM.from_pretrained(folder, attn_implementation="eager",
                                                 dtype=torch.float32).eval()
    ids = torch.tensor([json.loads((folder / "expected.json").read_text())["ids"][:TOKENS]])
    with torch.no_grad():
        seen = model(ids, output_attentions=True, output_hidden_states=True)
    made = {f"{name}.weights.{i}": w for i, w in enumerate(seen.attentions)}
    made |= {f"{name}.stream.{i}": x for i, x in enumerate(seen.hidden_states)}
    output = (model.transformer.h[0].attn.c_proj if name.startswith("gpt2")
              else model.model.layers[0].self_attn.o_proj)

    def silence(_, inputs):
        x = inputs[0].clone()
        width = x.size(-1) // model.config.num_attention_heads
        x[..., HEAD * width:(HEAD + 1) * width] = 0
        return (x,)
    hook = output.register_forward_pre_hook(silence)
    with torch.no_grad():
        made[f"{name}.without"] = model(ids).logits
    hook.remove()
    return {key: tensor.contiguous() for key, tensor in made.items()}


def main() -> int:
    made = {key: tensor for name in MODELS for key, tensor in of(name).items()}
    if "--check" not in sys.argv[1:]:
        save_file(made, OUT)
        return 0
    kept = load_file(OUT)
    assert kept.keys() == made.keys(), "other tensors"
    for key, tensor in kept.items():
        assert torch.allclose(tensor, made[key], atol=1e-5, rtol=1e-5), key
    return 0


if __name__ == "__main__":
    sys.exit(main())

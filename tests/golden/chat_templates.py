"""Conversations as Jinja writes them with templates that models publish: SmolLM2-135M-Instruct's,
that of Qwen2-0.5B-Instruct, which says the same in another way, one of ChatML alone, those of
Llama-2-7b-chat and Meta-Llama-3-8B-Instruct, that of zephyr-7b-beta and TinyLlama-1.1B-Chat, that
of Hermes-2-Pro-Llama-3-8B, and, without tools, those of Qwen3-8B and Qwen3-4B-Thinking-2507.

    python tests/golden/chat_templates.py            writes the texts of chat_templates.json anew
    python tests/golden/chat_templates.py --check    makes them again and compares

Made with jinja2 3.1.6, set up as transformers sets it up; --check leaves with 77 without it.
"""

import json
import pathlib
import sys

from needed import needed

with needed():
    from jinja2.sandbox import ImmutableSandboxedEnvironment

OUT = pathlib.Path(__file__).resolve().with_suffix(".json")


def made() -> str:
    jinja = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    found = json.loads(OUT.read_text())
    for template in found.values():
        for one in template["texts"]:
            messages = [{"role": "system", "content": one["system"]}] if one["system"] else []
            messages += [{"role": ("user", "assistant")[i % 2], "content": each}
                         for i, each in enumerate(one["words"])]
            one["text"] = jinja.from_string(template["source"]).render(
                messages=messages, bos_token=template["begin"], eos_token=template["end"],
                add_generation_prompt=True)
    return json.dumps(found, indent=1) + "\n"


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(0 if OUT.read_text() == made() else 1)
    OUT.write_text(made())

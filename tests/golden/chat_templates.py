"""Conversations as Jinja writes them with templates that models publish.

    python tests/golden/chat_templates.py            writes tests/golden/chat_templates.json
    python tests/golden/chat_templates.py --check    makes it again and compares

Made with jinja2 3.1.6, set up as transformers sets it up; --check leaves with 77 without it.
"""

import json
import pathlib
import sys

try:
    from jinja2.sandbox import ImmutableSandboxedEnvironment
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

OUT = pathlib.Path(__file__).resolve().with_suffix(".json")
TURNS = "{% for message in messages %}"
END = "{% endfor %}"
# Of SmolLM2-135M-Instruct, and of Qwen2-0.5B-Instruct, which says the same in another way.
FIRST = "{% if loop.first and messages[0]['role'] != 'system' %}"
SMOLLM2 = TURNS + FIRST + """{{ '<|im_start|>system
You are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>
' }}{% endif %}{{'<|im_start|>' + message['role'] + '
' + message['content'] + '<|im_end|>' + '
'}}""" + END + """{% if add_generation_prompt %}{{ '<|im_start|>assistant
' }}{% endif %}"""
ASKS = r"""{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"""
TURN = (r"""{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' """
        r"""+ '\n'}}""")
PLAIN = TURNS + TURN + END + ASKS
QWEN2 = TURNS + FIRST + (r"""{{ '<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n' }}"""
                         r"""{% endif %}""") + TURN + END + ASKS
# Of Llama-2-7b-chat.
LLAMA2 = (r"""{% if messages[0]['role'] == 'system' %}{% set loop_messages = messages[1:] %}"""
          r"""{% set system_message = messages[0]['content'] %}{% else %}"""
          r"""{% set loop_messages = messages %}{% set system_message = false %}{% endif %}"""
          r"""{% for message in loop_messages %}"""
          r"""{% if loop.index0 == 0 and system_message != false %}"""
          r"""{% set content = '<<SYS>>\n' + system_message + '\n<</SYS>>\n\n' + """
          r"""message['content'] %}{% else %}{% set content = message['content'] %}{% endif %}"""
          r"""{% if message['role'] == 'user' %}"""
          r"""{{ bos_token + '[INST] ' + content.strip() + ' [/INST]' }}"""
          r"""{% elif message['role'] == 'assistant' %}"""
          r"""{{ ' '  + content.strip() + ' ' + eos_token }}{% endif %}{% endfor %}""")
# Of Meta-Llama-3-8B-Instruct.
LLAMA3 = (r"""{% set loop_messages = messages %}{% for message in loop_messages %}"""
          r"""{% set content = '<|start_header_id|>' + message['role'] + """
          r"""'<|end_header_id|>\n\n'+ message['content'] | trim + '<|eot_id|>' %}"""
          r"""{% if loop.index0 == 0 %}"""
          r"""{% set content = bos_token + content %}{% endif %}{{ content }}{% endfor %}"""
          r"""{% if add_generation_prompt %}"""
          r"""{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{% endif %}""")
# Of zephyr-7b-beta and TinyLlama-1.1B-Chat.
ZEPHYR = """{% for message in messages %}
{% if message['role'] == 'user' %}
{{ '<|user|>\n' + message['content'] + eos_token }}
{% elif message['role'] == 'system' %}
{{ '<|system|>\n' + message['content'] + eos_token }}
{% elif message['role'] == 'assistant' %}
{{ '<|assistant|>\n'  + message['content'] + eos_token }}
{% endif %}
{% if loop.last and add_generation_prompt %}
{{ '<|assistant|>' }}
{% endif %}
{% endfor %}"""
TEMPLATES = {"smollm2": (SMOLLM2, "<|im_start|>", "<|im_end|>"),
             "qwen2": (QWEN2, "", "<|im_end|>"), "chatml": (PLAIN, "", "<|im_end|>"),
             "llama2": (LLAMA2, "<s>", "</s>"),
             "llama3": (LLAMA3, "<|begin_of_text|>", "<|eot_id|>"),
             "zephyr": (ZEPHYR, "<s>", "</s>")}
CONVERSATIONS = [("", ["Hi"]), ("Be brief.", ["  What is 2 + 2? "]),
                 ("", ["Hi", " Hello there! \n", "And\n\nyou?"]),
                 ("Answer in\nGerman.", ["One", "eins", "Two", "zwei", "你好"])]


def made() -> str:
    jinja = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    found = {}
    for name, (source, begin, end) in TEMPLATES.items():
        texts = []
        for system, words in CONVERSATIONS:
            messages = [{"role": "system", "content": system}] if system else []
            messages += [{"role": ("user", "assistant")[i % 2], "content": each}
                         for i, each in enumerate(words)]
            text = jinja.from_string(source).render(messages=messages, bos_token=begin,
                                                    eos_token=end, add_generation_prompt=True)
            texts.append({"system": system, "words": words, "text": text})
        found[name] = {"source": source, "begin": begin, "end": end, "texts": texts}
    return json.dumps(found, indent=1) + "\n"


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(0 if OUT.read_text() == made() else 1)
    OUT.write_text(made())

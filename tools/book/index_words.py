"""The text of out/index.html; Chinese is in tools/zh.po."""

from __future__ import annotations

PAGE = {
    "lead":
        "{number}, run in {seconds} s on this machine. Go through the chapters in order. Read the "
        "page, look at what the lesson showed, then do the exercises.",
    "findings": "What to notice",
    "pictures": "Pictures",
    "page": "Read",
    "step": "Step through",
    "touch": "Explore its attention",
    "all": "All it showed ({count} pictures)",
    "progress": "{passed} of {count} exercises pass",
    "exercises": "Exercises: {count}",
    "output": "everything the lesson printed",
    "explorer": "Explore it: the attention of the model that was just trained, every layer and "
                "head",
    "trace": "Step through it: every operation, forward and backward, with its numbers and its "
             "line of code",
    "live": "Try it: a translator and training runs, right in this page, powered by the chapters' "
            "own C++",
    "failed": "failed",
}

# The picture on a chapter's card, from its lesson or its page, and the number of the finding below
# it, counted from 1.
BEST = {
    "00_foundations": ("rates.svg", 3),
    "01_embedding": ("clock_hands.svg", 5),
    "02_attention": ("alignment.svg", 12),
    "03_layer_norm": ("gradient_by_depth.svg", 6),
    "04_feed_forward": ("hidden_unit.svg", 9),
    "05_encoder": ("attention.svg", 8),
    "06_decoder": ("influence.svg", 5),
    "07_transformer": ("attention_cross.svg", 7),
    "08_transformer_xl": ("memory.svg", 4),
    "09_since_2017": ("ablation.svg", 1),
    "10_speed": ("roofline.svg", 0),
    "11_gpu": ("tile.svg", 0),
    "12_many_machines": ("ring.svg", 5),
}

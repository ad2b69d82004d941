"""The text of out/index.html: its own words, and a caption for each picture; Chinese is in
tools/zh.po."""

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

# By path below out/.
PICTURES = {
    "01_embedding/positions.svg":
        "The position encoding: a row for each position. The columns on the left turn fast, those "
        "on the right hardly at all; a whole row is like the hands of many clocks.",
    "01_embedding/position_dot_products.svg":
        "Dot products of positions: what counts is how far apart two positions are, so every "
        "diagonal has one colour.",
    "00_foundations/rates.svg":
        "The learning rate decides: one that is too small creeps, one that is too large is lost.",
    "00_foundations/fitting.svg":
        "On letters that the model has seen, the loss keeps falling; on held-out ones it turns and "
        "rises, which is learning by heart.",
    "01_embedding/clock_hands.svg":
        "Positions as clock hands: the first pair of columns turns by one radian a word, each "
        "further one ten times more slowly.",
    "00_foundations/graph.svg":
        "Three operations, forward and back: a is used twice, and the gradients from both paths "
        "are added.",
    "02_attention/blocks.svg":
        "The equation as blocks, with numbers: T queries against S keys make T rows of S weights, "
        "which mix the values.",
    "02_attention/weights.svg":
        "The weights of three words worked by hand: a row is one word's attention, and sums to 1.",
    "02_attention/saturation.svg":
        "Without the root of d_k, the softmax puts everything on one key as d_k grows; with it, "
        "the weights stay as spread out as before.",
    "02_attention/by_length.svg":
        "A recurrent translator with one vector for the sentence gets fewer letters right the "
        "longer the sentence is; with attention, the length costs nothing.",
    "02_attention/alignment.svg":
        "The weights that the recurrent translator has learned: for each letter that it writes, "
        "where it reads.",
    "03_layer_norm/gradient_by_depth.svg":
        "How large the gradient is in each layer at the start: level with post-norm, smaller "
        "towards the top with pre-norm.",
    "03_layer_norm/warm_up.svg":
        "Post-norm without warm-up stays at the loss of guessing; with warm-up it learns. Pre-norm"
        " learns either way.",
    "03_layer_norm/without.svg":
        "Both are needed: without the residual the loss stays at guessing, without the norm it "
        "ends far above that; with both it falls.",
    "04_feed_forward/hidden_unit.svg":
        "One hidden unit: its row of W_1 says how well the word matches, its column of W_2 what is"
        " then added to the output.",
    "04_feed_forward/activations.svg":
        "Three activations: relu cuts off everything below zero, whereas gelu and silu curve "
        "smoothly.",
    "04_feed_forward/arithmetic.svg":
        "Where the multiplications are: the feed-forward layer leads until the sentence is longer "
        "than its hidden layer is wide.",
    "05_encoder/attention.svg":
        "The attention of an encoder that learned to mirror sentences: the weight lies on the "
        "other diagonal.",
    "05_encoder/growth.svg":
        "How large the states grow with depth: with pre-norm they add up, and the final norm is "
        "needed; with post-norm each layer starts at 1 again.",
    "06_decoder/shifted_target.svg":
        "What the decoder reads and what it must predict: the same words shifted by one position, "
        "and a mask over everything later.",
    "06_decoder/cache_steps.svg":
        "The cache step by step: only the orange row is computed, the grey ones were kept.",
    "06_decoder/influence.svg":
        "Which input moves which output: with the causal mask, no word moves an output before it.",
    "06_decoder/step_cost.svg":
        "What one more word costs: hardly more than the one before with the cache, and more and "
        "more without it.",
    "07_transformer/pair_failed.svg":
        "The published run: in the cross attention all rows are alike, so every word of the target"
        " looks at the source in the same way.",
    "07_transformer/pair_repaired.svg":
        "The repaired run: the rows of the cross attention differ, and the words no longer all "
        "look at the source in the same way.",
    "07_transformer/attention_encoder.svg":
        "The encoder's self-attention: each English word looks at the others.",
    "07_transformer/attention_decoder.svg":
        "The decoder's self-attention: each Chinese word looks at itself and what came before.",
    "07_transformer/attention_cross.svg":
        "The cross attention: the row of a Chinese word looks at the English source of the word "
        "that comes next.",
    "07_transformer/checkpoints.svg":
        "One head of the cross attention as training went on: the loss falls before it has found "
        "the words, and again as it finds them.",
    "07_transformer/beam.svg":
        "The beam search as a tree: blue boxes were kept, grey ones dropped; the thick path leads "
        "to the translation.",
    "08_transformer_xl/shift.svg":
        "The shift: one colour is one distance. Before it, distances are columns; after it, they "
        "are diagonals and each column is a key.",
    "08_transformer_xl/terms.svg":
        "The four terms of a score: (a) and (b) differ in every cell, (c) is one colour in each"
        " column, (d) one on each diagonal.",
    "08_transformer_xl/reach.svg":
        "The first state of segment 3 reads two memories back: one layer at a time, six tokens in"
        " all.",
    "08_transformer_xl/segments.svg":
        "One word of segment 1 was changed: each layer carries the change one segment further, and"
        " no gradient ever comes back.",
    "08_transformer_xl/memory.svg":
        "All the weight from the question mark goes to the capital letter left of the line, so it "
        "is found in the memory.",
    "01_embedding/gradient_of_each_hand.svg":
        "The gradient that reaches each pair of columns: the slow ones hardly get any, unless "
        "the text is long.",
    "02_attention/vectors.svg":
        "Queries, keys and values as vectors: the scores are dot products, and the output is "
        "the sum of the weighted values, drawn tip to tail.",
    "03_layer_norm/axes.svg":
        "Over which numbers the mean is taken: layer norm takes one word, batch norm one "
        "feature of all words, padding included.",
    "07_transformer/rates.svg":
        "The learning rate, update by update: all three schedules rise in a straight line and "
        "fall in their own way.",
    "07_transformer/merges.svg":
        "Byte pair encoding as trees: characters at the bottom, joined step by step; a word "
        "never seen is made of pieces that were.",
    "12_many_machines/tree.svg":
        "Adding up by a tree: up to process 0, and down again; the dots are messages of this "
        "run.",
    "12_many_machines/doubling.svg":
        "Recursive doubling: partners exchange all that they have, at twice the distance each "
        "time.",
    "12_many_machines/ring.svg":
        "A ring: each process sends one part to the right in each step; the most steps, but the "
        "busiest process sends the fewest numbers.",
    "12_many_machines/scaling.svg":
        "The share of the time in which a machine computes: the network decides how many "
        "machines are worth it.",
}

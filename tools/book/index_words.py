"""What out/index.html says in both languages: its own words, and a sentence for each picture."""

from __future__ import annotations

# (English, Chinese)
PAGE = {
    "lead": ("{number}, run in {seconds} s on this machine. Go through them in order: read the "
             "page of a chapter, look here at what its lesson showed, then write its exercises.",
             "{number} 章的程序，在这台机器上运行了 {seconds} 秒。请按顺序来：先读一章的正文，"
             "在这里看它的程序展示了什么，再动手做练习。"),
    "question": ("The question", "这一章的问题"),
    "findings": ("What to notice", "请注意"),
    "pictures": ("To look at", "图"),
    "page": ("Read the chapter", "读这一章"),
    "exercises": ("Exercises: {count}", "练习：{count}"),
    "output": ("everything the lesson printed", "程序打印的全部内容"),
    "explorer": ("Touch it: the attention of the model that was just trained, every layer and head",
                 "动手看：刚训练出的模型的注意力，每一层、每个头"),
    "trace": ("Step through it: every operation, forward and backward, with its numbers and line",
              "一步步看：每个运算，前向与反向，对照数值与代码"),
    "live": ("Try it: a translator and trainings that run in the page, by the chapters' own C++",
             "动手试：在页面里运行翻译模型，还能训练模型，用的就是各章的 C++ 代码"),
    "more": ("{count} more pictures", "还有 {count} 幅图"),
    "failed": ("failed", "失败"),
}

# By chapter and file.
PICTURES = {
    "01_embedding/positions.svg": (
        "The position encoding: a row for each position. The columns on the left turn fast, those "
        "on the right hardly at all; together a row is like the hands of many clocks.",
        "位置编码：一行是一个位置。左边的列转得快，右边的几乎不动；一行合起来，就像许多只钟的指针。"),
    "01_embedding/position_dot_products.svg": (
        "Dot products of positions: what counts is how far two positions are apart, so every "
        "diagonal has one colour.",
        "位置之间的点积：只取决于两个位置相隔多远，所以每条对角线都是同一种颜色。"),
    "01_embedding/rates.svg": (
        "The learning rate decides: one that is too small creeps, one that is too large is lost.",
        "学习率决定成败：太小走不动，太大就跑飞了。"),
    "01_embedding/fitting.svg": (
        "The loss on letters that it has seen goes on falling; on held-out ones it turns and "
        "rises: that is learning by heart.",
        "见过的字母上损失一路下降；留出的字母上损失先降后升：这就是死记硬背。"),
    "01_embedding/clock_hands.svg": (
        "Positions as clock hands: the first pair of columns turns by one radian a word, each "
        "further one ten times more slowly.",
        "位置就像钟表的指针：第一对列每个词转 1 弧度，后面每一对都慢十倍。"),
    "01_embedding/graph.svg": (
        "Three operations, forward and back: a is used twice, and what comes back along both ways "
        "is added.",
        "三个运算，前向与反向：a 用了两次，两路传回来的梯度相加。"),
    "02_attention/blocks.svg": (
        "The equation as blocks, with numbers: T queries against S keys make T rows of S weights, "
        "which mix the values.",
        "用方块和数字画出的公式：T 个查询对 S 个键，得到 T 行、每行 S 个权重，再用它们混合各个值。"),
    "02_attention/weights.svg": (
        "The weights of three words worked by hand: a row is one word's attention, and sums to 1.",
        "手算三个词的权重：一行是一个词的注意力，和为 1。"),
    "02_attention/saturation.svg": (
        "Without the root of d_k, the softmax puts everything on one key as d_k grows; the scaled "
        "one stays where it was.",
        "不除以 √d_k，d_k 越大，softmax 越把全部权重压在一个键上；缩放之后则保持不变。"),
    "02_attention/by_length.svg": (
        "A recurrent translator that has one vector of the sentence gets fewer letters right the "
        "longer it is; with attention, the length costs nothing.",
        "循环网络翻译模型：只有一个句向量，句子越长译对的越少；有了注意力，长度不再是问题。"),
    "02_attention/alignment.svg": (
        "The weights that the recurrent translator has learned: for each letter that it writes, "
        "where it reads.",
        "循环网络翻译模型学到的权重：写每个字母时在读哪里。"),
    "03_layer_norm/gradient_by_depth.svg": (
        "How large the gradient is in each layer at the start: level with post-norm, smaller "
        "towards the top with pre-norm.",
        "训练开始时各层梯度的大小：post-norm 各层持平，pre-norm 越靠近顶层越小。"),
    "03_layer_norm/warm_up.svg": (
        "Post-norm without warm-up stays at the loss of guessing; with warm-up it learns. Pre-norm "
        "learns either way.",
        "post-norm 没有预热就停在瞎猜的损失上，有预热才能学会；pre-norm 两种情况都能学会。"),
    "03_layer_norm/without.svg": (
        "Both are needed: without the residual the loss stays at guessing, without the norm it "
        "ends far above that; with both it falls.",
        "两者缺一不可：没有残差，损失停在瞎猜的水平；没有归一化，损失比瞎猜高得多；两者都有，损失才降下去。"),
    "04_feed_forward/hidden_unit.svg": (
        "One hidden unit: its row of W_1 says how well the word matches, its column of W_2 what is "
        "then added to the output.",
        "一个隐藏单元：W_1 中它那一行量出这个词有多匹配，W_2 中它那一列就是据此加进输出的内容。"),
    "04_feed_forward/activations.svg": (
        "Three activations: relu cuts off everything below zero, gelu and silu bend.",
        "三种激活函数：relu 把零以下的全部切掉，gelu 和 silu 平滑地弯过去。"),
    "04_feed_forward/arithmetic.svg": (
        "Where the multiplications are: the feed-forward layer leads until the sentence is longer "
        "than its hidden layer is wide.",
        "乘法都花在哪里：在句长超过隐藏层的宽度之前，前馈网络一直占大头。"),
    "05_encoder/attention.svg": (
        "The attention of an encoder that learned to mirror sentences: the weight lies on the "
        "other diagonal.",
        "学会了倒写句子的编码器的注意力：权重落在另一条对角线上。"),
    "05_encoder/growth.svg": (
        "How large the states grow with depth: with pre-norm they add up, and the final norm is "
        "needed; with post-norm each layer starts at 1 again.",
        "状态随深度怎样变大：pre-norm 会累积，所以需要最后的归一化；post-norm 每层都回到 1。"),
    "06_decoder/shifted_target.svg": (
        "What the decoder reads and what it must predict: the same words moved by one position, "
        "and a mask over everything later.",
        "解码器读到的和必须预测的：同样的词错开一位，后面的内容都被掩码遮住。"),
    "06_decoder/cache_steps.svg": (
        "The cache step by step: only the orange row is computed, the grey ones were kept.",
        "逐步看缓存：每一步只算橙色的一行，灰色的都是以前留下的。"),
    "06_decoder/influence.svg": (
        "Which input moves which output: with the causal mask, no word moves an output before it.",
        "哪个输入影响哪个输出：有因果掩码时，没有一个词能影响它前面的输出。"),
    "06_decoder/step_cost.svg": (
        "What one more word costs: with the cache hardly more than the one before, without it more "
        "and more.",
        "多写一个词要多少时间：有缓存时几乎不变，没有缓存就越来越慢。"),
    "07_transformer/pair_failed.svg": (
        "The published run: in the cross attention all rows are alike, so every word of the target "
        "looks at the source in the same way.",
        "照原样训练：交叉注意力的各行都一样，目标句的每个词都以同样的方式看源句。"),
    "07_transformer/pair_repaired.svg": (
        "The repaired run: the rows of the cross attention differ, the words no longer all look at "
        "the source alike.",
        "修好之后：交叉注意力的各行不再相同，每个词看源句的方式有了分别。"),
    "07_transformer/attention_encoder.svg": (
        "The encoder's self-attention: each English word looks at the others.",
        "编码器的自注意力：每个英文词看其他英文词。"),
    "07_transformer/attention_decoder.svg": (
        "The decoder's self-attention: each Chinese word looks at itself and what came before.",
        "解码器的自注意力：每个中文词看自己和前面的词。"),
    "07_transformer/attention_cross.svg": (
        "The cross attention: the row of a Chinese word looks at the English source of the word "
        "that comes next.",
        "交叉注意力：每个中文词的那一行，看的是下一个词对应的英文词。"),
    "07_transformer/beam.svg": (
        "The beam search as a tree: blue boxes were kept, grey ones dropped; the thick way leads "
        "to the translation.",
        "画成树的束搜索：蓝框被保留，灰框被淘汰；粗线通向最终的译文。"),
    "08_transformer_xl/shift.svg": (
        "The shift: one colour is one distance. Before it distances are columns, after it they are "
        "diagonals and each column is a key.",
        "移位：一种颜色是一个距离。移位之前距离排成列，之后排成对角线，每列是一个键。"),
    "08_transformer_xl/segments.svg": (
        "One word of segment 1 was changed: each layer carries the change one segment further, and "
        "no gradient ever comes back.",
        "改动第 1 段的一个词：每多一层，变化就多传一段，而梯度从不回传。"),
    "08_transformer_xl/memory.svg": (
        "From the question mark all weight goes to the capital letter, left of the line: it is "
        "found in the memory.",
        "从问号出发，全部权重都落在虚线左边的大写字母上：它是在记忆里找到的。"),
}

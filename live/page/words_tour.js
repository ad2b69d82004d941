// The questions of the guided tour (tour.js), one for each part of scenes.js, and their answers.
Object.assign(WORDS.en, {
  tour_start: 'Take the tour: {0} questions', tour_at: 'Question {0} of {1}: {2}',
  tour_answer: 'Answer', tour_back: 'Back', tour_next: 'Next question', tour_return: 'Back to the question',
  tour_end: 'Leave the tour',

  ask_hand: 'Drag the query of the word that looks. What decides which word gets the largest weight?',
  answer_hand: 'The score q · k decides. It is large where a key is long and points the same way as the ' +
    'query. The softmax then turns the scores of all three words into weights that sum to 1.',
  ask_flow: 'Go through the boxes with ‹ and ›. In which boxes does a word take something from ' +
    'other words?',
  answer_flow: 'Only in the attention boxes. Every other box works on one row at a time and knows nothing of ' +
    'the rows beside it.',
  ask_unbroken: 'Point at the rows of the map one after the other. Which English words does the decoder look ' +
    'at while it writes a Chinese word?',
  answer_unbroken: 'Often those that the word translates, even where the order of the two languages ' +
    'differs. Nobody told the model which words belong together. It was shown whole sentences only.',
  ask_no_scale: 'The scores are no longer divided by √d_k. What happens to the weights of a row?',
  answer_no_scale: 'The scores are further apart, so the softmax gives more weight to fewer words. A trained ' +
    'model often survives that. What the division is for shows in training, two questions further on.',
  ask_root: 'Make d_k larger. What happens to the largest weight of a row with the division by √d_k, and ' +
    'what without it?',
  answer_root: 'Without the division it approaches 1, and hardly any gradient passes the softmax. With it the ' +
    'scores have a standard deviation of 1 at any d_k, so the weights stay spread out. Dividing by d_k is too ' +
    'much, because then nearly all weights are equal.',
  ask_why_scale: 'Both models start from the same weights, but only one divides by √d_k. Why does the other ' +
    'one learn slowly?',
  answer_why_scale: 'Its softmax is saturated before it has learned anything: each row already looks at few ' +
    'words, whichever they are. Hardly any gradient passes, so it can hardly look elsewhere.',
  ask_no_mask: 'The causal mask is off, and most sentences are translated as before. Why does the trained ' +
    'model hardly miss it?',
  answer_no_mask: 'While it writes, no later words exist that it could see. Only the rows of earlier words see ' +
    'more than they did in training.',
  ask_why_mask: 'Trained without the mask, the model reaches the lower loss. Why can it not translate?',
  answer_why_mask: 'In training it sees the very word that it has to say, so it learns to copy. When it ' +
    'translates, that word is not there yet, and it has nothing to copy.',
  ask_all_heads: 'Point at a row. Do the heads look at the same words?',
  answer_all_heads: 'In this row they do not. A single head would mix these words into one average. Several ' +
    'heads hand their averages on side by side.',
  ask_no_other_heads: 'Only head 0 of each attention is left, and sentences break. Does that prove that a ' +
    'translator needs several heads?',
  answer_no_other_heads: 'No. This model was trained with all its heads, so what the others contributed is ' +
    'missing. A model that is trained with a single head learns this little language as well.',
  ask_neighbours: 'Each letter has to say its left and its right neighbour. Why is that hard with one head?',
  answer_neighbours: 'One head hands on one average of the letters. The two neighbours are mixed in it, and it ' +
    'hardly says which one is on which side. Two heads hand on an average each.',
  ask_no_cross_heads: 'The cross attention is off. What does the decoder still know of the English sentence?',
  answer_no_cross_heads: 'Nothing. Cross attention is the only way from the encoder to the decoder, so it ' +
    'writes the same for every sentence.',
  ask_no_positions: 'All words are still there, but their positions are not. What can the model no longer tell?',
  answer_no_positions: 'Their order. Attention and the other layers treat a sentence as a bag of words, so ' +
    'without positions the model cannot tell a question from a statement, or who did what to whom.',
  ask_positions: 'Let the position run. Which hands distinguish neighbouring positions, and which ones ' +
    'distinguish positions far apart?',
  answer_positions: 'The fast hands move a lot from one position to the next, but they soon come round again. ' +
    'The slow ones hardly move between neighbours and tell far positions apart. Together they work as the ' +
    'hands of a clock do.',
  ask_no_residual: 'Each layer now hands on only its change f(x), not x + f(x). Why does so much break?',
  answer_no_residual: 'The layers have learned to add something to a word, not to carry the word itself along. ' +
    'Without the residual path the word is lost at the first layer.',
  ask_norm: 'The red run, post-norm without warm-up, does not learn. Set it to pre-norm and start again. Does it ' +
    'learn now?',
  answer_norm: 'It does. The residual path of pre-norm leads through no norm, so the gradient reaches every layer. ' +
    'Post-norm with eight layers mostly needs a warm-up, and with sixteen layers only pre-norm learns here.',
  ask_recall: 'The letter to recall is in the first segment. Why can the model without memory only guess?',
  answer_recall: 'It reads each segment without anything from the one before, so the letter never reaches it. ' +
    'With eight possible letters, a guess has a loss of ln 8 = 2.08.',
  ask_train: 'Watch what the model writes while the loss falls. What does it learn first?',
  answer_train: 'The commonest words, which need no attention. Then it gets the words of the sentence right, ' +
    'and after that their order.',
  ask_choosing: 'Two words are almost equally likely here. What does a higher temperature do, and what does ' +
    'top-k do?',
  answer_choosing: 'A higher temperature makes the probabilities more equal, so unlikely words are drawn more ' +
    'often. Top-k never draws a word beyond the k likeliest.',
});
Object.assign(WORDS.zh, {
  tour_start: '开始导览：{0} 个问题', tour_at: '第 {0} 问，共 {1} 问：{2}',
  tour_answer: '答案', tour_back: '上一问', tour_next: '下一问', tour_return: '回到这一问', tour_end: '结束导览',

  ask_hand: '拖动发问的词的查询。哪个词得到最大的权重，由什么决定？',
  answer_hand: '由得分 q · k 决定。键越长、方向与查询越一致，得分就越大。softmax 再把三个词的得分变成和为 1 的权重。',
  ask_flow: '用 ‹ 和 › 一个方框一个方框地走。一个词在哪些方框里会用到别的词？',
  answer_flow: '只有注意力的方框。其余的方框每次只处理一行，看不到旁边的行。',
  ask_unbroken: '依次指向图中各行。解码器写一个中文词时，在看哪些英文词？',
  answer_unbroken: '往往就是它要译的那些词，两种语言语序不同时也是如此。没有人告诉模型哪个词对应哪个词，它只见过整句的对照。',
  ask_no_scale: '得分不再除以 √d_k。一行的权重会怎样？',
  answer_no_scale: '得分之间拉得更开，softmax 把更多的权重给了更少的词。训练好的模型常常经得住。除以 √d_k 有什么用，要到训练中去看，就在下下问。',
  ask_root: '调大 d_k。除以 √d_k 和不除，一行中最大的权重各会怎样？',
  answer_root: '不除，它趋近 1，梯度几乎过不了 softmax。除以 √d_k，不论 d_k 多大，得分的标准差都是 1，权重就不会挤到一处。除以 d_k 又太过，权重会几乎全都相等。',
  ask_why_scale: '两个模型从同样的权重出发，只有一个除以 √d_k。另一个为什么学得慢？',
  answer_why_scale: '它还什么都没学到，softmax 就已经饱和：每一行只看少数几个词，碰上哪个算哪个。梯度几乎传不过去，它也就很难改看别处。',
  ask_no_mask: '因果掩码关掉了，大多数句子的译文却没有变。训练好的模型为什么几乎不受影响？',
  answer_no_mask: '它写译文时，后面的词还没有写出来，没有什么可以偷看。只有前面各词的行看到了训练时看不到的内容。',
  ask_why_mask: '训练时不用掩码，损失反而更低。这个模型为什么不会翻译？',
  answer_why_mask: '训练时它看得见自己要说的那个词，学会的只是照抄。翻译时那个词还不存在，它无从抄起。',
  ask_all_heads: '指向一行。各个头看的是同样的词吗？',
  answer_all_heads: '在这一行里不是。如果只有一个头，这些词会混成一个平均；有几个头，就能把各自的平均并排交给下一层。',
  ask_no_other_heads: '每个注意力只剩头 0，有的句子就译错了。这能证明翻译模型需要多个头吗？',
  answer_no_other_heads: '不能。这个模型是带着所有的头训练的，现在缺的是其他头原来出的那份力。从头就只用一个头训练的模型，同样学得会这门小语言。',
  ask_neighbours: '每个字母要说出自己左右两边的字母。只有一个头，为什么难？',
  answer_neighbours: '一个头只能交出所有字母的一个平均，左右两个字母混在里面，几乎看不出哪个在左、哪个在右。两个头则各交出一个平均。',
  ask_no_cross_heads: '交叉注意力关掉了。解码器对英文句子还知道些什么？',
  answer_no_cross_heads: '什么都不知道。从编码器到解码器只有交叉注意力这一条路，所以不论原文是什么，它写的都一样。',
  ask_no_positions: '词一个不少，位置却没有了。模型再也分不清什么？',
  answer_no_positions: '分不清词序。没有位置，注意力和其余各层都把句子当作一袋词，是问句还是陈述、谁对谁做了什么，就无从知道了。',
  ask_positions: '让位置走起来。哪些指针能区分相邻的位置，哪些能区分相距很远的位置？',
  answer_positions: '快的指针每走一个位置就转过一大截，但很快又转回原处。慢的指针在相邻位置之间几乎不动，却能区分相距很远的位置。它们合起来，就像钟表上的几根指针。',
  ask_no_residual: '现在每层只交出改动 f(x)，而不是 x + f(x)。为什么会坏得这么厉害？',
  answer_no_residual: '各层学会的是给一个词添上些什么，而不是把这个词本身传下去。没有残差，词在第一层就丢了。',
  ask_norm: '红线是不预热的 post-norm，它学不会。把它改成 pre-norm，重新开始。现在学得会吗？',
  answer_norm: '学得会。pre-norm 的残差路上没有归一化，梯度能传到每一层。八层的 post-norm 大多需要预热；到了十六层，这里只有 pre-norm 学得会。',
  ask_recall: '要记住的字母在第一段。没有记忆的模型为什么只能猜？',
  answer_recall: '它读每一段时都拿不到上一段的任何内容，那个字母也就到不了它那里。在八个字母里猜，损失是 ln 8 = 2.08。',
  ask_train: '损失下降时，看看模型写的是什么。它最先学会的是什么？',
  answer_train: '先是最常见的词，这用不着注意力。然后它把句子里的词写对，最后才把词序写对。',
  ask_choosing: '这里有两个词的概率几乎一样大。温度调高会怎样？top-k 又做了什么？',
  answer_choosing: '温度越高，各词的概率越接近，不大可能的词也就更常被抽到。top-k 只在概率最大的 k 个词里抽，其余的一概不抽。',
});

// The interface text of the live page in both languages; the explorer's texts
// (common/page/words.js) are included.
Object.assign(WORDS.en, {
  page: 'Transformer by Hand, live',
  page_title: 'The tutorial’s own C++ computes in this page. {0}',
  starting: 'The engine is starting …', ready: '{0} parameters, ready after {1} s.',
  chapter: 'Chapter {0}',
  no_simd: 'This browser has no WebAssembly SIMD, which the engine needs: instead of what can be ' +
    'tried, the pages show the tutorial’s pictures. Any Chrome or Edge from 91, Firefox from 89 ' +
    'and Safari from 16.4 has it.',
  broken: 'The engine has stopped: {0}. Reload the page to start it again.',

  hand_asks_tab: 'Why attention?', flow_asks_tab: 'What is inside?', translate_asks_tab: 'What if …?',
  root_asks_tab: 'Why √d_k?', without_asks_tab: 'Why a mask?', neighbours_asks_tab: 'Why heads?',
  positions_asks_tab: 'Why positions?', norm_asks_tab: 'Why a norm?', recall_asks_tab: 'Why a memory?',
  train_asks_tab: 'How does it learn?',

  hand: 'By hand',
  hand_about: 'Each word has a query (what it looks for), a key (what it offers) and a value (what it ' +
    'says). Drag the arrows, and see which word is looked at and what is taken from it.',
  hand_scores: 'Where to look: a query and the keys', hand_values: 'What is taken: the values, mixed',
  hand_asks: 'Who looks?', hand_again: 'The chapter’s numbers', hand_ends: 'where the arrow ends',
  hand_output: 'output', hand_word: 'word', hand_share: 'weight · v', hand_sum: 'sum',
  hand_said: '{0} looks at {1} most ({2}): q · k = {3} = {4} is the largest score.',
  hand_scores_note: 'Drag the end of an arrow, or go there with Tab and use the arrow keys. Dashed: how ' +
    'far each key lies along the query.',
  hand_values_note: 'Dashed: the share of each value, its weight times its arrow. Put end to end, they ' +
    'lead to the output.',
  hand_tasks: 'Try it',
  try_most: 'Can you make {0} give {1} more than half of its weight?',
  try_most_found: 'A score is large where a key is long and lies along the query.',
  try_alike: 'Can it give all three the same weight?',
  try_alike_found: 'Equal scores, equal weights: the softmax sees differences alone.',
  try_sure: 'Can one word get more than 95%?',
  try_sure_found: 'Large scores leave one key: hence ÷ √d_k.',
  try_values: 'Which weights change when you drag a value?',
  try_values_found: 'None. A value is what is taken, not where to look.',
  one_vector: 'Why look back at all?',
  one_vector_is: 'Chapter 2 trains two translators of letters. One has to hold a whole sentence in one ' +
    'vector: of {0} letters it gets {1} right. The other may look back at every letter, by attention: {2}.',
  one_vector_x: 'letters in the sentence', one_vector_line: 'one vector, % of letters right',
  attention_line: 'attention, % of letters right',

  flow: 'The whole',
  flow_about: 'The model of the book with your sentence in it: words go in below, the next words ' +
    'come out above. Open a box to see the numbers that it passes on, a row for each word.',
  box_back: 'One box back', box_next: 'One box further',
  flow_layer: 'Layer', flow_head: 'Head', flow_zoom: 'Width', flow_step: 'step {0} in a traced pass',
  flow_shape: '{0} rows × {1} columns, from {2} to {3}',
  flow_hint: 'Point at a cell, or use the arrow keys in the map.', flow_cell: '“{0}”, {1}: {2}',
  part_embedding_is: 'A row of learned numbers for each word.',
  part_positions_is: 'The same rows with their positions added.',
  part_attention_is: 'Whom each word (a row) looks at: weights that sum to 1 in every row.',
  part_masked_is: 'Whom each word (a row) looks at: itself and the words before it; the mask hides what ' +
    'comes later (hatched).',
  part_feed_forward_is: 'The hidden units of each word, those below 0 switched off.',
  part_norm_is: 'A sub-layer’s input and output added, and each row normalised; then every ' +
    'column has its learned scale and offset.',
  part_encoder_is: 'What the encoder hands on, after its last layer.',
  part_decoder_is: 'What the decoder hands on, after its last layer.',
  part_linear_is: 'The logits: a number for each word of the vocabulary, a column each.',
  part_softmax_is: 'The probability of each word to come next; a row sums to 1.',

  translate: 'Translate',
  translate_about: 'Write a sentence: each word of its translation looks back at the English, a row each. ' +
    'Then switch a part off, and see what breaks.',
  sentence: 'English, in the little language of chapter 7', offered: 'Words that go on from here',
  examples: 'Sentences', more_to_try: 'Sentences to try, or your own model', result: 'Translation', whole_result: 'As trained', whole_drawn: 'As trained, drawn alike',
  unchanged: 'The translation is the same, but: {0}.',
  changed_p: 'p of “{0}” {1} → {2}',
  changed_entropy: 'entropy of a row, mean of all heads, {0} → {1} nats',
  changed_weight: '{0}% of the weight of a row goes elsewhere, up to {1}%',
  changed_less: 'no p changes by 0.001', and_also: '; ',
  endless: 'It never ends: the search stopped at {0} words. The first {1} are shown and compared.',
  instead: 'Instead of “{0}”:',
  counting: 'Counting how many unseen sentences are right … {0}%',
  right_whole: 'Of {0} unseen sentences {1} are right. Without one part:',
  right_now: '{0} → {1}', counted: '… {0}%', right_as_set: 'As it is set now: {0} right', right_likeliest: ' (by the likeliest words)',
  no_others: 'one head',
  counting_as_set: 'As it is set now: counting … {0}%',
  looking_for: '{0}: looking for a sentence that it breaks …',
  right_hint: 'right as trained → right without it, word for word',
  show_broken: 'a sentence it breaks',
  cross_heads: 'cross attention', other_heads: 'several heads', lecture: 'Lecture',
  scenes: 'Part of the lecture', scene_back: 'The part before', scene_next: 'The next part',
  unbroken: 'as trained', all_heads: 'all heads', without_part: 'no {0}',
  one_head_left: 'head 0 alone',
  trained_without: 'trained: no {0}',
  cross_heads_look: 'Without the cross attention the decoder knows nothing of the English ' +
    'sentence, and writes the same for every one.',
  other_heads_look: 'Only head 0 of each attention is left, of a model trained with all: one ' +
    'by one few are missed, all together are. A smaller model, trained in this page, learns this little language with one from the start as well (700 updates, ' +
    'seed 1: 990 of 1,000 right; with four heads 985):',
  neighbours_way: 'what one head cannot do',
  changed: 'Compared with the translation as trained: {0} new, {1} missing.',
  unknown: 'The model does not know: {0}. It reads each as <unk>.',
  no_sentence: 'Not a sentence of the little language: “{0}” stands in none. Its translation is a guess.',
  no_begin: 'Not a sentence of the little language: none begins with “{0}”. Its translation is a guess.',
  no_end: 'Not a sentence of the little language yet: none ends with “{0}”.',
  no_words: 'There is no word to translate yet.',
  too_long: 'The sentence has {0} words; the model reads {1} at most.',
  took: 'translated in {0} ms', writing: 'Writing', replay: 'Write again', pause: 'Pause',
  bring: 'Your own model …', brought_name: 'your model', brought_reading: 'Reading the model …',
  brought_is: '{0}: {1} parameters, {2} + {3} layers, {4}; read in {5} s.',
  brought_wrong: 'This model cannot be used: {0}',
  brought_missing: '{0} is missing; drop the model’s directory here, or choose all of its files',
  brought_large: 'its files have {0} MiB, at most {1} are read here',
  brought_slow: 'it takes longer than a minute',
  not_counted: 'What each breaks is counted in the little language of chapter 7, whose words this ' +
    'model does not have.',
  shipped: 'the model of chapter 7', own: 'the model trained here, update {0}',
  model_choice: 'Model',
  switches: 'What if it were not there?',
  scale: '÷ √d_k', mask: 'causal mask', masked: 'causal mask', positions_switch: 'positions',
  residual: 'residual',
  scale_look: 'Without ÷ √{0}, scores of self-attention in layer 0 are {1} times as large, and fewer words get more ' +
    'weight{2}.', scale_entropy: ': entropy, mean of all heads’ rows in all layers, {0} → {1} nats',
  scale_way: 'This trained model loses little; what the root is for is seen in training:',
  scale_way_own: 'What the root is for is seen in training:',
  scale_more: 'Many sentences survive it here, some lose a word.',
  mask_look_own: 'Without the mask, earlier rows see what is written later (the map: at the last step).',
  other_heads_look_own: 'Only head 0 of each attention is left, of a model trained with all.',
  heads_look_own: 'A head that is off adds nothing to its layer.',
  mask_look: 'Without the mask, earlier rows see what is written later (the map: at the last step). This ' +
    'trained model hardly misses it: nothing stands behind the row that writes. What the rows before hand on to it has changed.',
  mask_more: 'This model was trained with it, and never saw them.',
  mask_way: 'Why it is trained with one:',
  positions_look: 'Without positions a sentence is a bag of words: the same word has the same ' +
    'row wherever it stands; look at the order.',
  residual_look: 'Without the residual only the change f(x) goes on, and x is lost: no layer has ' +
    'learned to carry the word along.',
  heads_look: 'A head that is off adds nothing to its layer. One alone is hardly missed; how many ' +
    'sentences are right without it is counted below the switches.',
  sum_of_row: 'Σ row', train_without: 'train it so', together: 'all heads',
  together_cell: 'Row {0}, column {1}', together_scale: 'one scale, {0}',
  together_hint: 'Point at a cell, or use the arrow keys.',
  together_look: 'Row {0}: {1}. One head would mix these into one row that sums to 1; several hand ' +
    'them on side by side.',
  together_alike: 'Row {0}: {1}. Here they agree; point at another row.',
  together_one: 'This model has one head.',
  head_looks: 'head {0} looks at “{1}” ({2})',
  chain_hint: 'Point at a cell: here stands how its weight comes about.',
  each_alone: 'Each by itself:',
  whole_look: 'Everything is as it was trained. Switch one thing off.',
  heads_off: 'off', head_on: 'this head is on', compare: 'show as trained',
  all_on: 'everything on again',
  heads_hint: 'A click shows a head large; o switches it off and on.',
  encoder_note: 'A row is a word, the columns are the words that it looks at. One sentence has no ' +
    'padding, so no mask hides anything here.',
  row_note: 'A row is the word that was just read→the one that it writes; the causal mask hides ' +
    'what comes later.',
  cross_note: 'A row is the word that was just read→the one that it writes; what it looks at in ' +
    'the English sentence goes into that one. No mask hides anything here.',
  head_is_off: 'off', candidates: 'After “{0}”: the likeliest words',
  candidate: 'word', now: 'p now', as_trained: 'p as trained',
  beam: 'beam', temperature: 'temperature', top_k: 'top-k', top_p: 'top-p', all_words: 'all',
  draw_one: 'Draw a translation', search_again: 'The likeliest again',
  beam_at: 'What the beam weighed at step {0}, after “{1}”',
  beam_note: 'A beam keeps the {0} best beginnings at each step, by the log p of all their words.',
  updates_done: '{0} updates',
  beam_instead: 'A beam draws nothing: temperature, top-k and top-p are as at the beginning.',
  drawn_instead: 'There is no beam where words are drawn: it is 1 again.',
  choosing: 'the next word',
  choosing_look: 'After 鸡蛋 (egg) two words are close: cheap, and big. Change temperature, top-k or top-p ' +
    'and see what is left to draw; then draw a translation, or let a beam weigh both. More:',
  any_choosing_look: 'Go to a step, change temperature, top-k or top-p and see what is left to draw; then ' +
    'draw a translation, or let a beam weigh several. More:',
  at_temperature: 'p at {0}', left_to_draw: 'drawn with p', cut_off: 'cut', all_others: 'all others',
  choosing_note: 'Still the likeliest words; the last column is what would be drawn: never <pad>, <bos>, <unk> ' +
    'or what is cut, so the others have more.',
  drawn_note: 'Each word was drawn with the p of the last column, seed {0}. Draw again for another.',

  positions: 'Positions',
  positions_about: 'A position is written as the sines and cosines of many clock hands, from one ' +
    'that turns fast to one that hardly moves. Change the base and see what becomes of the slow ' +
    'hands, and of how well near and far positions can be told apart.',
  base: 'base', position: 'position', turn: 'Let it run', hands: 'The hands at position {0}',
  hands_note: 'Hand i stands at the angle position / base^(2i/D), D = {0}, from the right and ' +
    'against the clock; it points to (cos, sin), two neighbouring columns below. The small number ' +
    'is its wavelength, the positions that a full turn takes.',
  encoding: 'All positions: a row each, −1 dark to 1 bright', column: 'column',
  dot: 'Dot product of position {0} with every other',
  dot_note: 'The line depends on the distance alone: move the position, and it only shifts.',

  root: 'Scale',
  root_about: 'A score q · k is a sum of d_k products: the more are added, the further it lies ' +
    'from 0. Make d_k larger, and see which of 16 keys a query looks at, and how much of the ' +
    'gradient passes the softmax, without a division, divided by √d_k and by d_k.',
  root_draw: 'Other numbers', root_raw: 'q · k', root_scaled: 'q · k ÷ √d_k', root_divided: 'q · k ÷ d_k',
  root_row: 'A query and its 16 keys: weights, below them scores',
  root_gradient: 'Norm of the gradient at the softmax, after the division',
  root_deviation_is: 'standard deviation (√{0} = {1})',
  root_entropy_is: 'entropy, nats (ln 16 = 2.773)',
  root_largest_is: 'largest weight of a row', root_gradient_is: 'gradient’s norm: mean',
  root_median_is: '… median',
  root_note: 'Over 256 queries that meet the same 16 keys (so the deviation is a little off √d_k). All numbers, and the ' +
    'gradient at the weights, are drawn with mean 0 and variance 1. On to q · k a gradient is divided once ' +
    'more, alike in all rows, and Adam, which divides by a gradient’s size, takes that out again; what is 0 stays 0.',
  root_why: 'q · k is a sum of d_k independent products of variance 1. Variances add up, to {0}: ' +
    'the standard deviation is √d_k = {1}. ÷ √d_k makes it 1 at any d_k.',
  root_divided_small: '÷ d_k makes it 1/√d_k = {0}.',
  root_divided_why: '÷ d_k makes it 1/√d_k = {0}: all weights are nearly equal, so nothing is chosen.',
  root_learns: 'Where one weight is nearly 1, the row’s gradient is nearly 0 (median).',
  root_way: 'more or fewer numbers in q and k',

  without: 'Left out',
  without_about: 'While it learns, the decoder is given the whole right translation, and at each ' +
    'word it is to say the next. Two translators learn side by side from the same start, one of ' +
    'them without a part.',
  mask_about: 'Without the mask it sees the word that it is to say: its loss becomes the lower ' +
    'one, but by itself it has nothing to copy.',
  scale_about: 'One head, so that d_k is large, 64. Without ÷ √d_k its softmax is saturated from the first update on, and it learns slowly.',
  left_out_part: 'left out',
  without_plan: 'Twice {0} + {0} layers of width {1} with {2}, d_k = {8}, {3} parameters each; the ' +
    'same batches out of {4} sentence pairs, {5} others are held out. No label smoothing. Adam, ' +
    'the rate rises to {6} in {7} updates and falls to 0.',
  with_mask: 'with the mask', without_mask: 'without the mask',
  with_scale: 'with ÷ √d_k', without_scale: 'without ÷ √d_k',
  taught_name: 'Self-attention on “{0}”',
  taught_note: 'Of the decoder; the sentence is held out. A row is the word that was read→the one that it is to ' +
    'write. Hatched: what the mask hides; where there is none, the dashed line shows where it would.',
  found_losses: 'Update {4}, shown the right words: training loss (mean of 20 updates) {1} {0}, {3} {2}.',
  found_right: ' Update {4}, writing by itself, of unseen sentences: {1} right {0}, {3} {2}.',
  right_of: '{0} of {1}', shown_by_mask: '{0}, without: {1} on the next word',
  shown_by_scale: '{0}: largest {2} with, {1} without (mean)',
  taught_p: 'Shown the right words, it gives the next one p = {0} (mean).',
  taught_written: 'By itself it writes:',
  taught_hint_scale: 'In the end both are sure of some words: that is learned. Without ÷ √d_k rows are sure at update 0 ' +
    'already, before anything is learned (draw the slider back). Point at a cell, or use the arrow keys.',
  taught_hint_mask: 'What the mask would hide lies right of the dashed steps, and right beside them ' +
    'the word that the row is to write. Point at a cell, or use the arrow keys in a map.',
  taught_seen: 'The row that reads “{0}” and is to write “{1}” may look at “{2}”, which has been ' +
    'read: weight {3} with the mask, {4} without.',
  taught_hidden: 'The row that reads “{0}” and is to write “{1}” must not look at “{2}”, which ' +
    'comes later: the mask turns its score of {3} into −∞, its weight into 0. Without the mask: {4}.',
  taught_answer: ' That is the very word that it is to write.',
  taught_scaled: 'The row that reads “{0}” and is to write “{1}”, on “{2}”: with the division the ' +
    'softmax gets {3} and gives {4}; without it gets {5} and gives {6}.',
  taught_hidden_from_both: 'The row that reads “{0}” and is to write “{1}” must not look at “{2}”, ' +
    'which comes later: the mask hides it in both.',

  neighbours: 'Heads',
  neighbours_about: 'Each letter of a line is to say the two beside it (of d g c, g says d and c), and attention does it alone: no ' +
    'feed-forward network, as a whole model has it, takes apart what it hands on. One head has one row of weights, so it ' +
    'hands on one mean of the letters, from which both answers are read. Of several heads each has a row of its own, and ' +
    'their means are handed on side by side. Where they look depends on the seed. As no letter stands twice, a head may also look at all but ' +
    'the two: that says as much.',
  neighbours_plan: 'One attention of width {0}, {1} parameters with any number of heads. Batches of ' +
    '{2} lines of {3} letters, each of them once, drawn anew each time; the held-out ones are drawn ' +
    'once. Adam, the rate rises to {4} in {5} updates and falls to 0.',
  neighbours_line: 'line', neighbours_letter: 'letter', head_number: 'head {0}',
  neighbours_look: 'Where each letter of “{0}” looks',
  neighbours_note: 'A row is a letter between the two neighbours that it says, struck through where it is wrong. Framed: ' +
    'those that it has.',
  neighbours_hint: 'Point at a cell, or use the arrow keys in a map.',
  neighbours_cell: '“{0}” looks at “{1}”: weight {2} with one head, {3} with several. It says ' +
    '“{4}” with one head, “{5}” with several.',
  neighbours_right: '{0}: both neighbours right for {1} of {2} letters inside lines. ',
  neighbours_found: 'One head hands on one mean of the letters, the same for both answers: which letter is on which side ' +
    'can hardly be read from it; how often it can differs from seed to seed. Several hand on a mean each.',

  norm: 'Norm',
  norm_about: 'Layers on top of each other learn to copy their input, in two runs side by side that ' +
    'you set. Four layers learn in any case; eight with post-norm mostly need warm-up; sixteen ' +
    'learn with pre-norm alone.',
  run: 'Run {0}', post: 'post-norm', pre: 'pre-norm', order: 'Norm', warmup: 'warm-up',
  warmup_of: 'warm-up over {0} updates', no_warmup: 'no warm-up', seed: 'seed', layers: 'layers',

  recall: 'Recall',
  recall_about: 'A capital letter stands in the first segment; in the second comes “?”, and the ' +
    'letter must follow. With the memory the loss falls to almost nothing, without it the model ' +
    'can only guess among eight: ln 8 = 2.08, one in eight right.',
  with_memory: 'with memory', without_memory: 'without memory', vanilla: 'vanilla',
  beside: 'compared with',
  look: 'Where the model with memory looks, one episode: all heads',
  look_note: 'Rows are the second segment, columns the first one (left of the dashed line, the ' +
    'memory) and the second. Framed: the row of “?”, and in it the capital letter to recall.',
  taken_away: 'trained with memory, then taken away',
  segment_1: 'segment 1', segment_2: 'segment 2', expected: 'right', written: 'written',

  train: 'Train',
  train_about: 'The little translator learns here, from nothing: first it writes the commonest ' +
    'words, then it gets the words right, then their order. When the loss is low, take it to ' +
    'Translate and try it on your own sentences.',
  use: 'Use it in Translate', own_model: 'little translator', source: 'source',

  start: 'Start', go_on: 'Go on', stop: 'Stop', reset: 'Reset', updates: 'updates',
  loss: 'loss', share: 'right', unseen: 'Right, out of {0} that it has not seen',
  progress: '{0} of {1} updates, {2} s', finished: 'Done: {0} updates in {1} s',
  held_out: 'held out', rewind: 'while it learned', at_update: 'update {0}',
  kept_run: 'Kept in this browser: {0} of {1} updates. Reset to train anew.',
  norm_plan: '{0} layers of width {1} with {2} heads, {3} parameters. Batches of {4} × {5} words, ' +
    'drawn anew each time out of {6}; the held-out ones are drawn once. Adam, rate {7}.',
  recall_plan: '{0} layers of width {1} with {2} heads, {3} parameters. Batches of {4} episodes of ' +
    'two segments of {5} letters, drawn anew each time; the held-out ones are drawn once. Adam, the ' +
    'rate rises to {6} in {7} updates and falls to 0.',
  train_plan: '{0} + {0} layers of width {1} with {2}, {3} parameters. Batches of up to {4} ' +
    'tokens out of {5} sentence pairs; {6} others are held out. Adam, the rate rises to {7} in {8} ' +
    'updates and falls to 0.',
  least_loss: 'least possible, with label smoothing', listed: ', ',
  forget: 'Forget the earlier ones', earlier_hidden: ' (shown outside the lecture: {0})', trained_on: 'trained on', many_layers: '{0} layers',
  one_head: '{0} head', many_heads: '{0} heads', no_mask: 'no causal mask',
  no_mask_plan: ' Without the causal mask the decoder is shown the word that it is to write: ' +
    'compare the loss with what is right when it writes by itself.',
  look_train: 'Its cross attention on “{0}”',
  look_train_note: 'It writes: {0}. A row is the word that was just read, a column an English word.',
  recorded_run: 'A recorded run of {0} updates. Start trains one here.',
  not_yet: '–',
  draws: 'Examples, wrong ones first', draws_right: 'Examples, none wrong', nothing: '(nothing)',
  batch_of: 'batch {0}', batch_of_words: 'batch {0} tokens', chance: 'guessing',
  wide_head: 'one head, so that d_k = {0} is large', new_ones: 'two new models',
  widths: '1 head of width {0}, {1} of width {2}: {3} parameters each',
  panel_keys: [['Tab', 'on to the next thing'],
    ['← →', 'the next panel (on its name), cell or head'],
    ['[  ]', 'one word of writing back or forth'],
    [',  .', 'in The whole: one box back or forth on a word’s way'], ['v', 'encoder, decoder, cross'],
    ['o', 'the chosen head off or on'],
    ['1 … 5', 'the stage: Q Kᵀ, ÷ √d_k, mask, softmax, × ‖v‖'],
    ['p', 'lecture: large, on one screen'],
    ['PgUp  PgDn', 'in a lecture: the part before or the next of its list; also while you type'],
    ['h', 'all heads of the layer, or one'],
    ['c', 'the attention as trained, while something is off'], ['l', '中文'], ['t', 'light, dark'],
    ['Esc', 'out of the sentence, where letters are typed; nothing chosen']],
});
Object.assign(WORDS.zh, {
  page: '手写 Transformer，在网页里运行', page_title: '本教程自己的 C++ 就在这个网页里计算。{0}',
  starting: '引擎正在启动……', ready: '{0} 个参数，{1} 秒后就绪。',
  chapter: '第 {0} 章',
  no_simd: '这个浏览器没有引擎所需的 WebAssembly SIMD：可以动手的内容换成了教程里的图。Chrome 或 ' +
    'Edge 91、Firefox 89、Safari 16.4 起都支持。',
  broken: '引擎停止了：{0}。重新加载页面即可再次启动。',

  hand_asks_tab: '为什么要注意力？', flow_asks_tab: '里面有什么？', translate_asks_tab: '缺了会怎样？',
  root_asks_tab: '为什么除以 √d_k？', without_asks_tab: '为什么要掩码？', neighbours_asks_tab: '为什么要多个头？',
  positions_asks_tab: '为什么要位置？', norm_asks_tab: '为什么归一化？', recall_asks_tab: '为什么要记忆？',
  train_asks_tab: '怎样学会的？',

  hand: '手算',
  hand_about: '每个词有一个查询（它在找什么）、一个键（它能提供什么）和一个值（它说什么）。拖动箭头，看看它看哪个词，又从那里取来什么。',
  hand_scores: '看哪里：一个查询和各个键', hand_values: '取什么：各个值的混合',
  hand_asks: '谁在看？', hand_again: '回到书中的数', hand_ends: '箭头的终点',
  hand_output: '输出', hand_word: '词', hand_share: '权重 · v', hand_sum: '合计',
  hand_said: '{0} 最看重 {1}（{2}）：q · k = {3} = {4}，得分最大。',
  hand_scores_note: '拖动箭头的终点，或者用 Tab 走到那里，再按方向键。虚线表示各个键沿查询的方向有多长。',
  hand_values_note: '虚线是各个值的份额，也就是权重乘以箭头。首尾相接，就到了输出。',
  hand_tasks: '试一试',
  try_most: '能让 {0} 把一半以上的权重给 {1} 吗？',
  try_most_found: '键越长、方向越接近查询，得分越大。',
  try_alike: '能让三个词的权重一样吗？',
  try_alike_found: '得分相等，权重就相等：softmax 只看差别。',
  try_sure: '能让一个词得到 95% 以上吗？',
  try_sure_found: '得分一大，就只剩一个键：所以要除以 √d_k。',
  try_values: '拖动一个值，哪些权重会变？',
  try_values_found: '都不变。值是取来的内容，不决定看哪里。',
  one_vector: '为什么要回头看？',
  one_vector_is: '第 2 章训练了两个逐字母翻译的模型。一个要把整句话装进一个向量：{0} 个字母的句子，只译对 {1}。另一个有注意力，可以回头看每个字母：译对 {2}。',
  one_vector_x: '句子的字母数', one_vector_line: '一个向量，译对的字母（%）',
  attention_line: '注意力，译对的字母（%）',

  flow: '整体',
  flow_about: '书中的整个模型，里面流过的是你的句子：词从下面进去，下一个词从上面出来。点开一个方框，看它往下传的数，一个词一行。',
  box_back: '退回一个方框', box_next: '前进一个方框',
  flow_layer: '层', flow_head: '头', flow_zoom: '宽度', flow_step: '逐步记录的第 {0} 步',
  flow_shape: '{0} 行 × {1} 列，从 {2} 到 {3}',
  flow_hint: '指向一格，或者在图里用方向键。', flow_cell: '“{0}”，{1}：{2}',
  part_embedding_is: '每个词一行学到的数。',
  part_positions_is: '同样的行，加上了位置。',
  part_attention_is: '每个词（一行）看谁：每行的权重之和为 1。',
  part_masked_is: '每个词（一行）看谁：只看自己和前面的词，后面的被掩码挡住（划线处）。',
  part_feed_forward_is: '每个词的隐藏单元，小于 0 的都关掉了。',
  part_norm_is: '子层的输入与输出相加，逐行归一化，再给每一列学到的缩放和偏移。',
  part_encoder_is: '编码器最后一层之后交出去的数。',
  part_decoder_is: '解码器最后一层之后交出去的数。',
  part_linear_is: 'logits：词表里每个词一个数，各占一列。',
  part_softmax_is: '每个词作为下一个词的概率，每行之和为 1。',

  translate: '翻译',
  translate_about: '写一句英文：译文每写一个词，都要回头看英文，一词一行。再去掉一样东西，看看什么会出错。',
  sentence: '英文，用第 7 章的小语言', offered: '接下来可以写的词',
  examples: '例句', more_to_try: '例句，或者你自己的模型', result: '译文', whole_result: '没有改动时', whole_drawn: '没有改动时，同样抽词',
  unchanged: '译文没有变，但{0}。',
  changed_p: '“{0}”的概率 {1} → {2}', changed_entropy: '每行的熵（所有头的平均）{0} → {1} nats',
  changed_weight: '每行有 {0}% 的权重转到别处，最多 {1}%',
  changed_less: '概率的变化都不到 0.001', and_also: '；',
  endless: '译文停不下来：搜索写到 {0} 个词才被叫停。这里只显示、只比较前 {1} 个。',
  instead: '“{0}”可以换成：',
  counting: '正在数没有见过的句子译对多少……{0}%',
  right_whole: '{0} 个没有见过的句子，译对 {1} 个。去掉一样之后：',
  right_now: '{0} → {1}', counted: '……{0}%', right_as_set: '按现在的设置，译对：{0}', right_likeliest: '（写最可能的词）',
  no_others: '只有一个头',
  counting_as_set: '按现在的设置，正在数……{0}%',
  looking_for: '{0}：正在找一句因此译错的……',
  right_hint: '没有改动时译对的句数 → 去掉之后译对的句数，一词不差才算',
  show_broken: '看一句因此译错的',
  cross_heads: '交叉注意力', other_heads: '多个头', lecture: '讲课',
  scenes: '讲到哪一节', scene_back: '上一节', scene_next: '下一节',
  unbroken: '没有改动', all_heads: '全部的头', without_part: '去掉：{0}',
  one_head_left: '只留头 0',
  trained_without: '训练时去掉：{0}',
  cross_heads_look: '没有交叉注意力，解码器对英文一无所知，不管哪一句，写出来的都一样。',
  other_heads_look: '模型是用全部的头训练的，现在每处注意力只留头 0：逐个关掉影响很小，一起关掉就不行了。另一个小一些的模型，在本页里训练，' +
    '一开始就只有一个头，也学得会这门小语言（700 次更新，种子 1：1000 句译对 990 句，四个头是 985 句）：',
  neighbours_way: '一个头做不到的',
  changed: '与没有改动时的译文相比：多出 {0} 个词，少了 {1} 个。',
  unknown: '模型不认识：{0}。一律读作 <unk>。',
  no_sentence: '这不是小语言里的句子：没有一句含有“{0}”。译文只是猜的。',
  no_begin: '这不是小语言里的句子：没有一句以“{0}”开头。译文只是猜的。',
  no_end: '这还不是小语言里的句子：没有一句以“{0}”结尾。',
  no_words: '还没有可以翻译的词。', too_long: '这句话有 {0} 个词，模型最多读 {1} 个。',
  took: '翻译用了 {0} 毫秒', writing: '写到', replay: '再写一遍', pause: '暂停',
  bring: '你自己的模型……', brought_name: '你的模型', brought_reading: '正在读取模型……',
  brought_is: '{0}：{1} 个参数，编码器 {2} 层、解码器 {3} 层，{4}；读取用了 {5} 秒。',
  brought_wrong: '这个模型用不了：{0}',
  brought_missing: '缺少 {0}；把模型的整个目录拖到这里，或者选中其中的全部文件',
  brought_large: '文件共 {0} MiB，这里最多读 {1} MiB',
  brought_slow: '用时超过了一分钟',
  not_counted: '去掉之后译错多少，是用第 7 章的小语言统计的；这个模型没有那些词。',
  shipped: '第 7 章的模型', own: '在这里训练的模型，第 {0} 次更新',
  model_choice: '模型',
  switches: '要是没有它呢？',
  scale: '÷ √d_k', mask: '因果掩码', masked: '因果掩码', positions_switch: '位置', residual: '残差',
  scale_look: '不除以 √d_k（这里是 √{0}），层 0 自注意力的每个得分都是原来的 {1} 倍，softmax 把权重更多地给了少数几个词{2}。',
  scale_entropy: '：各层全部头的各行，熵平均从 {0} 变成 {1} nats',
  scale_way: '这个训练好的模型受影响不大；除以根号的用处，要在训练时才看得见：',
  scale_way_own: '除以根号的用处，要在训练时才看得见：',
  scale_more: '这里许多句子不受影响，有些会丢掉一个词。',
  mask_look_own: '没有掩码，前面各词的行看得见后来写出的词；图是最后一步的。',
  other_heads_look_own: '模型是用全部的头训练的，现在每处注意力只留头 0。',
  heads_look_own: '头关掉之后，就不再给所在的层添加任何东西。',
  mask_look: '没有掩码，前面各词的行看得见后来写出的词；图是最后一步的。' +
    '这个训练好的模型几乎不受影响：正在写的总是最后一行，后面什么也没有；只是前面各行传给它的变了。',
  mask_more: '这个模型是带着掩码训练的，从来没有见过那些词。',
  mask_way: '训练时为什么要有掩码：',
  positions_look: '没有位置，句子就只是不分先后的一袋词：同一个词无论在哪里，行都一样；请看译文的语序。',
  residual_look: '没有残差，传下去的只有修正量 f(x)，x 丢了：没有哪一层学过把词本身带下去。',
  heads_look: '头关掉之后，就不再给所在的层添加任何东西。只关一个，影响很小；还能译对多少句，开关下面有统计。',
  sum_of_row: '整行之和', train_without: '就这样训练一个', together: '全部的头',
  together_cell: '行 {0}，列 {1}', together_scale: '同一标尺，{0}',
  together_hint: '指向一格，或用方向键。',
  together_look: '{0} 这一行：{1}。只有一个头，这些词只能混进一行和为 1 的权重；几个头各看各的，并排交出去。',
  together_alike: '{0} 这一行：{1}。这里各个头看的一样；换一行看看。',
  together_one: '这个模型只有一个头。',
  head_looks: '头 {0} 看“{1}”（{2}）',
  chain_hint: '指向一格，这里就列出它的权重是怎样得来的。',
  each_alone: '单独去掉时：',
  whole_look: '一切都与训练时一样。去掉一样试试。',
  heads_off: '关', head_on: '这个头开着', compare: '看没有改动时', all_on: '全部恢复',
  heads_hint: '点一个头放大看；按 o 把它关掉或打开。',
  encoder_note: '一行是一个词，各列是它看的词。只有一句话，没有填充，这里的掩码什么也不挡。',
  row_note: '一行是“刚刚读入的词→它写出的词”；因果掩码挡住后面的词。',
  cross_note: '一行是“刚刚读入的词→它写出的词”；它在英文里看到的内容，用来写后一个。这里的掩码什么也不挡。',
  head_is_off: '已关', candidates: '“{0}”之后最可能的词',
  candidate: '词', now: '现在的概率', as_trained: '没有改动时',
  beam: '束宽', temperature: '温度', top_k: 'top-k', top_p: 'top-p', all_words: '全部',
  draw_one: '抽一句译文', search_again: '回到最可能的',
  beam_at: '束搜索第 {0} 步，“{1}”之后',
  beam_note: '束搜索每一步留下 {0} 个最好的开头，按全部词的 log p 比较。',
  updates_done: '更新 {0} 次',
  beam_instead: '束搜索不抽词：温度、top-k 和 top-p 都回到了初始值。',
  drawn_instead: '抽词时不用束搜索：束宽回到了 1。',
  choosing: '下一个词怎么选',
  choosing_look: '在“鸡蛋”之后，“便宜”和“大”的概率相近。改变温度、top-k 或 top-p，看看还剩哪些词可抽；' +
    '然后抽一句译文，或者用束搜索来比较这两个词。另见：',
  any_choosing_look: '走到某一步，改变温度、top-k 或 top-p，看看还剩哪些词可抽；然后抽一句译文，或者用束搜索来比较几个词。另见：',
  at_temperature: '温度 {0} 下的概率', left_to_draw: '抽中的概率', cut_off: '截掉了', all_others: '其余的词',
  choosing_note: '写的仍是最可能的词；条形显示如果抽词，会从哪些词里抽：<pad>、<bos>、<unk> 从来不抽，被 top-k、top-p 截掉的也不抽，所以其余的概率大一点。',
  drawn_note: '每个词都按最后一列的概率抽出，种子 {0}。再抽一次，换一句。',

  positions: '位置',
  positions_about: '一个位置写成许多根指针的正弦和余弦，有的转得飞快，有的几乎不动。改变底数，看看慢的指针变成什么样，' +
    '远近不同的位置又有多容易分辨。',
  base: '底数', position: '位置', turn: '走起来', hands: '位置 {0} 上的指针',
  hands_note: '第 i 根指针的角度是 位置 / 底数^(2i/D)，D = {0}：从右边起逆时针转，指向 (cos, sin)，也就是下图相邻的两列。' +
    '小字是它的波长：走多少个位置转一整圈。',
  encoding: '全部位置：一行一个，−1 暗，1 亮', column: '列',
  dot: '位置 {0} 与其他每个位置的点积',
  dot_note: '曲线只取决于相距多远：移动位置，它只是跟着平移。',

  root: '缩放',
  root_about: '得分 q · k 是 d_k 个乘积之和：加得越多，离 0 就越远。把 d_k 调大，看一个查询在 16 个键里关注谁，' +
    '又有多少梯度能穿过 softmax：不除，除以 √d_k，除以 d_k，各会怎样。',
  root_draw: '换一组数', root_raw: 'q · k', root_scaled: 'q · k ÷ √d_k', root_divided: 'q · k ÷ d_k',
  root_row: '一个查询和它的 16 个键：权重，下面是得分',
  root_gradient: '有多少梯度穿过 softmax：输入处（除过之后）的范数',
  root_deviation_is: '得分的标准差（√{0} = {1}）',
  root_entropy_is: '每行的熵，nats（ln 16 = 2.773）',
  root_largest_is: '每行最大的权重', root_gradient_is: '梯度的范数：平均',
  root_median_is: '……中位数',
  root_note: '都对 256 个查询统计。查询、键以及权重处的梯度，都是独立的随机数，均值为 0，方差为 1；查询和键各有 d_k 个。各个查询面对的是同样 16 个键，' +
    '所以量出的标准差与 √d_k 略有出入。梯度再往 q · k 传，还要除一次，各行都一样，Adam 会除以梯度的大小，正好抵消；已经是 0 的仍是 0。',
  root_why: 'q · k 是 d_k 个独立的乘积之和，每个均值为 0、方差为 1。方差相加，得 {0}：标准差是 √d_k = {1}。' +
    '除以 √d_k，不论 d_k 多大，标准差都是 1。',
  root_divided_small: '除以 d_k，标准差就是 1/√d_k = {0}。',
  root_divided_why: '除以 d_k，标准差就是 1/√d_k = {0}：各个键的权重几乎一样，等于没有选择。',
  root_learns: '一个权重接近 1，这一行的梯度就几乎是 0：请看中位数。',
  root_way: 'q 和 k 的数多一些、少一些',

  without: '去掉',
  without_about: '训练时，解码器拿到整句正确的译文，在每个词上都要说出下一个词。两个翻译器从同一起点并排学习，其中一个去掉一样东西。',
  mask_about: '没有掩码，它看得见自己要说的词，学着学着损失反而更低；轮到自己写，就没有什么可抄了。',
  scale_about: '只有一个头，d_k 才大到 64。不除以 √d_k，softmax 从第一次更新起就饱和，学得很慢。',
  left_out_part: '去掉',
  without_plan: '两个模型，编码器、解码器各 {0} 层，宽 {1}，{2}，d_k = {8}，各 {3} 个参数；每批都相同，取自 {4} 个句对，' +
    '另有 {5} 个不参与训练。没有标签平滑。Adam，学习率用 {7} 次更新升到 {6}，再降到 0。',
  with_mask: '有掩码', without_mask: '没有掩码',
  with_scale: '除以 √d_k', without_scale: '不除以 √d_k',
  taught_name: '“{0}”上的自注意力',
  taught_note: '这是解码器的；这句不参与训练。一行是“读入的词→要写的词”。划线的格子被掩码挡住；没有掩码时，虚线右上方就是它本来会挡住的。',
  found_losses: '第 {4} 次更新，给它正确的译文：{0}，训练损失（20 次更新的平均）{1}；{2}，训练损失 {3}。',
  found_right: '第 {4} 次更新，没有见过的句子，自己写：{0}，译对 {1}；{2}，译对 {3}。',
  right_of: '{0} / {1}', shown_by_mask: '{0}，没有掩码：{1} 在要写的词上',
  shown_by_scale: '{0}：最大 {2}（除）、{1}（不除），平均',
  taught_p: '给它正确的译文，它给下一个词的概率平均为 {0}。',
  taught_written: '自己写出来的是：',
  taught_hint_scale: '学完以后，两个模型在有些词上都很确定：那是学来的。不除以 √d_k，第 0 次更新时什么都还没学，各行就已经很确定（把滑块拉回去看）。' +
    '指向一格，或者在图里用方向键。',
  taught_hint_mask: '掩码本来会挡住的，在阶梯形虚线右边；紧挨着虚线的那一格，就是这一行要写的词。指向一格，或者在图里用方向键。',
  taught_seen: '读入“{0}”、要写“{1}”的这一行可以看“{2}”，它已经读过：有掩码时权重 {3}，没有掩码时 {4}。',
  taught_hidden: '读入“{0}”、要写“{1}”的这一行不许看“{2}”，它在后面：掩码把得分 {3} 变成 −∞，权重变成 0。没有掩码时：{4}。',
  taught_answer: '这正是它要写的那个词。',
  taught_scaled: '读入“{0}”、要写“{1}”的这一行，看“{2}”：除以 √d_k 时，softmax 收到 {3}，给出 {4}；不除时，收到 {5}，给出 {6}。',
  taught_hidden_from_both: '读入“{0}”、要写“{1}”的这一行不许看“{2}”，它在后面：两个模型里都被掩码挡住。',

  neighbours: '多头',
  neighbours_about: '一行字母里，每个字母都要说出左右两边是谁（d g c 里，g 要说 d 和 c），全靠注意力：后面没有前馈网络（完整的模型有）去拆开它交出的东西。' +
    '一个头只有一行权重，只交出各个字母的一个平均，两边的答案都从它读出。几个头各有一行，各自的平均并排交出去。各看哪里，随种子而不同；每个字母只出现一次，所以偏偏不看那两个，也同样说得出来。',
  neighbours_plan: '一个注意力，宽 {0}，无论几个头都是 {1} 个参数。每批 {2} 行，每行 {3} 个字母，各出现一次，每次重新抽取；' +
    '未参与训练的只抽一次。Adam，学习率用 {5} 次更新升到 {4}，再降到 0。',
  neighbours_line: '这一行', neighbours_letter: '字母', head_number: '头 {0}',
  neighbours_look: '“{0}”里每个字母看哪里',
  neighbours_note: '一行是一个字母，两边是它说出的字母，说错的划去。框出的是真正在它两边的。',
  neighbours_hint: '指向一格，或者在图里用方向键。',
  neighbours_cell: '“{0}”看“{1}”的权重：一个头，{2}；多个头，{3}。它说的是：一个头，“{4}”；多个头，“{5}”。',
  neighbours_right: '{0}：{2} 个不在两端的字母里，{1} 个把两边都说对了。',
  neighbours_found: '一个头只交出各个字母的一个平均，两边的答案都靠它：哪个字母在哪一边，很难从中看出，看出多少随种子而不同。几个头各交出一个。',

  norm: '归一化',
  norm_about: '叠在一起的几层网络学习复述输入，两次训练并排进行，由你设置。四层怎样都能学会；' +
    '八层的 post-norm 多半要靠预热；十六层只有 pre-norm 能学会。',
  run: '第 {0} 次', post: 'post-norm', pre: 'pre-norm', order: '归一化', warmup: '预热',
  warmup_of: '预热 {0} 次更新', no_warmup: '不预热', seed: '种子', layers: '层数',

  recall: '回忆',
  recall_about: '第一段里有一个大写字母；第二段里出现“?”，后面必须写出那个字母。有记忆，损失降到几乎为零；' +
    '没有记忆，模型只能在八个里猜：ln 8 = 2.08，八次对一次。',
  with_memory: '有记忆', without_memory: '没有记忆', vanilla: 'vanilla',
  beside: '对照',
  look: '有记忆的模型看哪里：一个例子，全部的头',
  look_note: '行是第二段；列是第一段（虚线左边，也就是记忆）和第二段。框出的是“?”那一行，以及其中要回忆的大写字母。',
  taken_away: '带着记忆训练，再拿走记忆',
  segment_1: '第一段', segment_2: '第二段', expected: '正确', written: '写出',

  train: '训练',
  train_about: '小翻译器就在这里从零学起：先只会写最常见的词，接着词写对了，然后语序也对了。损失降下来以后，' +
    '带它到“翻译”里，用你自己的句子试试。',
  use: '拿到“翻译”里用', own_model: '小翻译器', source: '原文',

  start: '开始', go_on: '继续', stop: '停下', reset: '重来', updates: '更新次数',
  loss: '损失', share: '正确', unseen: '没有见过的里，正确的（共 {0}）',
  progress: '{1} 次更新里的第 {0} 次，{2} 秒', finished: '完成：{0} 次更新，用了 {1} 秒',
  held_out: '未参与训练的', rewind: '学习过程', at_update: '第 {0} 次更新',
  kept_run: '保存在这个浏览器里：{1} 次更新里的前 {0} 次。要重新训练，请按“重来”。',
  norm_plan: '{0} 层，宽 {1}，{2} 个头，{3} 个参数。每批 {4} × {5} 个词，每次从 {6} 个词里重新抽取；' +
    '未参与训练的一批只抽一次。Adam，学习率 {7}。',
  recall_plan: '{0} 层，宽 {1}，{2} 个头，{3} 个参数。每批 {4} 个例子，各两段，每段 {5} 个字母，每次重新抽取；' +
    '未参与训练的例子只抽一次。Adam，学习率用 {7} 次更新升到 {6}，再降到 0。',
  train_plan: '编码器、解码器各 {0} 层，宽 {1}，{2}，{3} 个参数。每批最多 {4} 个词元，取自 {5} 个句对；' +
    '另有 {6} 个不参与训练。Adam，学习率用 {8} 次更新升到 {7}，再降到 0。',
  least_loss: '有标签平滑时的最小值', listed: '，',
  forget: '清除之前的训练', earlier_hidden: '（退出讲课模式可见：{0} 次）', trained_on: '参与训练的', many_layers: '{0} 层',
  one_head: '{0} 个头', many_heads: '{0} 个头', no_mask: '没有因果掩码',
  no_mask_plan: '没有因果掩码，解码器看得见自己要写的词：请比较损失，与它自己写时译对的多少。',
  look_train: '“{0}”上的交叉注意力',
  look_train_note: '它写出：{0}。一行是刚刚读入的词，一列是一个英文词。',
  recorded_run: '这是一次录下的训练，共 {0} 次更新。按“开始”就在这里训练。',
  not_yet: '–',
  draws: '例子，错的在前', draws_right: '例子，没有错的', nothing: '（空）', batch_of: '批大小 {0}',
  batch_of_words: '批大小 {0} 个词元', chance: '瞎猜',
  wide_head: '只用一个头，d_k = {0} 才大', new_ones: '两个新的模型',
  widths: '1 个头，宽 {0}；{1} 个头，各宽 {2}：都是 {3} 个参数',
  panel_keys: [['Tab', '到下一处'], ['← →', '下一个面板（在名称上）、格子或头'],
    ['[  ]', '退回或前进一个词'], [',  .', '在“整体”里：沿着一个词的路，退回或前进一个方框'], ['v', '编码器、解码器、交叉'],
    ['o', '关掉或打开选中的头'], ['1 … 5', '阶段：Q Kᵀ、÷ √d_k、掩码、softmax、× ‖v‖'],
    ['p', '讲课：大字，一屏看全'],
    ['PgUp  PgDn', '讲课时：清单里的上一节、下一节；正在输入时也行'],
    ['h', '这一层全部的头，或者一个'],
    ['c', '去掉东西时，看没有改动时的注意力'],
    ['l', 'English'], ['t', '浅色、深色'],
    ['Esc', '离开句子（在那里按字母就是输入），取消选择']],
});

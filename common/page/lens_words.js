// The text of the lens page in both languages.
const WORDS = {
  en: {
    auto: 'theme: auto', light: 'theme: light', dark: 'theme: dark',
    intro: 'A model adds to one sum in every layer, the residual stream. Here its last norm and ' +
      'its output read that sum behind every layer: what would the model say if it ended there?',
    text: 'The text', text_note: 'The colour of a token is the probability that the model gave it, ' +
      'knowing what stands before. Choose a token.',
    token: '“{0}”: probability {1}', no_token: '“{0}” is the first token: nothing predicts it.',
    says: 'What each layer says', says_note: 'A column is a position of the text, a row a layer. ' +
      'In a cell stands the likeliest next token, and its colour is the probability.',
    follows_note: 'The colour is the probability that each layer gives to the token that ' +
      'follows in the text.',
    likeliest: 'the likeliest token', follows: 'the token that follows',
    input: 'input', layer: 'layer {0}', after: 'After “{0}”',
    after_note: 'The five likeliest next tokens behind each layer.',
    charts: 'The stream, layer by layer',
    nats: 'Loss of the text, nats a token', norm: 'Norm of the stream',
    norm_first: 'first token', norm_rest: 'others, median',
    feature: 'The largest feature, times the median feature',
    feature_note: 'Over all tokens but the first. It is largest at “{0}”, where feature {1} has ' +
      'a mean size of {2}, {3} times that of the median feature.',
  },
  zh: {
    auto: '配色：自动', light: '配色：浅色', dark: '配色：深色',
    intro: '模型的每一层都往同一个和里加东西，这个和叫残差流。这里在每一层之后就用最后的归一化和输出层去读它：' +
      '如果模型到此为止，它会说什么？',
    text: '文本', text_note: '词元的颜色是模型在知道前文时给它的概率。选一个词元。',
    token: '“{0}”的概率：{1}', no_token: '“{0}”是第一个词元，没有什么来预测它。',
    says: '每一层会说什么', says_note: '一列是文本中的一个位置，一行是一层。格子里是最可能的下一个词元，颜色是它的概率。',
    follows_note: '颜色是每一层给文本中实际的下一个词元的概率。',
    likeliest: '最可能的词元', follows: '实际的下一个词元',
    input: '输入', layer: '层 {0}', after: '“{0}”之后',
    after_note: '每一层之后最可能的五个词元。',
    charts: '逐层看残差流',
    nats: '文本的损失（每个词元的 nats）', norm: '残差流的范数',
    norm_first: '第一个词元', norm_rest: '其余词元的中位数',
    feature: '最大的特征是中位特征的多少倍',
    feature_note: '不算第一个词元。最大处在“{0}”：特征 {1} 的平均大小为 {2}，是中位特征的 {3} 倍。',
  },
};

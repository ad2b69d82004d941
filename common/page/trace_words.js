// The trace's interface in both languages.
const WORDS = {
  en: {
    inputs: 'inputs', shape: 'result', spread: 'its numbers', scope: 'in', place: 'source line',
    value: 'The result', gradient: 'The gradient that came back',
    corner: 'a corner of it, {0} × {1}',
    to_gradient: 'to its gradient', to_forward: 'to its forward step', none: '–',
    gradient_of: 'gradient of {0}', passes_on: 'backward:',
    dropped: 'The first {0} steps. {1} later ones are left out ({2}). --section N shows one section ' +
      'of a lesson alone.',
    learned: 'A parameter: an update moves it against its gradient.',
    unknown: 'The line is not known: the op was not called from a chapter.',
    auto: 'auto', light: 'light', dark: 'dark', first: 'first', back: 'back', forward: 'forward',
    last: 'last',
    step: 'step',
  },
  zh: {
    inputs: '输入', shape: '结果', spread: '其中的数', scope: '所在的层', place: '代码位置',
    value: '结果', gradient: '传回来的梯度', corner: '左上角 {0} × {1}',
    to_gradient: '看它的梯度', to_forward: '看前向的那一步', none: '–',
    gradient_of: '{0} 的梯度', passes_on: '反向：',
    dropped: '这里是前 {0} 步；后面还有 {1} 步没有收进来（{2}）。用 --section N 可以只看课程的一节。',
    learned: '一个参数：更新时逆着它的梯度移动。',
    unknown: '不知道是哪一行：这个算子不是从某一章里调用的。',
    auto: '自动', light: '浅色', dark: '深色', first: '最前', back: '后退', forward: '前进',
    last: '最后', step: '步',
  },
};

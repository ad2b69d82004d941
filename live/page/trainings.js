// The three trainings of the page: norm order and warm-up (chapter 3), the little translator
// (chapter 7), recall across segments (chapter 8).

function choice(setting, values) {
  return tag('select', { 'data-setting': setting },
    ...values.map((value) => tag('option', { value })));
}

// The options of a choice in the language of the page.
function name_choices(panel, setting, label, names) {
  const list = byId(panel).querySelector(`[data-setting=${setting}]`);
  list.setAttribute('aria-label', label);
  [...list.options].forEach((option, i) => { option.textContent = names[i]; });
}

// ---- norm ---------------------------------------------------------------------------------------

const WARMUPS = [0, 120];
function begin_norm() {
  const sides = ['--query', '--key'].map((colour, i) => ({
    colour,
    name: () => `${setting_of(training.norm, `order_${i}`)}-norm · ` +
      warmup_name(Number(setting_of(training.norm, `warmup_${i}`))),
    options: () => ({ norm: setting_of(training.norm, `order_${i}`),
      warmup: Number(setting_of(training.norm, `warmup_${i}`)) }) }));
  const settings = sides.map(({ colour }, i) => tag('span', { class: 'row side' },
    tag('i', { style: `background: var(${colour})` }), choice(`order_${i}`, ['post', 'pre']),
    choice(`warmup_${i}`, WARMUPS)));
  make_training('norm', { task: 'norm', runs: sides, settings, log: true, updates: 240,
    level: () => ({ value: Math.log(16), name: `${word('chance')} · ln 16` }),
    draw: () => sides.forEach((_, i) => {
      name_choices('norm', `order_${i}`, `${word('run', i + 1)}: ${word('order')}`,
        [word('post'), word('pre')]);
      name_choices('norm', `warmup_${i}`, `${word('run', i + 1)}: ${word('warmup')}`,
        WARMUPS.map(warmup_name));
    }) });
  byId('norm').querySelector('[data-setting=warmup_1]').value = WARMUPS[1];
  for (const list of byId('norm').querySelectorAll('select'))
    list.addEventListener('change', () => draw_training(training.norm));
}

function warmup_name(updates) {
  return updates ? word('warmup_of', updates) : word('no_warmup');
}

// ---- recall -------------------------------------------------------------------------------------

function begin_recall() {
  const runs = [[true, '--key', 'with_memory'], [false, '--query', 'without_memory']].map(
    ([memory, colour, name]) => ({ colour, name: () => `Transformer-XL · ${word(name)}`,
      options: () => ({ memory, model: 'transformer_xl' }) }));
  make_training('recall', { task: 'recall', runs, settings: [], log: true, updates: 600,
    checked: 1, taken: true,
    share_level: () => ({ value: 100 / 8, name: word('chance') }),
    level: () => ({ value: Math.log(8), name: `${word('chance')} · ln 8` }),
    columns: [['first', 'segment_1'], ['second', 'segment_2'], ['expected', 'expected'],
      ['written', 'written']],
    last: async (one) => {
      one.taken = await score_of(one, one.runs[0].id, 1, { memory: false });
    } });
}

// ---- the little translator ----------------------------------------------------------------------

function begin_train() {
  const run = { colour: '--mark', name: () => word('own_model'),
    options: () => ({ norm: setting_of(training.train, 'order') }) };
  const use = button_for('', () => {
    use_model(training.train.runs[0].id);
    show_panel('translate');
    byId('sentence').focus();
  }, { id: 'use' });
  make_training('train', { task: 'translator', runs: [run],
    settings: [choice('order', ['post', 'pre'])],
    log: false, updates: 600, checked: 100, part: 50,
    share_level: () => ({ value: 95, name: '95%' }),
    columns: [['source', 'source'], ['expected', 'expected'], ['written', 'written']],
    draw: (one) => {
      name_choices('train', 'order', word('order'), [word('post'), word('pre')]);
      use.textContent = word('use');
      use.disabled = one.runs[0].id < 0;
    } });
  part_of(training.train, 'reset').after(use);
}

// The parts of a lecture in order: Page Down and Page Up move through them, a list shows the
// current one, and the URL stores it.

// A panel by its name, or training without a part of the model; otherwise a view in Translate: all
// as trained, the heads side by side, a part left out, or how the next word is chosen.
const SCENES = ['hand', 'flow', 'unbroken', 'no_scale', 'root', 'why_scale', 'no_mask', 'why_mask',
  'all_heads', 'no_other_heads', 'neighbours', 'no_cross_heads', 'no_positions', 'positions',
  'no_residual', 'norm', 'recall', 'train', 'choosing'];

function switch_of(scene) {
  return ALL_SWITCHES.find((name) => scene === `no_${name}`);
}
function trained_in(scene) { return PARTS.find((part) => scene === `why_${part}`); }
function panel_of(scene) {
  return PANELS.includes(scene) ? scene : trained_in(scene) ? 'without' : 'translate';
}
function scene_name(scene) {
  const name = switch_of(scene), part = trained_in(scene);
  return name === 'other_heads' ? word('one_head_left') :
    name ? word('without_part', switch_name(name)) :
    part ? word('trained_without', switch_name(part)) : word(scene);
}

// A link that names a part of the lecture, but no view, opens that part.
let linked_scene = '';
function read_scene(said) {
  state.scene = SCENES.includes(said.get('scene')) ? said.get('scene') : '';
  linked_scene = said.has('panel') || said.has('text') ? '' : state.scene;
}

// The current part of the walk; before the walk has started, the part that matches the view.
function scene_now() {
  if (state.scene) return state.scene;
  if (state.panel === 'without') return `why_${part_left_out()}`;
  if (state.panel !== 'translate') return state.panel;
  const off = writer.answer ? ALL_SWITCHES.filter(is_off) : [];
  return off.length ? `no_${off[off.length - 1]}` : state.together ? 'all_heads' : 'unbroken';
}

function go_to_scene(scene) {
  const name = switch_of(scene), panel = panel_of(scene);
  state.scene = scene;
  wanted.name = '';  // no longer wait for a sentence of the previous part
  if (panel === 'without') show_training_without(trained_in(scene));
  if (panel === 'translate')  // resets the view
    Object.assign(state, { together: scene === 'all_heads', view: 2,
      layer: name === 'scale' ? 0 : 1, head: 0, stage: 'softmax', query: -1, key: -1,
      ...LIKELIEST });
  if (state.panel !== panel) show_panel(panel);
  if (name) { next_broken[name] = -1; show_broken_sentence(name); }
  else if (panel === 'translate') show_as_trained(scene);
  else if (panel === 'flow' && is_broken()) { turn_all_on(); translate(); }
  draw_scenes();
  write_link();
}

function show_as_trained(scene) {
  turn_all_on();
  if (scene === 'choosing') {
    writer.linked = { step: UNDECIDED.step, query: -1, key: -1 };
    write(UNDECIDED.text);
  } else if (scene === 'all_heads') {
    Object.assign(state, { view: 2, layer: 0, stage: 'softmax' });
    write(SENTENCES[3]);  // has a row in which each head attends to another word
  } else write(SENTENCES[0]);
}

// Goes to the next or the previous part; from another panel, first back to where the walk was left,
// which the list marks with an arrow.
function walk(by) {
  const scene = scene_now(), next = SCENES[SCENES.indexOf(scene) + by];
  if (state.panel !== panel_of(scene)) show_panel(panel_of(scene));
  else if (next) go_to_scene(next);
}

// The progress of an unfinished training that this part of the lecture shows.
function learned_in(scene) {
  const part = trained_in(scene), one = part ? left_out[part] : training[scene];
  const [run] = one ? one.runs : [];
  if (!run || run.id < 0 || run.finished || !run.update) return '';
  return ` · ${word('updates_done', run.update)}${one.going ? ' …' : ''}`;
}

// ---- the list ------------------------------------------------------------------------------------

function draw_scenes() {
  show_choosing();
  const list = byId('scene'), at = SCENES.indexOf(scene_now());
  draw_tour();
  byId('scenes').hidden = !state.lecture;
  if (!state.lecture) return;
  const away = (scene) => (scene === SCENES[at] && state.panel !== panel_of(scene) ? '↩ ' : '');
  list.replaceChildren(...SCENES.map((scene, i) => tag('option', { value: scene },
    `${away(scene)}${i + 1}/${SCENES.length} ${scene_name(scene)}${learned_in(scene)}`)));
  list.value = SCENES[at];
  list.title = list.selectedOptions[0].textContent;  // a long name is cut off while it is closed
  byId('scene_back').disabled = !SCENES[at - 1];
  byId('scene_next').disabled = !SCENES[at + 1];
}

function begin_scenes() {
  byId('scene').addEventListener('focus', draw_scenes);
  byId('scene').addEventListener('change', (event) => go_to_scene(event.target.value));
  for (const [id, by] of [['scene_back', -1], ['scene_next', 1]])
    byId(id).addEventListener('click', () => {
      walk(by);
      if (byId(id).disabled) byId('scene').focus();
    });
}

// The guided tour: the parts of a lecture (scenes.js) without a lecturer. Each asks a question that
// can be answered from what is shown; the answer is folded away.

function start_tour() {
  state.tour = true;
  go_to_scene(SCENES[0]);
  draw();
  byId('tour_next').focus();
}

function end_tour() {
  state.tour = false;
  draw();
  write_link();
  byId('tour_start').focus();
}

function draw_tour() {
  const scene = scene_now(), at = SCENES.indexOf(scene), away = state.panel !== panel_of(scene);
  const shown = state.tour && !state.lecture, card = byId('tour');
  card.hidden = !shown;
  if (!shown) return;
  byId('tour_name').textContent = word('tour_at', at + 1, SCENES.length, scene_name(scene));
  byId('tour_question').textContent = word(`ask_${scene}`);
  const answer = byId('tour_answer');
  if (answer.dataset.scene !== scene) answer.open = false;
  answer.dataset.scene = scene;
  answer.lastElementChild.textContent = word(`answer_${scene}`);
  set_label(byId('tour_next'), word(away ? 'tour_return' : 'tour_next'));
  byId('tour_back').disabled = !at && !away;
  byId('tour_next').disabled = at === SCENES.length - 1 && !away;
}

// The button that starts the tour, after the text of the first panel.
function tour_way() {
  return button_for(word('tour_start', SCENES.length), start_tour, { id: 'tour_start' });
}

function begin_tour() {
  for (const [id, by] of [['tour_back', -1], ['tour_next', 1]])
    byId(id).addEventListener('click', () => walk(by));
  byId('tour_end').addEventListener('click', end_tour);
}

// Selecting a cell: by pointer, by a word next to the picture, or by the arrow keys. The page that
// uses this file defines change(some) and point(query, key).

const ARROWS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

// An arrow key selects another head if the grid of heads has the focus, otherwise another cell.
function move(event, [down, right]) {
  const view = view_now(), at = document.activeElement;
  event.preventDefault();
  if (at.closest('#heads')) {
    change({ layer: state.layer + down, head: state.head + right });
    byId('heads').querySelector('[aria-pressed="true"]').focus();
    return;
  }
  const within = (value, last) => Math.max(0, Math.min(last, value));
  if (state.query < 0 || state.key < 0) point(Math.max(0, state.query), Math.max(0, state.key));
  else
    point(within(state.query + down, view.queries.length - 1),
      within(state.key + right, view.keys.length - 1));
}

function listen_to_pointing() {
  const over = (event) => {
    const cell = cell_under(event);
    if (cell) point(cell.query, cell.key);
  };
  byId('picture').addEventListener('pointermove', over);
  byId('picture').addEventListener('pointerdown', over);
  const word_under = (event) => {
    const button = event.target.closest('button');
    if (!button) return;
    const i = Number(button.dataset.index);
    if (button.parentElement.dataset.side === 'query') point(i, -1);
    else point(-1, i);
  };
  for (const kind of ['pointerover', 'click', 'focusin'])
    byId('places').addEventListener(kind, word_under);
}

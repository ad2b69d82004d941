// The operands of a product, a and b, next to the result; highlights the row and the column behind
// the cell under the pointer.

// An input's numbers in the form of a step, { numbers, blocks, rows, columns, shape }, or null if
// the page lacks them.
function operand_of(input) {
  const place = input.step ? forward_of.get(input.step) : parameter_of.get(input.name);
  if (place !== undefined) return STEPS[place];
  if (!input.numbers) return null;
  const sizes = sizes_of(input), cells = sizes.slice(-2).reduce((all, size) => all * size, 1);
  const rows = Math.min(sizes.at(-2), CORNER), columns = Math.min(sizes.at(-1), CORNER);
  const blocks = Math.round(input.numbers.length / (rows * columns));
  return cells ? { ...input, rows, columns, blocks } : null;
}
const CORNER = 12;  // as in trace_page.cpp

// y = a b sums over the columns of a and the rows of b. For y = a b^T, b is drawn transposed.
function product_of(step) {
  if (step.backward || !['matmul', 'linear'].includes(step.op)) return null;
  const [a, b] = step.inputs.slice(0, 2).map(operand_of);
  const drawn = a && b && a.blocks && b.blocks && sizes_of(a).length > 1 && sizes_of(b).length > 1;
  if (!drawn) return null;
  const turned = step.op === 'linear' || step.formula.includes('b^T');
  return { a, b: turned ? upright(b) : b, turned, bias: step.op === 'linear' && step.inputs.length > 2 };
}

function upright({ numbers, rows, columns }) {
  return { rows: columns, columns: rows, numbers: Array.from({ length: rows * columns },
    (_, i) => numbers[(i % rows) * columns + Math.floor(i / rows)]) };
}

function draw_product(step) {
  const product = product_of(step), card = byId('product_card');
  card.hidden = !product;
  if (!product) return;
  const { a, b, turned, bias } = product, words = words_of(step);
  byId('product_name').textContent = word('product');
  const sign = (text) => tag('span', { class: 'sign' }, text);
  const names = step.op === 'linear' ? ['x', 'W'] : names_in_code(step);
  const part = (name, table) => tag('figure', {}, tag('figcaption', {}, name), table);
  const tables = { a: numbered(a, 'a', { rows: words.rows }), y: numbered(step, 'y', words),
    b: numbered(b, 'b', { columns: words.columns }) };
  byId('product').replaceChildren(part(names[0], tables.a), sign('×'),
    part(names[1] + (turned ? 'ᵀ' : ''), tables.b), ...(bias ? [sign('+ b')] : []), sign('='),
    part(step.name || 'y', tables.y));
  byId('product_sum').textContent = word('point');
  let at = [0, 0];
  const go_to = (row, column) => {
    at = [Math.max(0, Math.min(step.rows - 1, row)), Math.max(0, Math.min(step.columns - 1, column))];
    light(step, product, ...at);
  };
  for (const kind of ['pointerover', 'click'])
    tables.y.addEventListener(kind, ({ target }) => {
      const cell = target.closest('td[data-row]');
      if (cell) go_to(Number(cell.dataset.row), Number(cell.dataset.column));
    });
  tables.y.tabIndex = 0;
  tables.y.addEventListener('focus', () => go_to(...at));
  tables.y.addEventListener('keydown', (event) => {
    const way = WAYS[event.key];
    if (!way) return;
    event.preventDefault();
    event.stopPropagation();  // it is not a step of the trace
    go_to(at[0] + way[0], at[1] + way[1]);
  });
}
const WAYS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

// The names of the operands in the line of code: matmul(q, k, Transpose::yes).
function names_in_code(step) {
  const line = own(PAGE.sources, step.file)?.[step.line - 1] || '';
  const found = line.match(/\bmatmul\((\w+), (\w+)/);
  return found ? found.slice(1) : ['a', 'b'];
}

// The first block, each cell with its row and column as attributes.
function numbered(step, name, { rows, columns }) {
  const most = largest_of(step.numbers);
  const table = tag('table', { class: 'cells', 'data-matrix': name });
  if (columns)
    table.append(tag('tr', {}, ...(rows ? [tag('td')] : []), ...columns.slice(0, step.columns)
      .map((token) => tag('th', { scope: 'col' }, literal(token)))));
  for (let row = 0; row < step.rows; ++row)
    table.append(tag('tr', {},
      ...(rows && rows[row] !== undefined ? [tag('th', { scope: 'row' }, literal(rows[row]))] : []),
      ...Array.from({ length: step.columns }, (_, column) => {
        const cell = cell_of(step.numbers[row * step.columns + column], most);
        Object.assign(cell.dataset, { row, column });
        return cell;
      })));
  return table;
}

// Highlights the cell (i, j) of the result and the terms of its sum.
function light(step, { a, b, bias }, i, j) {
  const lit = { a: (row) => row === i, b: (row, column) => column === j,
    y: (row, column) => row === i && column === j };
  for (const cell of byId('product').querySelectorAll('td[data-row]'))
    cell.classList.toggle('lit', lit[cell.closest('table').dataset.matrix](
      Number(cell.dataset.row), Number(cell.dataset.column)));
  const inner = sizes_of(a).at(-1), terms = Math.min(a.columns, b.rows);
  const parts = Array.from({ length: terms }, (_, k) => {
    const one = a.numbers[i * a.columns + k], other = b.numbers[k * b.columns + j];
    return `${bracketed(one)}·${bracketed(other)}`;
  });
  const rest = (terms < inner ? ' + …' : '') + (bias ? ` + b${SUBSCRIPTS[j] || ''}` : '');
  byId('product_sum').textContent =
    `${parts.join(' + ')}${rest} = ${short(step.numbers[i * step.columns + j])}`;
}
const SUBSCRIPTS = '₀₁₂₃₄₅₆₇₈₉';
function bracketed(value) { return value < 0 ? `(${short(value)})` : short(value); }

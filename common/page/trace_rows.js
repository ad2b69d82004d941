// The words that label the rows of a result. They come from an embedding (PAGE.words) and carry
// over to all that is computed row by row; the columns of attention scores have the keys' words.

const words_at = new Map();  // by the number of a forward step: { rows, columns }

function sizes_of({ shape }) { return (shape.match(/\d+/g) || []).map(Number); }

// The words of a step. They belong to the last rows: a memory puts other rows before them.
function find_words(step) {
  const { op, inputs } = step;
  if (op === 'embedding') return { rows: PAGE.words[inputs[0].name] };
  const given = inputs.map((input) => ({ ...words_at.get(input.step), sizes: sizes_of(input) }));
  if (op === 'concat') return { rows: given.map(({ rows }) => rows).find(Boolean) };
  const [first, second] = given, last = sizes_of(step);
  const rows = (op === 'matmul' ? [first] : given)
    .find((one) => one.rows && one.sizes.at(-2) === last.at(-2))?.rows;
  if (op === 'matmul')  // a b sums over the words of a's columns; those of a b^T are b's rows
    return { rows, columns: first.columns ? undefined : second.rows };
  return { rows, columns: given.find((one) => one.columns && `${one.sizes}` === `${last}`)?.columns };
}

function find_all_words(steps) {
  for (const step of steps)
    if (!step.backward && step.op !== 'parameter') words_at.set(step.number, find_words(step));
}

// The words of a result or of its gradient, cut to the length of the axes: { rows, columns }.
function words_of(step) {
  const { rows, columns } = words_at.get(step.backward ? step.of : step.number) || {};
  const [high, wide] = sizes_of(step).slice(-2);
  return { rows: rows?.slice(-high), columns: columns?.slice(-wide) };
}

// A model supplied by the user: a directory (docs/en/model_directory.md) dropped onto the page, or
// its files, chosen. Nothing of it leaves the page. A worker of its own reads and runs it, so that
// the page stays responsive whatever it contains; the worker is terminated if it takes too long.

const BROUGHT_MOST = 100 << 20;  // total size of its files in bytes
const BROUGHT_FILES = 2000;      // limit for scanning a folder
const BROUGHT_PATIENCE = 60000;  // time limit in milliseconds for loading, and for each answer
const WEIGHTS_FILE = 'model.safetensors', CONFIG_FILE = 'config.json';
const brought = { id: -1, name: '', about: null, words: null, error: null, reading: false };

// ---- which model ---------------------------------------------------------------------------------

function is_brought() { return writer.model >= 0 && writer.model === brought.id; }
function is_trained_here() { return writer.model >= 0 && !is_brought(); }

// Not the built-in model: texts about the built-in model do not apply to others.
function is_own_model() { return writer.model >= 0 || !!PAGE.own_model; }

// The current model's "heads", "d_model" and other sizes.
function about_model() {
  return is_brought() ? brought.about : is_trained_here() ? training.train.runs[0].about : loaded;
}

// Does the model know the little language, whose sentences are counted?
function knows_the_language() {
  return SENTENCES.every((sentence) => sentence.split(' ').every(known));
}

// ---- its files -----------------------------------------------------------------------------------

function is_wanted(name) {
  return name === CONFIG_FILE || name === WEIGHTS_FILE || /\.(vocab\.txt|model)$/.test(name);
}

// A dropped file or folder: { name, file(), all() }, the last for folders only. On pages opened
// from a file, Chromium exposes folders through handles only, other browsers through entries.
function node_of_handle(handle) {
  if (handle.kind === 'file') return { name: handle.name, file: () => handle.getFile() };
  return { name: handle.name, all: async () => {
    const nodes = [];
    for await (const one of handle.values()) {
      if (nodes.length === BROUGHT_FILES) break;
      nodes.push(node_of_handle(one));
    }
    return nodes;
  } };
}

function node_of_entry(entry) {
  const promised = (call) => new Promise((done, failed) => { call(done, failed); });
  if (entry.isFile) return { name: entry.name, file: () => promised((...to) => entry.file(...to)) };
  return { name: entry.name, all: async () => {
    const reader = entry.createReader(), nodes = [];
    for (let some = [0]; some.length && nodes.length < BROUGHT_FILES;) {
      some = await promised((...to) => reader.readEntries(...to));
      nodes.push(...some.map(node_of_entry));
    }
    return nodes;
  } };
}

async function node_of_item(item) {
  const file = item.getAsFile(), entry = item.webkitGetAsEntry && item.webkitGetAsEntry();
  if (item.getAsFileSystemHandle) {
    const handle = await item.getAsFileSystemHandle();
    if (handle) return node_of_handle(handle);
  }
  return entry ? node_of_entry(entry) : { name: file.name, file: async () => file };
}

// The dropped files; if folders were dropped, those of the first folder with a config.json, which
// may be nested.
async function files_dropped(items) {
  let level = await Promise.all([...items].filter(({ kind }) => kind === 'file').map(node_of_item));
  const [first] = level, name = level.length === 1 && first.all ? first.name : '';
  const has_config = (nodes) => nodes.some((one) => one.name === CONFIG_FILE);
  for (let depth = 0; depth < 3 && !has_config(level) && level.some(({ all }) => all); ++depth) {
    const folders = await Promise.all(level.filter(({ all }) => all).slice(0, 50).map(({ all }) => all()));
    level = folders.find(has_config) || folders.flat().slice(0, BROUGHT_FILES);
  }
  const files = level.filter((one) => one.file && is_wanted(one.name));
  return { name, files: await Promise.all(files.map(({ file }) => file())) };
}

// Problems found before reading anything: the key of the message and its numbers.
function problem_of_files(files) {
  const missing = [CONFIG_FILE, WEIGHTS_FILE].find((name) => !files.some((one) => one.name === name));
  if (missing) return ['brought_missing', missing];
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return bytes > BROUGHT_MOST ?
    ['brought_large', Math.ceil(bytes / (1 << 20)), BROUGHT_MOST >> 20] : null;
}

// ---- taking it -----------------------------------------------------------------------------------

// read: resolves to { name, files }
async function bring(read) {
  if (brought.reading) return;
  Object.assign(brought, { reading: true, error: null });
  show_panel('translate');
  draw_brought();
  try {
    const { name, files } = await read, problem = problem_of_files(files);
    if (problem) brought.error = word(...problem);
    else await take_model(files, name);
  } catch (error) {  // the browser's message for an unreadable file
    brought.error = error.message;
  }
  brought.reading = false;
  draw_brought();
}

async function take_model(files, name) {
  const vocabulary = {};
  let config = '', weights = null;
  for (const file of files)
    if (file.name === WEIGHTS_FILE) weights = await file.arrayBuffer();
    else if (file.name === CONFIG_FILE) config = await file.text();
    else vocabulary[file.name] = await file.text();
  const worker = new_worker((message) => leave_model(message));
  worker.patience = BROUGHT_PATIENCE;
  const start = performance.now(), language = state.lang;
  const about = await send(worker, { do: 'load', config, vocabulary, language }, weights);
  const words = about.error ? about : await send(worker, { do: 'vocabulary' });
  if (words.error) {
    worker.terminate();
    brought.error = words.error;
    return;
  }
  forget_model();
  const id = ++engine.begun, seconds = (performance.now() - start) / 1000;
  engine.trained.set(id, { worker, id: undefined });  // this worker holds one model only
  Object.assign(brought, { id, about, words, name: name || word('brought_name'), seconds });
  use_model(id);
}

function forget_model() {
  const worker = engine.trained.get(brought.id)?.worker;
  engine.trained.delete(brought.id);
  Object.assign(brought, { id: -1, about: null, words: null, error: null });
  if (worker) end_worker(worker, '');
}

// It takes too long, or its worker crashed: the page falls back to the built-in model.
function leave_model(message) {
  const used = is_brought();
  forget_model();
  brought.error = message;
  if (used) use_model(-1);
  draw_brought();
}

// Takes over the words of the current model and a sentence that it can read.
function take_words() {
  const { source, target } = is_brought() ? brought.words : loaded.words;
  writer.words = source;
  flow.words = [...SPECIALS, ...target];
  writer.following_of = null;
  const is_strange = SENTENCES.includes(state.text) || !state.text.split(/\s+/).some(known);
  if (!knows_the_language() && is_strange) write(examples_now()[0]);
}

// Example sentences: the page's own, or ones made of the first words of the vocabulary.
function examples_now() {
  return knows_the_language() || !writer.words.length ? SENTENCES :
    [0, 1, 2].map((i) => writer.words.slice(5 * i, 5 * i + 5).join(' ')).filter(Boolean);
}

// ---- what is shown -------------------------------------------------------------------------------

function draw_brought() {
  const { about, error, reading } = brought, line = byId('brought');
  set_label(byId('bring'), word('bring'));
  line.hidden = !about && !error && !reading;
  line.className = error && !reading ? 'wrong' : 'soft';
  line.replaceChildren(reading ? word('brought_reading') : error ?
    literal_line(word('brought_wrong', error)) : about ? word('brought_is', brought.name,
      about.parameters.toLocaleString('en'), about.layers[0], about.layers[1],
      head_count(about.heads), rounded(brought.seconds)) : '');
}

function begin_brought() {
  const chosen = byId('brought_files');
  byId('bring').addEventListener('click', () => chosen.click());
  chosen.addEventListener('change', () => {
    const files = [...chosen.files].filter(({ name }) => is_wanted(name));
    const was_chosen = chosen.files.length > 0;
    chosen.value = '';  // so that choosing the same files again fires the event
    if (was_chosen) bring({ name: '', files });
  });
  const has_files = (event) => !!engine.worker && event.dataTransfer &&
    [...event.dataTransfer.types].includes('Files');
  addEventListener('dragover', (event) => { if (has_files(event)) event.preventDefault(); });
  addEventListener('drop', (event) => {
    if (!has_files(event)) return;
    event.preventDefault();
    bring(files_dropped(event.dataTransfer.items));  // gone after the event
  });
}

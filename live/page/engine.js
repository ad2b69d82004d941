// The engine in its workers: the page asks, and goes on living until the answer comes. What is shown
// has a worker of its own. What is trained has others, as many as there are processors beside the
// page's: as far as there are enough, no training waits for another one, nor a sentence for any.

// The smallest module with a vector instruction: what a browser without SIMD refuses.
const VECTOR_MODULE = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0,
  10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11);

const MOST_TRAINERS = 4;
const engine = { worker: null, trainers: [], address: '', number: 0, waiting: new Map(),
  begun: 0, trained: new Map() };  // by id, the worker and its own id for it

function has_simd() {
  return typeof WebAssembly === 'object' && WebAssembly.validate(VECTOR_MODULE);
}

// Makes the worker of the module's text and its own: from a file, nothing else may be loaded.
function start_engine() {
  const text = byId('module').textContent + '\n' + byId('worker').textContent;
  engine.address = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  engine.worker = new_worker();
}

// Where it breaks, `broken` is called with what the browser says.
function new_worker(broken = show_broken) {
  const worker = new Worker(engine.address);
  worker.broken = broken;
  worker.onmessage = ({ data: { number, answer, milliseconds, failed } }) => {
    const { resolve, reject, limit } = engine.waiting.get(number);
    engine.waiting.delete(number);
    clearTimeout(limit);
    if (failed) reject(new Error(failed));
    else resolve(Object.assign(JSON.parse(answer), { took: milliseconds }));
  };
  worker.onerror = (event) => {
    event.preventDefault();
    end_worker(worker, event.message);
    broken(event.message);
  };
  return worker;
}

// Who waits for it waits no longer.
function end_worker(worker, message) {
  worker.terminate();
  for (const [number, one] of engine.waiting)
    if (one.worker === worker) {
      engine.waiting.delete(number);
      clearTimeout(one.limit);
      one.reject(new Error(message));
    }
}

// Resolves to the answer of one request, an object or its text, and how long the engine took for it,
// without what it waited for others. The model that is asked is that of
// a training which the request names by its id, one that was brought, or the one that came with the
// page.
function ask(request) {
  if (request.do === 'start') return start_in(free_trainer(), request);
  const trained = engine.trained.get(request.id);
  if (request.do === 'stop') engine.trained.delete(request.id);
  if (request.id >= 0 && request.id === brought.id)  // its model may be at fault, not the engine
    return send(trained.worker, { ...request, id: undefined, language: state.lang })
      .catch((error) => ({ error: error.message }));
  return trained ? send(trained.worker, { ...request, id: trained.id }) :
    send(engine.worker, request);
}

// An answer; what the engine refuses is thrown.
async function answered(request) {
  const answer = await ask(request);
  if (answer.error) throw new Error(answer.error);
  return answer;
}

// Of each training its answer, one after the other.
async function answers_of(ids, request) {
  const answers = [];
  for (const id of ids) answers.push(await answered({ ...request, id }));
  return answers;
}

// weights: the bytes that the request has as "weights_base64", which its worker writes there.
function send(worker, request, weights) {
  return new Promise((resolve, reject) => {
    const number = ++engine.number, limit = worker.patience && setTimeout(() => {
      end_worker(worker, word('brought_slow'));
      worker.broken(word('brought_slow'));
    }, worker.patience);
    engine.waiting.set(number, { worker, resolve, reject, limit });
    worker.postMessage({ number, weights,
      request: typeof request === 'string' ? request : JSON.stringify(request) },
    weights ? [weights] : []);
  });
}

async function start_in(worker, request) {
  const id = ++engine.begun;
  engine.trained.set(id, { worker, id: -1 });
  const answer = await send(worker, request);
  if (answer.error) engine.trained.delete(id);
  else engine.trained.get(id).id = answer.id;
  return { ...answer, id };
}

// The worker that has the fewest of all trainings; another one as long as there are processors.
function free_trainer() {
  const most = Math.min(MOST_TRAINERS, Math.max(1, (navigator.hardwareConcurrency || 2) - 1));
  const load = (worker) =>
    [...engine.trained.values()].filter((one) => one.worker === worker).length;
  const [least] = [...engine.trainers].sort((a, b) => load(a) - load(b));
  if (least && (!load(least) || engine.trainers.length >= most)) return least;
  engine.trainers.push(new_worker());
  return engine.trainers[engine.trainers.length - 1];
}

// A matrix of an answer as the explorer has them: { rows, columns, values }.
function matrix_from({ shape: [rows, columns], values }) {
  return { rows, columns, values: Float32Array.from(values) };
}

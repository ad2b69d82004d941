// The engine in its workers: requests are asynchronous, so the page stays responsive. What is shown
// has a worker of its own; trainings have others, as many as the page leaves processors. If these
// suffice, no training waits for another one, and no sentence waits for a training.

// The smallest module with a vector instruction: browsers without SIMD reject it.
const VECTOR_MODULE = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0,
  10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11);

const MOST_TRAINERS = 4;
const engine = { worker: null, trainers: [], address: '', number: 0, waiting: new Map(),
  begun: 0, trained: new Map() };  // by id: the worker and the id it uses

function has_simd() {
  return typeof WebAssembly === 'object' && WebAssembly.validate(VECTOR_MODULE);
}

// Creates the worker from inlined text: a page opened from a file cannot load other files.
function start_engine() {
  const text = byId('module').textContent + '\n' + byId('worker').textContent;
  engine.address = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  engine.worker = new_worker();
}

// If the worker crashes, `broken` is called with the browser's message.
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

// Rejects all requests that are waiting for this worker.
function end_worker(worker, message) {
  worker.terminate();
  for (const [number, one] of engine.waiting)
    if (one.worker === worker) {
      engine.waiting.delete(number);
      clearTimeout(one.limit);
      one.reject(new Error(message));
    }
}

// Sends a request, an object or its text. Resolves to the answer, with the time the engine took,
// not counting the wait for other requests. The model that answers is the one of the training or of
// the user's model named by the request's id, or else the built-in model.
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

// Resolves to an answer; throws if the engine refuses the request.
async function answered(request) {
  const answer = await ask(request);
  if (answer.error) throw new Error(answer.error);
  return answer;
}

// The answers of several trainings to one request, one after the other.
async function answers_of(ids, request) {
  const answers = [];
  for (const id of ids) answers.push(await answered({ ...request, id }));
  return answers;
}

// weights: the bytes for the request's "weights_base64", which the worker encodes.
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

// The worker with the fewest trainings; a new one as long as there are free processors.
function free_trainer() {
  const most = Math.min(MOST_TRAINERS, Math.max(1, (navigator.hardwareConcurrency || 2) - 1));
  const load = (worker) =>
    [...engine.trained.values()].filter((one) => one.worker === worker).length;
  const [least] = [...engine.trainers].sort((a, b) => load(a) - load(b));
  if (least && (!load(least) || engine.trainers.length >= most)) return least;
  engine.trainers.push(new_worker());
  return engine.trainers[engine.trainers.length - 1];
}

// A matrix of an answer in the explorer's format: { rows, columns, values }.
function matrix_from({ shape: [rows, columns], values }) {
  return { rows, columns, values: Float32Array.from(values) };
}

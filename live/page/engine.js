// The engine in its worker: the page asks, and goes on living until the answer comes.

// The smallest module with a vector instruction: what a browser without SIMD refuses.
const VECTOR_MODULE = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0,
  10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11);

const engine = { worker: null, number: 0, waiting: new Map(), milliseconds: 0 };

function has_simd() {
  return typeof WebAssembly === 'object' && WebAssembly.validate(VECTOR_MODULE);
}

// Makes the worker of the module's text and its own: from a file, nothing else may be loaded.
function start_engine() {
  const text = byId('module').textContent + '\n' + byId('worker').textContent;
  const address = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  engine.worker = new Worker(address);
  engine.worker.onmessage = ({ data: { number, answer, milliseconds, failed } }) => {
    const { resolve, reject } = engine.waiting.get(number);
    engine.waiting.delete(number);
    engine.milliseconds = milliseconds;
    if (failed) reject(new Error(failed));
    else resolve(JSON.parse(answer));
  };
  engine.worker.onerror = (event) => {
    event.preventDefault();
    for (const { reject } of engine.waiting.values()) reject(new Error(event.message));
    engine.waiting.clear();
    show_broken(event.message);
  };
}

// Resolves to the answer of one request, an object or its text.
function ask(request) {
  return new Promise((resolve, reject) => {
    engine.waiting.set(++engine.number, { resolve, reject });
    engine.worker.postMessage({ number: engine.number,
      request: typeof request === 'string' ? request : JSON.stringify(request) });
  });
}

// A matrix of an answer as the explorer has them: { rows, columns, values }.
function matrix_from({ shape: [rows, columns], values }) {
  return { rows, columns, values: Float32Array.from(values) };
}

// Runs in the worker, after the module's text: answers requests one after the other. Each is the
// text of a JSON object, as in live/answer.hpp.

const ready = create_live();

// The engine's answer to a request. A request may have megabytes, so it is passed through the heap.
function answer_of(live, request) {
  const bytes = live.lengthBytesUTF8(request) + 1, place = live._malloc(bytes);
  live.stringToUTF8(request, place, bytes);
  const answer = live.UTF8ToString(live._live_answer(place));
  live._free(place);
  return answer;
}

// Encodes bytes as base64, in pieces because a call takes a limited number of arguments.
function base64_of(bytes) {
  const pieces = [], long = 3 << 13;
  for (let at = 0; at < bytes.length; at += long)
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(at, at + long))));
  return pieces.join('');
}

onmessage = async ({ data: { number, request, weights } }) => {
  try {
    const live = await ready, start = performance.now();
    const whole = weights ? `${request.slice(0, -1)},"weights_base64":"${
      base64_of(new Uint8Array(weights))}"}` : request;
    const answer = answer_of(live, whole);
    postMessage({ number, answer, milliseconds: performance.now() - start });
  } catch (error) {
    postMessage({ number, failed: String(error) });
  }
};

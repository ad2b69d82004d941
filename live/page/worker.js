// Runs in the worker, behind the module's text: requests in, answers out, one after the other.
// Each is the text of a JSON object, as in live/answer.hpp.

const ready = create_live();

// The engine's answer to a request. A request may be megabytes: it goes through the heap.
function answer_of(live, request) {
  const bytes = live.lengthBytesUTF8(request) + 1, place = live._malloc(bytes);
  live.stringToUTF8(request, place, bytes);
  const answer = live.UTF8ToString(live._live_answer(place));
  live._free(place);
  return answer;
}

onmessage = async ({ data: { number, request } }) => {
  try {
    const live = await ready, start = performance.now(), answer = answer_of(live, request);
    postMessage({ number, answer, milliseconds: performance.now() - start });
  } catch (error) {
    postMessage({ number, failed: String(error) });
  }
};

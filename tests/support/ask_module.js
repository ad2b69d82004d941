// node ask_module.js live.js: answers by the page's module, one JSON object per line, like `live`.
const create_live = require(process.argv[2]);

function answer_of(live, request) {
  const bytes = live.lengthBytesUTF8(request) + 1, place = live._malloc(bytes);
  live.stringToUTF8(request, place, bytes);
  const answer = live.UTF8ToString(live._live_answer(place));
  live._free(place);
  return answer;
}

create_live().then((live) => {
  const lines = require('fs').readFileSync(0, 'utf8').split('\n').slice(0, -1);
  for (const line of lines) console.log(answer_of(live, line));
});

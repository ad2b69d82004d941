// Code shared by the heads page and the lens page.

const PAGE = JSON.parse(byId('data').textContent);
const COLOURS = bytes_of(PAGE.colours);  // viridis: 256 entries of red, green, blue
const state = { lang: system_language(), theme: 'auto' };

function bytes_of(base64) { return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)); }

function entry_of(share) { return Math.max(0, Math.min(255, Math.floor(256 * share))); }
function colour_of(share) {
  return `rgb(${COLOURS.subarray(3 * entry_of(share), 3 * entry_of(share) + 3).join()})`;
}
// A readable text colour on top of it.
function ink_of(share) { return share > 0.55 ? '#111' : '#fff'; }

// Looks up a text in the current language and fills in {0}, {1} … .
function word(name, ...values) {
  const text = own(WORDS[state.lang], name) ?? name;
  return values.reduce((so_far, value, i) => so_far.split(`{${i}}`).join(value), text);
}

const SVG = 'http://www.w3.org/2000/svg';
function svg_tag(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// A colour bar from `low` to `high`.
function legend(low, high) {
  const stops = Array.from({ length: 9 }, (_, i) => colour_of(i / 8)).join();
  return tag('span', { class: 'legend' }, String(low),
    tag('i', { style: `background: linear-gradient(to right, ${stops})` }), String(high));
}

// Reads the numbers of `names`, 0 by default, from the URL fragment.
function read_link(names) {
  const said = new URLSearchParams(location.hash.slice(1));
  for (const name of names) state[name] = Math.max(0, Math.round(Number(said.get(name))) || 0);
  if (own(WORDS, said.get('lang'))) state.lang = said.get('lang');
}

function begin(names, draw) {
  const all = () => {
    show_language_and_theme();
    byId('title').textContent = PAGE.title;
    draw();
    history.replaceState(null, '', '#' + [...names, 'lang'].map((n) => `${n}=${state[n]}`).join('&'));
  };
  read_link(names);
  byId('language').addEventListener('click', () => { state.lang = next_language(); all(); });
  byId('theme').addEventListener('click', () => { state.theme = next_theme(); all(); });
  addEventListener('hashchange', () => { read_link(names); all(); });
  all();
  return all;
}

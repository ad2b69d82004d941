// Tokens are shown literally: never parsed as markup, and invisible characters get a symbol.

const UNSEEN = /[\u0000-\u0020\u007f-\u00a0\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ufff9-\ufffb]/u;

// "␊" for a line feed, "U+200F" for a right-to-left mark; other characters stay as they are.
function sign_of(character) {
  const code = character.codePointAt(0);
  if (character === ' ') return '␣';
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return 'U+' + code.toString(16).toUpperCase().padStart(4, '0');
}

// For SVG labels, which are plain text.
function plain(token) {
  return [...token].map((c) => (UNSEEN.test(c) ? sign_of(c) : c)).join('');
}

// For HTML: each symbol in a dotted frame, the whole isolated from the surrounding text direction.
function literal(token) {
  const element = document.createElement('bdi');
  for (const character of token) {
    if (!UNSEEN.test(character)) { element.append(character); continue; }
    element.append(tag('span', { class: 'unseen' }, sign_of(character)));
  }
  return element;
}

function tag(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// Replaces the children of `box`. If one of the old ones had the focus, its successor gets it.
const FOCUSABLE = 'a, button, input, select, svg[tabindex]';
function replace_in(box, ...children) {
  const focused = [...box.querySelectorAll(FOCUSABLE)].indexOf(document.activeElement);
  box.replaceChildren(...children);
  const now = [...box.querySelectorAll(FOCUSABLE)];
  if (focused >= 0 && now.length)
    now[Math.min(focused, now.length - 1)].focus({ preventScroll: true });
}

// Sets the label of a button that is redrawn often. WebKit drops a click if the text under the
// pointer was replaced while the button was pressed.
function set_label(button, text) {
  if (button.textContent !== text) button.textContent = text;
}

// Looks up a name from an untrusted source, such as the URL, among a table's own properties only:
// every object also inherits names such as `constructor`.
function own(table, name) { return Object.hasOwn(table, name) ? table[name] : undefined; }

function byId(name) { return document.getElementById(name); }

// Four significant digits, and an exact zero as "0".
function short(value) {
  if (value === 0) return '0';
  const size = Math.abs(value);
  return size >= 1e-4 && size < 1e5 ? String(Number(value.toPrecision(4))) : value.toExponential(2);
}

// Splits a line of C++ into comments, strings, numbers and keywords.

// The leftmost match wins: a number within a comment is not matched.
const PARTS = new RegExp([
  String.raw`(?<comment>//.*)`, String.raw`(?<text>"(?:[^"\\]|\\.)*"|^\s*#\s*\w+.*)`,
  String.raw`(?<number>\b\d[\w.']*)`,
  String.raw`(?<keyword>\b(?:auto|bool|break|case|class|const|constexpr|continue|default|double|else|` +
    'enum|false|float|for|if|inline|int|namespace|operator|return|std|static|struct|switch|template|' +
    String.raw`this|throw|true|typename|using|void|while)\b)`,
].join('|'), 'g');

function coloured(source) {
  const parts = [], line = source.replace(/(?<=\S) {3,}/g, '  ');  // alignment padding: collapsed
  let end = 0;
  for (const found of line.matchAll(PARTS)) {
    const [kind] = Object.entries(found.groups).find(([, text]) => text !== undefined);
    parts.push(line.slice(end, found.index), tag('b', { class: kind }, found[0]));
    end = found.index + found[0].length;
  }
  return [...parts, line.slice(end)];
}

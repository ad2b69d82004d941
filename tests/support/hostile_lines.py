"""Lines that a tokenizer may stumble over, the same on every machine and in every Python."""

LETTERS = "the old boat waits for rain and a child reads it aloud"
PARTS = [
    "</s>", "<unk>", "<pad>", "<s>", "<", ">", ">>deu<<", ">>fra<<", ">>", "<<", ">>x", "▁", "▁▁",
    " ", "  ", "   ", "\t", "\u00a0", "\u3000", "\u2009", "\u200b", "\ufeff", "\u00ad", "\u2028",
    "\u0085", "\x01", "\x1f", "\x7f", "\ufffd", "ﬁ", "ﬃ", "ｗｉｄｅ", "１２３", "½", "№", "™", "…",
    "²", "㎏", "㍿", "Å", "A\u030a", "é", "e\u0301", "e\u0323\u0302", "\u0301", "ñ", "ß", "ẞ", "İ",
    "ı", "ǆ", "Ω", "Ω", "한", "\u1112\u1161\u11ab", "ｶﾞ", "カ\u3099", "中文", "日本語", "עברית",
    "العربية", "\ufdfa", "हिन्दी", "ไทย", "Ελλ", "русский", "😀", "👨\u200d👩\u200d👧", "🇩🇪",
    "\U0001d400", "\U000e0001", "\uf900", "\u202e", "\u2066", "—", "–", "‐", "«", "»", "“", "”",
    "‘", "’", "„", "''", "\"", "'", "`", "´", "!", "?", ".", ",", ";", ":", "-", "_", "/", "\\",
    "&amp;", "0", "1e9", "the", "naïve", "café", "river", "boat", "zzzz",
]


def hostile_lines(count):
    """`count` lines without line ends; a linear congruential generator draws their parts."""
    state = 20171112

    def draw(below):
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (state >> 33) % below

    lines = []
    while len(lines) < count:
        line = ""
        for _ in range(1 + draw(12)):
            kind = draw(8)
            if kind < 4:
                line += PARTS[draw(len(PARTS))]
            elif kind < 6:
                first = draw(len(LETTERS) - 8)
                line += LETTERS[first:first + 1 + draw(8)]
            else:
                line += chr(draw(0x2fff) + 0x20)
        line = "".join(c for c in line if c not in "\n\r\0" and not 0xd800 <= ord(c) < 0xe000)
        if line.strip():
            lines.append(line)
    return lines

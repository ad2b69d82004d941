// Enlarges code as far as its longest line and its slide allow, to be readable from the last row.
const WIDE = 1240, LARGEST = 28, LETTER = 0.605;  // pixels; letter width as a share of font size
function enlarge(slide) {
  const blocks = [...slide.querySelectorAll("pre")];
  for (const pre of blocks) {
    const lines = pre.textContent.replace(/[\u2e80-\u9fff\uff00-\uffef]/g, "中 ").split("\n");
    const longest = Math.max(...lines.map((line) => line.trimEnd().length));
    pre.style.fontSize = `${Math.min(LARGEST, WIDE / (LETTER * longest)) / 30}em`;
  }
}

// Shrinks what is too wide or too tall for its slide, once the slide is shown.
function fit(slide) {
  if (!slide.style.fontSize) enlarge(slide);
  const parts = [...slide.children].filter((e) => e.tagName !== "ASIDE");
  for (let size = 1, turn = 0; turn < 8; ++turn) {
    const low = Math.max(...parts.map((e) => e.offsetTop + e.scrollHeight));
    const wide = Math.max(1, ...[...slide.querySelectorAll("pre, table, .tex")]
      .map((e) => e.scrollWidth));
    const share = Math.min(712 / low, 1280 / wide);
    if (share >= 1) return;
    size *= Math.max(0.5, share) * 0.99;
    slide.style.fontSize = `${100 * size}%`;
  }
}
// Highlights code. Code with elements of its own, such as wide Chinese characters, would lose them.
function colour() {
  for (const code of document.querySelectorAll("code.cpp, code.sh"))
    if (!code.children.length) Reveal.getPlugin("highlight").highlightBlock(code);
}

addEventListener("load", () => {
  Reveal.on("ready", (event) => { colour(); fit(event.currentSlide); });
  Reveal.on("slidechanged", (event) => fit(event.currentSlide));
  Reveal.on("pdf-ready", () => Reveal.getSlides().forEach(fit));
  if (Reveal.isReady()) { colour(); fit(Reveal.getCurrentSlide()); }
});

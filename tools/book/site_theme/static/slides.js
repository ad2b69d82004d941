// What is too wide or too tall for its slide becomes smaller, once the slide is shown.
function fit(slide) {
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
addEventListener("load", () => {
  Reveal.on("ready", (event) => fit(event.currentSlide));
  Reveal.on("slidechanged", (event) => fit(event.currentSlide));
  Reveal.on("pdf-ready", () => Reveal.getSlides().forEach(fit));
  if (Reveal.isReady()) fit(Reveal.getCurrentSlide());
});

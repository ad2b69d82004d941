// Formulas: KaTeX sets what conf.py has left as TeX. What it cannot read stays visible, in red.
document.addEventListener("DOMContentLoaded", () => {
  for (const element of document.querySelectorAll(".tex")) {
    const source = element.textContent;
    katex.render(source, element, {
      displayMode: element.tagName === "DIV", throwOnError: false, output: "htmlAndMathml",
    });
    element.setAttribute("aria-label", source);
  }
});

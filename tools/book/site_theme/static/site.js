// Formulas: KaTeX renders the TeX left by conf.py, with MathML for screen readers. Formulas it
// cannot parse stay visible, in red.
document.addEventListener("DOMContentLoaded", () => {
  for (const element of document.querySelectorAll(".tex")) {
    katex.render(element.textContent, element, {
      displayMode: element.tagName === "DIV", throwOnError: false, output: "htmlAndMathml",
    });
  }
});

// Makes elements that scroll sideways reachable by keyboard.
function reach() {
  for (const box of document.querySelectorAll(".frame, div.tex, .table-wrapper, .highlight pre")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}
addEventListener("load", reach);
addEventListener("resize", reach);

// The few texts that the theme has in English only.
const CHINESE = {
  "On this page": "本页内容", "Back to top": "回到页首", "Next": "下一页", "Previous": "上一页",
  "Skip to content": "跳到正文", "Contents": "目录", "Home": "首页",
};
document.addEventListener("DOMContentLoaded", () => {
  if (!document.documentElement.lang.startsWith("zh")) return;
  for (const element of document.querySelectorAll(
      ".toc-title, .back-to-top span, .page-info .context span, .page-info .title, .skip-to-content")) {
    const chinese = CHINESE[element.textContent.trim()];
    if (chinese) element.textContent = chinese;
  }
});

// Formulas: KaTeX sets what conf.py has left as TeX, with MathML for those who hear the page. What
// it cannot read stays visible, in red.
document.addEventListener("DOMContentLoaded", () => {
  for (const element of document.querySelectorAll(".tex")) {
    katex.render(element.textContent, element, {
      displayMode: element.tagName === "DIV", throwOnError: false, output: "htmlAndMathml",
    });
  }
});

// What is scrolled sideways is reached by the keyboard as well.
function reach() {
  for (const box of document.querySelectorAll(".frame, div.tex, .table-wrapper, .highlight pre")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}
addEventListener("load", reach);
addEventListener("resize", reach);

// The few words that the theme has in English alone.
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

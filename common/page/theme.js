// Language and theme: the system's, unless the two buttons override them.

const THEMES = ['auto', 'light', 'dark'];
function system_language() { return (navigator.language || '').startsWith('zh') ? 'zh' : 'en'; }
function next_language() { return state.lang === 'zh' ? 'en' : 'zh'; }
function next_theme() { return THEMES[(THEMES.indexOf(state.theme) + 1) % THEMES.length]; }

// To be called before anything is drawn.
function show_language_and_theme() {
  theme_colours.clear();
  document.documentElement.lang = state.lang === 'zh' ? 'zh-CN' : 'en';
  if (state.theme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = state.theme;
  byId('language').textContent = state.lang === 'zh' ? 'English' : '中文';
  byId('theme').textContent = word(state.theme);
}

// The colours of the theme, cached for one redraw: after each change to the page, the next query
// would make the browser recompute all styles.
const theme_colours = new Map();
function css(name) {
  if (!theme_colours.has(name))
    theme_colours.set(name,
      getComputedStyle(document.documentElement).getPropertyValue(name).trim());
  return theme_colours.get(name);
}

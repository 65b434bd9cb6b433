// Before the first paint, so that a dark page does not begin light. Plain script, not a module.
(() => {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const set = () => {
    let wanted = 'auto';
    try { wanted = localStorage.getItem('shingled-theme') || 'auto'; } catch { /* storage is off */ }
    document.documentElement.dataset.theme = wanted === 'auto' ? (dark.matches ? 'dark' : 'light') : wanted;
  };
  set();
  dark.addEventListener('change', () => { set(); dispatchEvent(new Event('shingled-theme')); });
  addEventListener('shingled-theme-wanted', () => { set(); dispatchEvent(new Event('shingled-theme')); });
})();

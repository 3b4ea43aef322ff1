// Runs before the first paint: the colours that were chosen, and what the shell of index.html shows.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem('drawbridge-appearance');
  } catch {
    // The browser refuses its storage: the system decides.
  }
  const isDark =
    chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  const root = document.documentElement;
  root.classList.toggle('dark', isDark);
  root.style.colorScheme = isDark ? 'dark' : 'light';
  const path = location.pathname;
  if (/^\/(inbox(\/.*)?)?$/.test(path)) root.dataset.shell = 'inbox';
  else if (/^\/(sign-in|setup|invitation|reset-password|connect-client|unreachable)(\/|$)/.test(path))
    root.dataset.shell = 'none';
})();

/**
 * Takes a one-time token out of the address (`/setup#token`), so that it stays neither in sight nor in the history.
 * Also reads `#token=…`.
 */
export const takeFragmentToken = (): string => {
  const fragment = decodeURIComponent(location.hash.slice(1));
  history.replaceState(history.state, '', location.pathname);
  return fragment.replace(/^token=/, '');
};

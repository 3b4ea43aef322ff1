/**
 * Reads a one-time token from the address (`/setup#token` or `#token=…`) and removes it from the address and
 * the history.
 */
export const takeFragmentToken = (): string => {
  const fragment = decodeURIComponent(location.hash.slice(1));
  history.replaceState(history.state, '', location.pathname);
  return fragment.replace(/^token=/, '');
};

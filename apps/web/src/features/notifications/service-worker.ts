/** The worker that keeps the shell and shows notifications. Needs https or localhost. */
export const registerServiceWorker = (): void => {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  navigator.serviceWorker.register('/service-worker.js').catch(() => {
    // Without it the panel works the same, but for notifications while it is closed.
  });
};

/** The worker, once it is ready; null in a browser or at an address without one. */
export const serviceWorker = async (): Promise<ServiceWorkerRegistration | null> => {
  if (!('serviceWorker' in navigator)) return null;
  return (await navigator.serviceWorker.getRegistration()) ? navigator.serviceWorker.ready : null;
};

/** Calls `open` with the page of a notification that was clicked. Returns the function that stops it. */
export const onNotificationClick = (open: (path: string) => void): (() => void) => {
  if (!('serviceWorker' in navigator)) return () => {};
  const listen = ({ data }: MessageEvent) => {
    const { type, path } = data as { type?: unknown; path?: unknown };
    if (type === 'open' && typeof path === 'string') open(path);
  };
  navigator.serviceWorker.addEventListener('message', listen);
  return () => navigator.serviceWorker.removeEventListener('message', listen);
};

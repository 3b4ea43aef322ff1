import { createTimer, type Clock } from '@drawbridge/kit';
import type { Router } from 'vue-router';

/** The first page and its questions have the connection for themselves until then. */
const quietMs = 3_000;

/** Loads the pages behind links to `paths` one by one while the browser is idle, until it is stopped. */
export const prefetchPages = (router: Router, clock: Clock, paths: readonly string[]): (() => void) => {
  const timer = createTimer(clock);
  if (!('requestIdleCallback' in window)) return timer.cancel;
  const loads = paths
    .flatMap((path) => router.resolve(path).matched)
    .flatMap(({ components }) => Object.values(components ?? {}))
    .filter((component) => typeof component === 'function');
  let stopped = false;
  const next = async (): Promise<void> => {
    const load = loads.shift();
    if (stopped || load === undefined) return;
    // A page that is loaded when it is opened reports its own failure.
    await Promise.resolve((load as () => Promise<unknown>)()).catch(() => {});
    window.requestIdleCallback(() => void next());
  };
  timer.start(quietMs, () => window.requestIdleCallback(() => void next()));
  return () => {
    stopped = true;
    timer.cancel();
  };
};

import { createTimer, type Clock } from '@drawbridge/kit';
import type { Router } from 'vue-router';

/** What only a key opens. */
export const loadPalette = () => import('./command-palette.vue');
export const loadHelp = () => import('./key-help.vue');

/** The first page and its questions have the connection for themselves until then. */
const quietMs = 3_000;

type Load = () => Promise<unknown>;

/** What loads the pages behind links to `paths`. */
export const pageLoads = (router: Router, paths: readonly string[]): Load[] =>
  paths
    .flatMap((path) => router.resolve(path).matched)
    .flatMap(({ components }) => Object.values(components ?? {}))
    .filter((component) => typeof component === 'function')
    .map((load) => load as Load);

/** Runs `all` one by one while the browser is idle, until it is stopped. */
export const prefetch = (clock: Clock, all: readonly Load[]): (() => void) => {
  const timer = createTimer(clock);
  if (!('requestIdleCallback' in window)) return timer.cancel;
  const loads = [...all];
  let stopped = false;
  const next = async (): Promise<void> => {
    const load = loads.shift();
    if (stopped || load === undefined) return;
    // What is loaded again when it is opened reports its own failure.
    await load().catch(() => {});
    window.requestIdleCallback(() => void next());
  };
  timer.start(quietMs, () => window.requestIdleCallback(() => void next()));
  return () => {
    stopped = true;
    timer.cancel();
  };
};

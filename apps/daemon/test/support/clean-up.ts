import { AsyncLocalStorage } from 'node:async_hooks';
import { afterAll, beforeAll, onTestFinished } from 'vitest';

type CleanUp = () => unknown;

const ofAll = new AsyncLocalStorage<CleanUp[]>();

/** Runs after the test, or after all tests where `shared` is opening. */
export const cleanUp = (run: CleanUp): void => {
  const all = ofAll.getStore();
  if (all === undefined) onTestFinished(async () => void (await run()));
  else all.push(run);
};

/** Opens something once for the tests of the file or the `describe`, and gives it to them. */
export const shared = <T>(open: () => T | Promise<T>): (() => T) => {
  const all: CleanUp[] = [];
  let opened: { value: T } | undefined;
  beforeAll(async () => {
    opened = { value: await ofAll.run(all, open) };
  }, 180_000);
  afterAll(async () => {
    for (const run of all.splice(0).toReversed()) await run();
  }, 60_000);
  return () => {
    if (opened === undefined) throw new Error('it is opened before the tests, not while they are named');
    return opened.value;
  };
};

// A separate process: replaces folders and files with links and restores them at full speed, until SIGTERM.
import { renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { nextMacrotask } from '@drawbridge/kit';

const [, , ...pairs] = process.argv;
const turnsBeforePause = 4;
const pauseMs = 1;
const neverNotified = new Int32Array(new SharedArrayBuffer(4));

const quietly = (run: () => void): boolean => {
  try {
    run();
    return true;
  } catch {
    return false;
  }
};

/** A tool may have created something in the place. */
const insist = (place: string, run: () => void) => {
  while (!quietly(run)) quietly(() => rmSync(place, { recursive: true, force: true }));
};

const swap = (place: string, target: string): boolean => {
  const aside = `${place}.aside`;
  if (!quietly(() => renameSync(place, aside))) return false;
  insist(place, () => symlinkSync(target, place));
  insist(place, () => unlinkSync(place));
  insist(place, () => renameSync(aside, place));
  return true;
};

let swaps = 0;
let isOver = false;
process.once('SIGTERM', () => (isOver = true));

console.log('swapping');
while (!isOver) {
  for (let n = 0; n < turnsBeforePause; n += 1) {
    for (let at = 0; at + 1 < pairs.length; at += 2)
      if (swap(pairs[at] ?? '', pairs[at + 1] ?? '')) swaps += 1;
  }
  // So that calls get through too, and not only refusals.
  Atomics.wait(neverNotified, 0, 0, pauseMs);
  await nextMacrotask();
}
console.log(`swaps ${swaps};`);

// A process of its own: puts links in place of folders and files and takes them back, as fast as it can, until it is told to stop.
import { renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { nextMacrotask } from '@drawbridge/kit';

const [, , ...pairs] = process.argv;
const turnsBeforePause = 4;
const pauseMs = 1;
const nobody = new Int32Array(new SharedArrayBuffer(4));

const quietly = (run: () => void): boolean => {
  try {
    run();
    return true;
  } catch {
    return false;
  }
};

/** A tool may have made something anew where it was missing. */
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
  Atomics.wait(nobody, 0, 0, pauseMs);
  await nextMacrotask();
}
console.log(`swaps ${swaps};`);

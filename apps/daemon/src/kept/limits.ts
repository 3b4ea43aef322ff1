import { keptChangeMs } from '@drawbridge/contracts/machines/undo-change';

const mebibyte = 1024 ** 2;

/** What is kept of changes: for how long, of all of them, and of one. A larger change is not kept. */
export const keptLimits = {
  ms: keptChangeMs,
  bytes: 500 * mebibyte,
  changeBytes: 50 * mebibyte,
  changeFiles: 1_000,
};
export type KeptLimits = typeof keptLimits;

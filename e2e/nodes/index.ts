import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** An end-of-life Node, the oldest that is supported, and the newest. */
const packages = { old: 'node-20', oldest: 'node-22', newest: 'node-26' } as const;

/** Where another version of Node is; undefined where it is not installed. */
export const otherNode = (which: keyof typeof packages): string | undefined => {
  const path = join(import.meta.dirname, 'node_modules', packages[which], 'bin/node');
  return existsSync(path) ? path : undefined;
};

export const hasOtherNodes = (): boolean =>
  (['old', 'oldest', 'newest'] as const).every((which) => otherNode(which) !== undefined);

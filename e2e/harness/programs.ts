import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const { resolve } = createRequire(import.meta.url);
const folderOf = (name: string) => dirname(resolve(`${name}/package.json`));

/** The folder of the official suite of conformance. */
export const suiteFolder = (): string => folderOf('@modelcontextprotocol/conformance');

/** The script that starts the inspector. */
export const inspectorEntry = (): string =>
  join(folderOf('@modelcontextprotocol/inspector'), 'clients/launcher/build/index.js');

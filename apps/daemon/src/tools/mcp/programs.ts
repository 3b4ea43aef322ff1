import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { homedir } from 'node:os';
import { pipeline } from 'node:stream/promises';
import { programsOfServer } from '../../paths/server-programs.ts';
import type { McpServer } from './servers-file.ts';

/** The digest of a file; empty for one that is missing or cannot be read. */
const digestOfFile = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path), hash);
    return hash.digest('hex');
  } catch {
    return '';
  }
};

interface Where {
  root: string;
  privateFolder: string;
}

/** The digests of the files below `root` that a server starts, by path, as they are now. */
const readPrograms = async (server: McpServer, where: Where): Promise<[string, string][]> => {
  const paths = programsOfServer(server, { ...where, home: homedir() });
  return Promise.all(paths.map(async (path): Promise<[string, string]> => [path, await digestOfFile(path)]));
};

/** The server with its files as they are now. A folder is shared later, so files anywhere count. */
export const withPrograms = async (server: McpServer, privateFolder: string): Promise<McpServer> => {
  const { programs: _, ...rest } = server;
  const found = (await readPrograms(rest, { root: '/', privateFolder })).filter(
    ([, digest]) => digest !== '',
  );
  return found.length === 0 ? rest : { ...rest, programs: Object.fromEntries(found) };
};

/** Files below `root` that a server starts and that are not as the person confirmed them. */
export const changedPrograms = async (server: McpServer, where: Where): Promise<string[]> =>
  (await readPrograms(server, where))
    .filter(([path, digest]) => (server.programs?.[path] ?? '') !== digest)
    .map(([path]) => path);

import { join } from 'node:path';
import { z } from 'zod';
import { readQuietly, realPathOf } from '../program/quiet-files.ts';
import { parseJson } from '../text/parse-json.ts';
import { pathsFrom, type Reading } from './git/named-paths.ts';
import { commandWords } from './git/named-words.ts';
import { isWithin } from './protected.ts';

const serverCommand = z.object({
  command: z.string(),
  args: z.array(z.string()).default([]),
  env: z.record(z.string(), z.string()).default({}),
});
type ServerCommand = z.infer<typeof serverCommand>;
const serversFile = z.object({ servers: z.record(z.string(), serverCommand) });

/** Where `drawbridge mcp` keeps the servers, in the private folder. */
export const serversFileName = 'mcp-servers.json';
/** The folder that they start in. */
export const serversFolder = (privateFolder: string): string => join(privateFolder, 'mcp');

interface In extends Reading {
  privateFolder: string;
}

/**
 * Files in the root that the command line of an MCP server starts, or gives to what it starts, also missing
 * ones: programs, scripts and settings, no data.
 */
export const programsOfServer = ({ command, args, env }: ServerCommand, reading: In): string[] => {
  const words = commandWords([command, ...args], Object.values(env));
  const found = pathsFrom(words, serversFolder(reading.privateFolder), reading);
  const isIn = (path: string) => path !== reading.root && isWithin(path, reading.root);
  return [...new Set(found)].filter((path) => isIn(path) || isIn(realPathOf(path) ?? ''));
};

/** The same for all servers of this machine; none where their file cannot be understood: then none starts. */
export const programsOfServers = (reading: In): string[] => {
  const file = parseJson(serversFile, readQuietly(join(reading.privateFolder, serversFileName)));
  return Object.values(file?.servers ?? {}).flatMap((server) => programsOfServer(server, reading));
};

import { z } from 'zod';
import { errors } from '../errors.ts';
import { locate } from '../filesystem/access.ts';
import { textResult } from '../result.ts';
import { defineTool, type ToolContext } from '../tool.ts';
import { runCommand } from './run-command.ts';

const defaultTimeoutMs = 30_000;
const minTimeoutMs = 1_000;
const maxTimeoutMs = 9 * 60_000;

const input = z.strictObject({
  command: z.string().min(1).max(100_000).describe('The command, run by /bin/sh'),
  timeout: z.number().optional().describe('Time-out in milliseconds (default 30000, at most 540000)'),
  cwd: z
    .string()
    .optional()
    .describe('Folder to run it in, relative to the folder (default: the folder itself)'),
});

/** Between a second and nine minutes: below the longest that a server waits for a call. */
export const clampTimeout = (timeout: number | undefined): number =>
  Math.min(Math.max(Math.trunc(timeout ?? defaultTimeoutMs), minTimeoutMs), maxTimeoutMs);

const folderOf = (context: ToolContext, cwd = '.'): string => {
  const place = locate(context, cwd, { access: 'read' });
  if (place.kind === 'missing') throw errors.notFound();
  if (place.kind !== 'folder') throw errors.notFolder();
  return place.path;
};

/** The folder in JSON's quotes and then the command as it is: no two pairs of them give the same text. */
const toCommandResource = (command: string, folder: string): string =>
  `${JSON.stringify(folder)} $ ${command}`;

export const shellExecute = defineTool({
  name: 'shell_execute',
  title: 'Run command',
  description: 'Run a shell command in the folder and give its output and exit code.',
  group: 'shell',
  category: 'shell',
  effect: 'destroys',
  input,
  resources: async ({ command, cwd }, context) => {
    const folder = folderOf(context, cwd);
    if (command.includes('\0')) throw errors.badArguments({ message: 'command: has a NUL in it' });
    const resource = toCommandResource(command, folder);
    return [{ toolGroup: 'shell', resource, description: `Run in ${folder}: ${command}` }];
  },
  run: async ({ command, cwd, timeout }, context) => {
    const folder = folderOf(context, cwd);
    const resource = toCommandResource(command, folder);
    if (!context.granted.some((one) => one.toolGroup === 'shell' && one.resource === resource))
      throw errors.notGranted();
    const { requestId, clock, signal, progress } = context;
    const ended = await runCommand({
      mark: requestId,
      text: command,
      cwd: folder,
      timeoutMs: clampTimeout(timeout),
      clock,
      signal,
      progress,
    });
    const { timedOut, ...output } = ended;
    const result = textResult(JSON.stringify(timedOut ? ended : output));
    return ended.exitCode === 0 ? result : { ...result, isError: true };
  },
});

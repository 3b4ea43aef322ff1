import type { ToolResult } from '@drawbridge/contracts/tool-result';
import { z } from 'zod';
import { locate } from '../common/access.ts';
import { errors } from '../common/errors.ts';
import { textResult } from '../common/result.ts';
import type { ToolContext } from '../common/tool.ts';
import type { CommandEgress } from './network/command-egress.ts';
import type { Ended } from './run-command.ts';
import { inWords } from './sandbox/run-files.ts';

export const defaultTimeoutMs = 30_000;
const minTimeoutMs = 1_000;
const maxTimeoutMs = 9 * 60_000;

export const commandInput = z.strictObject({
  command: z.string().min(1).max(100_000).describe('The command, run by /bin/sh'),
  timeout: z.number().optional().describe('Time-out in milliseconds (default 30000, at most 540000)'),
  cwd: z
    .string()
    .optional()
    .describe('Folder to run it in, relative to the shared folder (default: the shared folder)'),
});

/** Between a second and nine minutes: below the longest that a server waits for a call. */
export const clampTimeout = (timeout: number | undefined): number =>
  Math.min(Math.max(Math.trunc(timeout ?? defaultTimeoutMs), minTimeoutMs), maxTimeoutMs);

export const folderOf = (context: ToolContext, cwd = '.'): string => {
  const place = locate(context, cwd, { access: 'read' });
  if (place.kind === 'missing') throw errors.notFound();
  if (place.kind !== 'folder') throw errors.notFolder();
  return place.path;
};

/** The folder in JSON's quotes and then the command as it is: no two pairs of them give the same text. */
export const toCommandResource = (command: string, folder: string): string =>
  `${JSON.stringify(folder)} $ ${command}`;

const maxCommandBytes = 100_000;

/** Throws `badArguments` for a text that no shell gets. */
export const mustFit = (command: string): void => {
  if (command.includes('\0')) throw errors.badArguments({ message: 'command: has a NUL in it' });
  if (Buffer.byteLength(command) > maxCommandBytes)
    throw errors.badArguments({ message: 'command: is longer than 100,000 bytes' });
};

/** The result of a command that has ended; `egress`: what it had to do with other hosts. */
export const toResult = (
  { timedOut, exceeded, left, ...output }: Ended,
  { notes, egress }: { notes: readonly string[]; egress?: CommandEgress | undefined },
): ToolResult => {
  const all = [...notes, ...inWords(left.changed)];
  const traffic = egress?.traffic() ?? [];
  const pushes = egress?.pushes() ?? [];
  const result = {
    ...textResult(
      JSON.stringify({
        ...output,
        ...(timedOut && { timedOut }),
        ...(exceeded && { exceeded }),
        ...(traffic.length > 0 && { network: traffic }),
        ...(pushes.length > 0 && { pushed: pushes }),
        ...(all.length > 0 && { notes: all }),
      }),
    ),
    ...(left.changed.count > 0 && { _meta: { 'drawbridge/changedRunFiles': left.changed } }),
  };
  return output.exitCode === 0 ? result : { ...result, isError: true };
};

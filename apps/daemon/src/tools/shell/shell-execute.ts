import { z } from 'zod';
import { errors } from '../common/errors.ts';
import { locate } from '../common/access.ts';
import { textWords } from '../common/question-words.ts';
import { textResult } from '../common/result.ts';
import { defineTool, isGranted, type DaemonTool, type Resource, type ToolContext } from '../common/tool.ts';
import { explain } from './explain.ts';
import type { Launcher } from './launch.ts';
import { mayLast } from './words/lasting.ts';
import { fingerprintOfScripts } from './words/named-scripts.ts';
import { namedSecrets } from './words/named-secrets.ts';
import { staysInRoot } from './words/operands.ts';
import { fingerprintOfProgram } from './words/program-file.ts';
import { runCommand } from './run-command.ts';
import { inWords } from './sandbox/run-files.ts';
import type { Look } from './sandbox/visible/visible-places.ts';

const defaultTimeoutMs = 30_000;
const minTimeoutMs = 1_000;
const maxTimeoutMs = 9 * 60_000;

const input = z.strictObject({
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

const folderOf = (context: ToolContext, cwd = '.'): string => {
  const place = locate(context, cwd, { access: 'read' });
  if (place.kind === 'missing') throw errors.notFound();
  if (place.kind !== 'folder') throw errors.notFolder();
  return place.path;
};

/** The folder in JSON's quotes and then the command as it is: no two pairs of them give the same text. */
const toCommandResource = (command: string, folder: string): string =>
  `${JSON.stringify(folder)} $ ${command}`;

const maxCommandBytes = 100_000;

/** What the person and the agent read of a command's limits. */
interface Limits {
  words: boolean;
  /** Tells a permission for a sandboxed command from one without a sandbox. */
  tag?: string;
  description: string;
  question(root: string): string;
}

const limitsOf = ({ sandbox }: { sandbox: boolean }): Limits =>
  sandbox
    ? {
        words: true,
        description: 'It runs in a sandbox: no network, and it changes files in the shared folder only.',
        question: (root) => `Run a command in the sandbox: no network, and it changes files in ${root} only`,
      }
    : {
        words: false,
        tag: 'no-sandbox',
        description: 'It runs without a sandbox.',
        question: () => 'Run a command without a sandbox: it can do whatever you can do on this machine',
      };

interface Wanted {
  command: string;
  folder: string;
  limits: Limits;
}

const toResource = ({ command, folder, limits }: Wanted, context: ToolContext): Resource => {
  const tags = [limits.tag, fingerprintOfScripts(context, { folder, text: command })].filter(
    (tag) => tag !== undefined,
  );
  const isPlain = limits.words && staysInRoot(context, { folder, text: command });
  const programFingerprint = isPlain ? fingerprintOfProgram(context.root, command) : undefined;
  return {
    toolGroup: 'shell',
    resource: toCommandResource(command, folder),
    description: limits.question(context.root),
    ...(tags.length > 0 && { fingerprint: tags.join(' ') }),
    ...(programFingerprint !== undefined && { programFingerprint }),
    ...(!mayLast(context, folder, command) && { sessionOnly: true }),
  };
};

interface Surroundings {
  sandbox: boolean;
  /** What a command of this root sees, now; without a sandbox it sees all. */
  look?(): Look;
}

/** `shell_execute` with the launcher that decides what a command can reach, and whether that is a sandbox. */
export const createShellExecute = (
  prepare: Launcher,
  { sandbox, look = () => ({ sees: () => true, isClosed: () => false }) }: Surroundings,
): DaemonTool => {
  const limits = limitsOf({ sandbox });
  return defineTool({
    name: 'shell_execute',
    title: 'Run command',
    description: `Run a shell command and give its output and exit code. ${limits.description}`,
    group: 'shell',
    category: 'shell',
    effect: 'destroys',
    input,
    resources: async ({ command, cwd }, context) => {
      const folder = folderOf(context, cwd);
      if (command.includes('\0')) throw errors.badArguments({ message: 'command: has a NUL in it' });
      if (Buffer.byteLength(command) > maxCommandBytes)
        throw errors.badArguments({ message: 'command: is longer than 100,000 bytes' });
      return [
        toResource({ command, folder, limits }, context),
        ...namedSecrets(context, { folder, command, look }),
      ];
    },
    asks: ({ command }) =>
      `Run ${textWords(command)}${limits.tag === undefined ? '' : ' without a sandbox'}?`,
    run: async ({ command, cwd, timeout }, context) => {
      const folder = folderOf(context, cwd);
      const wanted = toResource({ command, folder, limits }, context);
      if (!isGranted(context, wanted)) throw errors.notGranted();
      const { tag, clock, signal, progress } = context;
      const timeoutMs = clampTimeout(timeout);
      const ended = await runCommand(
        {
          tag,
          text: command,
          cwd: folder,
          timeoutMs,
          clock,
          signal,
          deniedPaths: context.deniedPaths(),
          progress,
        },
        prepare,
      );
      const { timedOut, left, ...output } = ended;
      const explanations = explain(command, ended, { root: context.root, timeoutMs, sandbox, look });
      const notes = [...explanations, ...(sandbox ? left.notes : []), ...inWords(left.changed)];
      const result = {
        ...textResult(
          JSON.stringify({ ...output, ...(timedOut && { timedOut }), ...(notes.length > 0 && { notes }) }),
        ),
        ...(left.changed.count > 0 && { _meta: { 'drawbridge/changedRunFiles': left.changed } }),
      };
      return ended.exitCode === 0 ? result : { ...result, isError: true };
    },
  });
};

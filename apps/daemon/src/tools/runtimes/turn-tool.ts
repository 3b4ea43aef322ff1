import { createHash } from 'node:crypto';
import { lstatSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  messageMark,
  turnPictures,
  turnTool,
  type TurnPicture,
} from '@drawbridge/contracts/machines/runtimes';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import { canonical, createBoundedMap } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { z } from 'zod';
import { isWithin } from '../../paths/protected.ts';
import { realPathOf } from '../../program/quiet-files.ts';
import { locate } from '../common/access.ts';
import { errors } from '../common/errors.ts';
import { resourcePath } from '../common/question-words.ts';
import { defineTool, isGranted, type DaemonTool, type RunContext } from '../common/tool.ts';
import type { ToolContext } from '../common/tool.ts';
import { runtimeErrors } from './driver.ts';
import { runTurn, type Turn, type TurnNeeds } from './run-turn.ts';
import type { Runtime } from './runtimes-file.ts';

export interface TurnToolNeeds extends TurnNeeds {
  runtimes: ReadonlyMap<string, Runtime>;
  sessions: Sessions;
}

/** A session that may be continued: by the caller that began it, with the same program in the same folder. */
interface KnownSession {
  native: string;
  about: string;
}

export const createSessions = () => createBoundedMap<string, KnownSession>({ maxEntries: 200 });
type Sessions = ReturnType<typeof createSessions>;

const maxPrompt = 100_000;
const maxEarlier = 10_000;

interface Given {
  runtime: string;
  prompt: string;
  folder?: string | undefined;
  session?: string | undefined;
  earlier?: string | undefined;
  asks?: boolean | undefined;
  plans?: boolean | undefined;
  pictures?: TurnPicture[] | undefined;
}

/** Another program, other arguments, hosts or files are another thing to allow. */
const fingerprintOf = (runtime: Runtime): string => {
  const stat = statSync(runtime.command, { throwIfNoEntry: false });
  const program = [realPathOf(runtime.command), stat?.size, stat?.mtimeMs];
  return createHash('sha256')
    .update(canonical([runtime, program]))
    .digest('base64url')
    .slice(0, 22);
};

const hostWords = ({ hosts }: Runtime): string =>
  hosts.length === 0 ? 'no network' : `the network ${hosts.join(', ')}`;

/** Also a link that leads nowhere here: in the walls, such as by `/proc/self`, it may lead somewhere. */
const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** A folder and those above it in the shared one: programs look for what they run there too. */
const foldersUpTo = (root: string, path: string): string[] =>
  path === root || !isWithin(path, root) ? [path] : [path, ...foldersUpTo(root, dirname(path))];

const toTurn = ({ runtimes }: TurnToolNeeds, given: Given, context: ToolContext): Turn => {
  const runtime = runtimes.get(given.runtime);
  if (runtime === undefined)
    throw runtimeErrors.unavailable({ message: `${given.runtime} is not enabled on this machine` });
  const { path, kind } = locate(context, given.folder ?? '.', { access: 'read' });
  if (kind !== 'folder') throw errors.notFolder();
  const folders = foldersUpTo(context.root, path);
  const barred = runtime.refusesFolders.find((name) => folders.some((one) => isThere(join(one, name))));
  if (barred !== undefined)
    throw runtimeErrors.unavailable({
      message: `${runtime.title} is not started in or below a folder with ${barred}, which it would run without a question`,
    });
  return {
    ...{ id: given.runtime, runtime, folder: path },
    wanted: {
      toolGroup: 'runtime',
      resource: `${given.runtime} in ${path}`,
      description: `Start ${runtime.title} (${runtime.command}) there, in the sandbox, with ${hostWords(runtime)}. It reads the folder without a question; what else it does is asked about`,
      fingerprint: fingerprintOf(runtime),
    },
  };
};

/** What a session belongs to. */
const aboutOf = ({ id, folder }: Turn, { caller }: ToolContext): string =>
  canonical([id, folder, caller?.id ?? null]);

/** The program's id of the session to continue; null for a new one. */
const nativeOf = (
  { sessions }: TurnToolNeeds,
  turn: Turn,
  { given: { session }, context }: { given: Given; context: ToolContext },
): string | null => {
  if (session === undefined) return null;
  const known = sessions.get(session);
  if (known?.about === aboutOf(turn, context)) return known.native;
  throw runtimeErrors.unavailable({ message: 'This session is not known here; begin a new one' });
};

const run = async (needs: TurnToolNeeds, given: Given, context: RunContext): Promise<ToolResult> => {
  const turn = toTurn(needs, given, context);
  if (!isGranted(context, turn.wanted)) throw errors.notGranted();
  const resume = nativeOf(needs, turn, { given, context });
  const about = aboutOf(turn, context);
  const { prompt, earlier = '', asks = false, plans = false, pictures = [], session = nanoid() } = given;
  const opened = (native: string) => {
    if (turn.runtime.continues) needs.sessions.set(session, { native, about });
  };
  return runTurn(needs, { turn, session, resume, prompt, pictures, earlier, asks, plans, opened }, context);
};

/** The message first: what comes before it in a prompt is long, and the person knows it. */
const messageFirst = (prompt: string): string => {
  const at = prompt.lastIndexOf(messageMark);
  if (at <= 0) return prompt;
  const before = prompt.slice(0, at).trimEnd();
  return `${prompt.slice(at + messageMark.length)}\n\n[It gets this before the message:]\n${before}`;
};

/** The task, with all that the program gets. */
const taskText = ({ prompt, earlier = '', pictures = [] }: Given): string => {
  const shown = pictures.map(
    ({ name, mediaType, data }) =>
      `\n\n[With the picture ${JSON.stringify(name)}, ${mediaType}, ${Buffer.byteLength(data, 'base64')} bytes]`,
  );
  const before = earlier === '' ? '' : `\n\n[Before it, where its conversation is lost:]\n${earlier}`;
  // A preview notes a last line without its line feed.
  return `${messageFirst(prompt)}${shown.join('')}${before}\n`;
};

/** `runtime_turn`: gives a task to a coding agent of this machine, and ends when it has done with it. */
export const createTurnTool = (needs: TurnToolNeeds): DaemonTool => {
  const names = [...needs.runtimes.keys()];
  const titles = [...needs.runtimes].map(([id, { title }]) => `${id} (${title})`).join(', ');
  return defineTool({
    name: turnTool,
    title: 'Coding agent',
    description:
      `Give a task to a coding agent of this machine, with the user's own login there: ${titles}. It works in the ` +
      'shared folder, in the sandbox; the user is asked about its commands and changes. Gives what it wrote and did, ' +
      'and a session, which continues the conversation.',
    group: 'runtime',
    category: 'runtime',
    effect: 'destroys',
    input: z.strictObject({
      runtime: z.enum(names).describe('Which coding agent'),
      prompt: z.string().min(1).max(maxPrompt).describe('The task, as a person would write it'),
      folder: z.string().optional().describe('Below the shared folder (default: the shared folder)'),
      session: z.string().max(64).optional().describe('Of an earlier result: continues that conversation'),
      earlier: z
        .string()
        .max(maxEarlier)
        .optional()
        .describe(
          'Put before the task where the coding agent has lost the conversation and begins a new one',
        ),
      pictures: turnPictures.optional().describe('Pictures that belong to the task'),
      asks: z.boolean().optional().describe('The chat shows what the coding agent asks its user'),
      plans: z.boolean().optional().describe('With asks: also its plans, which the user approves or not'),
    }),
    resources: async (given: Given, context) => {
      const turn = toTurn(needs, given, context);
      // Before the question: the task is given again without the session, and asked about once.
      nativeOf(needs, turn, { given, context });
      return [turn.wanted];
    },
    asks: (given: Given, _resources, context) => {
      const { runtime, folder, wanted } = toTurn(needs, given, context);
      return `Let ${runtime.title} work in ${resourcePath(context.root, { ...wanted, resource: folder })}?`;
    },
    preview: async (given: Given) => ({
      ...{ kind: 'text', of: 'content', path: 'task' },
      text: taskText(given),
    }),
    run: (given: Given, context) => run(needs, given, context),
  });
};

import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { TurnResult } from '@drawbridge/contracts/machines/runtimes';
import { turnTool } from '@drawbridge/contracts/machines/runtimes';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import { canonical, CodedError, createBoundedMap } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { z } from 'zod';
import { realPathOf } from '../../program/quiet-files.ts';
import { locate } from '../common/access.ts';
import { errors } from '../common/errors.ts';
import { resourcePath } from '../common/question-words.ts';
import { errorResult } from '../common/result.ts';
import { defineTool, isGranted, type DaemonTool, type Resource, type RunContext } from '../common/tool.ts';
import type { ToolContext } from '../common/tool.ts';
import type { Launcher } from '../shell/launch.ts';
import { openCommandEgress, type NetworkNeeds } from '../shell/network/command-egress.ts';
import { readAllDeclared } from '../shell/network/declared.ts';
import { inFolder } from './actions/in-folder.ts';
import type { OpenActions } from './actions/open-actions.ts';
import { runtimeErrors, type ActionRequest, type RunningProgram } from './driver.ts';
import { drivers } from './drivers.ts';
import { startProgram } from './program.ts';
import type { Runtime } from './runtimes-file.ts';
import { createTurnLog } from './turn-log.ts';

export interface TurnToolNeeds {
  runtimes: ReadonlyMap<string, Runtime>;
  actions: OpenActions;
  prepare: Launcher;
  network: NetworkNeeds;
  sessions: Sessions;
  /** Aborted when the owner of the machine switches coding agents off, or changes which there are. */
  off: AbortSignal;
}

/** A session that may be continued: by the caller that began it, with the same program in the same folder. */
interface KnownSession {
  native: string;
  about: string;
}

export const createSessions = () => createBoundedMap<string, KnownSession>({ maxEntries: 200 });
type Sessions = ReturnType<typeof createSessions>;

const switchedOff = 'Coding agents were switched off or changed on this machine, and this one was stopped';
const aliveEveryMs = 10_000;
const maxPrompt = 100_000;

interface Given {
  runtime: string;
  prompt: string;
  folder?: string | undefined;
  session?: string | undefined;
}

interface Turn {
  id: string;
  runtime: Runtime;
  folder: string;
  wanted: Resource;
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

const toTurn = ({ runtimes }: TurnToolNeeds, given: Given, context: ToolContext): Turn => {
  const runtime = runtimes.get(given.runtime);
  if (runtime === undefined)
    throw runtimeErrors.unavailable({ message: `${given.runtime} is not enabled on this machine` });
  const { path, kind } = locate(context, given.folder ?? '.', { access: 'read' });
  if (kind !== 'folder') throw errors.notFolder();
  const barred = runtime.refusesFolders.find((name) => existsSync(join(path, name)));
  if (barred !== undefined)
    throw runtimeErrors.unavailable({
      message: `${runtime.title} is not started in a folder with ${barred}, which it would run without a question`,
    });
  return {
    ...{ id: given.runtime, runtime, folder: path },
    wanted: {
      toolGroup: 'runtime',
      resource: `${given.runtime} in ${path}`,
      description: `Start ${runtime.title} (${runtime.command}) in ${path}, in the sandbox, with ${hostWords(runtime)}. It reads the folder without a question; what else it does is asked about`,
      fingerprint: fingerprintOf(runtime),
    },
  };
};

/** The program in its walls, with its hosts. */
const start = async (
  { prepare, network }: TurnToolNeeds,
  { id, runtime, folder, wanted }: Turn,
  { context, ...io }: { context: RunContext; line(text: string): void; args?: readonly string[] | undefined },
): Promise<RunningProgram> => {
  const declared = await readAllDeclared(runtime.hosts);
  const grants = declared.map((one) => ({ declared: one, resource: wanted }));
  const egress =
    grants.length === 0 ? undefined : await openCommandEgress(network, { grants, gitGrants: [] });
  const { tag, clock, signal, privateFolder } = context;
  const deniedPaths = context.deniedPaths();
  const where = { id, runtime, privateFolder, cwd: folder, tag, clock, signal, deniedPaths };
  return startProgram({ ...where, prepare, egress, ...io });
};

const toResult = (words: string, result: TurnResult): ToolResult => ({
  content: [{ type: 'text', text: words === '' ? 'It ended without a word' : words }],
  structuredContent: { ...result },
});

/** Its code comes first: a chat that it answers reads why, and what it did until then. */
const toFailure = (error: unknown, done: Pick<TurnResult, 'runtime' | 'session' | 'events'>): ToolResult => {
  if (!(error instanceof CodedError)) throw error;
  return {
    ...errorResult(`${error.code}: ${error.message}`),
    structuredContent: { ...done, stopReason: 'error', tokens: null },
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
  const { sessions, actions, off } = needs;
  const resume = nativeOf(needs, turn, { given, context });
  const about = aboutOf(turn, context);
  const { clock } = context;
  const signal = AbortSignal.any([context.signal, off]);
  const { id: runtime } = turn;
  const { title, mode } = turn.runtime;
  const session = given.session ?? nanoid();
  const log = createTurnLog({
    output: (output) => context.progress({ output }),
    post: (posted) => context.progress({ turn: posted }),
  });
  const over = new AbortController();
  const asked = (n: number, requestId: string) => log.add({ type: 'asked', n, requestId });
  const asking = { clock, runtime, title, progress: context.progress, asked };
  const open = actions.ofTurn({ ...asking, signal: AbortSignal.any([signal, over.signal]) });
  const ask = (request: ActionRequest, n: number) => open(inFolder(request, turn.folder), n);
  const stopReporting = clock.every(aliveEveryMs, () => context.progress({ message: `${title} works` }));
  let program: RunningProgram | undefined;
  try {
    const live = await drivers[turn.runtime.protocol]({
      ...{ clock, mode, cwd: turn.folder, resume },
      start: async (line, args) =>
        (program = await start(needs, turn, { context: { ...context, signal }, line, args })),
    });
    if (turn.runtime.continues) sessions.set(session, { native: live.native, about });
    log.add({ type: 'session', session });
    const { stopReason, tokens } = await live.turn(given.prompt, { event: log.add, ask }, signal);
    signal.throwIfAborted();
    await live.close?.();
    return toResult(log.words(), { runtime, session, stopReason, events: log.events(), tokens });
  } catch (error) {
    if (context.signal.aborted) throw error;
    return toFailure(off.aborted ? runtimeErrors.unavailable({ message: switchedOff }) : error, {
      ...{ runtime, session, events: log.events() },
    });
  } finally {
    over.abort();
    stopReporting();
    program?.kill();
    await program?.ended;
  }
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
    preview: async ({ prompt }: Given) => ({
      ...{ kind: 'text', of: 'content', path: 'task' },
      text: prompt,
    }),
    run: (given: Given, context) => run(needs, given, context),
  });
};

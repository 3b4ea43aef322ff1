import { join } from 'node:path';
import type { TurnPicture, TurnResult } from '@drawbridge/contracts/machines/runtimes';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import { CodedError, hasCode } from '@drawbridge/kit';
import { readBytes } from '../../paths/read-bytes.ts';
import { toText } from '../filesystem/text/decode-text.ts';
import { errorResult } from '../common/result.ts';
import type { Resource, RunContext } from '../common/tool.ts';
import type { Launcher } from '../shell/launch.ts';
import { openCommandEgress, type NetworkNeeds } from '../shell/network/command-egress.ts';
import { readAllDeclared } from '../shell/network/declared.ts';
import { inFolder } from './actions/in-folder.ts';
import { openForms } from './actions/open-forms.ts';
import type { OpenActions } from './actions/open-actions.ts';
import { runtimeErrors, type RunningProgram, type TurnEnd, type TurnEvents } from './driver.ts';
import { drivers } from './drivers.ts';
import { startProgram, type ProgramNeeds } from './program.ts';
import type { Runtime } from './runtimes-file.ts';
import { createTurnLog } from './turn-log.ts';

export interface TurnNeeds {
  actions: OpenActions;
  prepare: Launcher;
  network: NetworkNeeds;
  /** Aborted when the owner of the machine switches coding agents off, or changes which there are. */
  off: AbortSignal;
}

/** A coding agent in a folder, as its person allows it. */
export interface Turn {
  id: string;
  runtime: Runtime;
  folder: string;
  wanted: Resource;
}

export interface Task {
  turn: Turn;
  session: string;
  /** The program's own id of the session to continue; null for a new one. */
  resume: string | null;
  prompt: string;
  pictures: readonly TurnPicture[];
  /** Before the prompt, where the program has lost the session and begins a new one. */
  earlier: string;
  /** Its caller shows forms of the program. */
  asks: boolean;
  /** And plans with them. */
  plans: boolean;
  opened(native: string): void;
}

const switchedOff = 'Coding agents were switched off or changed on this machine, and this one was stopped';
const lost = 'Its conversation was lost. A new one began.';
const aliveEveryMs = 10_000;
const maxInstructions = 40_000;

/** The program in its walls, with its hosts. */
const start = async (
  { prepare, network }: TurnNeeds,
  { id, runtime, folder, wanted }: Turn,
  { context, ...io }: Pick<ProgramNeeds, 'line' | 'args' | 'module'> & { context: RunContext },
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

/** Gives a task to a coding agent, in its session, or in a new one where the program has lost that. */
export const runTurn = async (needs: TurnNeeds, task: Task, context: RunContext): Promise<ToolResult> => {
  const { turn, session } = task;
  const { actions, off } = needs;
  const { clock } = context;
  const signal = AbortSignal.any([context.signal, off]);
  const { id: runtime } = turn;
  const { title, mode, protocol } = turn.runtime;
  const log = createTurnLog({
    output: (output) => context.progress({ output }),
    post: (posted) => context.progress({ turn: posted }),
  });
  const over = new AbortController();
  const asked = (n: number, requestId: string) => log.add({ type: 'asked', n, requestId });
  const { progress, withdraw = () => {} } = context;
  const asking = { clock, runtime, title, progress, asked, withdraw };
  const ending = AbortSignal.any([signal, over.signal]);
  const open = actions.ofTurn({ ...asking, signal: ending });
  const form = openForms({
    ...{ clock, title, signal: ending, progress: context.progress, event: log.add },
    showsPlans: task.plans,
    answers: task.asks ? context.answers : undefined,
  });
  const ask: TurnEvents['ask'] = (request, n, withdrawal) =>
    open(inFolder(request, turn.folder), n, withdrawal);
  /** What it names in its folder is named from there; commands stay as they are. */
  const event: TurnEvents['event'] = (one) =>
    log.add(
      one.type === 'action' && one.kind !== 'execute'
        ? { ...one, title: one.title.replaceAll(`${turn.folder}/`, '') }
        : one,
    );
  const instructionsOf = async (name: string): Promise<string> => {
    const path = join(turn.folder, name);
    if (context.reading.mode(path) === 'deny') return '';
    return readBytes(path, context.privateFolder, maxInstructions)
      .then(toText)
      .catch(() => '');
  };
  let program: RunningProgram | undefined;
  const end = async () => {
    program?.kill();
    await program?.ended;
  };

  const work = async (resume: string | null, prompt: string): Promise<TurnEnd> => {
    const live = await drivers[protocol]({
      ...{ clock, mode, cwd: turn.folder, resume, instructionsOf },
      start: async (line, args, module) =>
        (program = await start(needs, turn, { context: { ...context, signal }, line, args, module })),
    });
    task.opened(live.native);
    if (log.events().length === 0) log.add({ type: 'session', session });
    if (resume !== task.resume) log.add({ type: 'notice', text: lost });
    const ended = await live.turn({ text: prompt, pictures: task.pictures }, { event, ask, form }, signal);
    signal.throwIfAborted();
    await live.close?.();
    return ended;
  };
  const workAnew = async (error: unknown) => {
    if (!hasCode(error, 'RUNTIME_SESSION_LOST')) throw error;
    await end();
    return work(null, task.earlier + task.prompt);
  };

  const stopReporting = clock.every(aliveEveryMs, () => context.progress({ message: `${title} works` }));
  try {
    const { stopReason, tokens } = await work(task.resume, task.prompt).catch(workAnew);
    return toResult(log.words(), { runtime, session, stopReason, events: log.events(), tokens });
  } catch (error) {
    if (context.signal.aborted) throw error;
    return toFailure(off.aborted ? runtimeErrors.unavailable({ message: switchedOff }) : error, {
      ...{ runtime, session, events: log.events() },
    });
  } finally {
    over.abort();
    stopReporting();
    await end();
  }
};

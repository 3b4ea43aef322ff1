import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfirmationPayload } from '@drawbridge/contracts/confirmation-payload';
import type { RequestCaller } from '@drawbridge/contracts/daemon-event';
import type { Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { z } from 'zod';
import type { Modes, TerminalAnswer } from '../../src/permission/index.ts';
import { shared } from './clean-up.ts';
import { openTools, textOf, type ToolsOptions } from './tool-fixture.ts';

/** What the tools of processes give. */
const processOutput = z.looseObject({
  process: z.string(),
  state: z.enum(['running', 'ended']),
  output: z.string(),
  cursor: z.number(),
  from: z.number(),
  exitCode: z.number().nullable().optional(),
  ended: z.string().optional(),
  signal: z.string().optional(),
  waits: z.string().optional(),
  lost: z.number().optional(),
  found: z.string().optional(),
  notes: z.array(z.string()).optional(),
});

export const ada: RequestCaller = { id: 'token:ada', name: 'Ada' };
export const ben: RequestCaller = { id: 'client:ben', name: 'Ben' };
export const thePerson: RequestCaller = { id: 'user', name: '' };

interface Options extends Pick<ToolsOptions, 'folders' | 'toolsets'> {
  modes?: Partial<Modes>;
  clock?: Clock;
}

/** Real processes behind a real gate; `state.answer` answers each question, which `questions` has. */
export const openProcesses = async ({ modes, ...options }: Options = {}) => {
  const questions: ConfirmationPayload[] = [];
  const state: { answer: TerminalAnswer } = { answer: { decision: 'allowOnce' } };
  const world = await openTools({
    modes: { filesystemRead: 'allow', shell: 'allow', ...modes },
    ask: {
      kind: 'terminal',
      askInTerminal: (question) => {
        questions.push(question);
        return Promise.resolve(state.answer);
      },
    },
    ...options,
  });
  const callAs = async (
    caller: RequestCaller | undefined,
    name: string,
    args: Record<string, unknown>,
    signal?: AbortSignal,
  ) =>
    textOf(
      await world.send(
        { requestId: nanoid(), toolCall: { name, arguments: args }, ...(caller && { caller }) },
        signal,
      ),
    );
  const as =
    (caller: RequestCaller | undefined) =>
    async (tool: string, args: Record<string, unknown> = {}) =>
      processOutput.parse(JSON.parse(await callAs(caller, `process_${tool}`, args)));
  const of = as(ada);
  const clear = async () => {
    const listed = z
      .object({ processes: z.array(z.object({ process: z.string(), state: z.string() })) })
      .parse(JSON.parse(await callAs(thePerson, 'process_list', {})));
    for (const { process, state: now } of listed.processes)
      if (now === 'running') await callAs(thePerson, 'process_stop', { process, signal: 'KILL' });
    for (const name of readdirSync(world.root))
      rmSync(join(world.root, name), { recursive: true, force: true });
    questions.length = 0;
    state.answer = { decision: 'allowOnce' };
  };
  return {
    ...world,
    questions,
    state,
    clear,
    as,
    /** The text of a result, also of one that refuses. */
    callAs,
    /** Waits for no output, unless it says for which. */
    start: (command: string, more: Record<string, unknown> = {}) =>
      of('start', { command, ...(!('waitFor' in more) && { waitMs: 0 }), ...more }),
    read: (process: string, more: Record<string, unknown> = {}) => of('read', { process, ...more }),
    write: (process: string, text: string, more: Record<string, unknown> = {}) =>
      of('write', { process, text, ...more }),
    stop: (process: string, more: Record<string, unknown> = {}) => of('stop', { process, ...more }),
  };
};

/** One such world for the tests of a `describe`; each gets it without running processes and files. */
export const sharedProcesses = (options: Options = {}) => {
  const opened = shared(() => openProcesses(options));
  return async () => {
    await opened().clear();
    return opened();
  };
};

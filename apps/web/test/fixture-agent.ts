import type { Artifact } from '@drawbridge/contracts/agent/canvas';
import type { RuntimeChoices } from '@drawbridge/contracts/machines/runtimes';
import type { Credits } from '@drawbridge/contracts/agent/credits';
import type { Memory } from '@drawbridge/contracts/agent/memory';
import type { AgentSettings, AgentStatus, CheckLine, UserKeys } from '@drawbridge/contracts/agent/settings';
import type { Thread, ThreadFrame, ThreadSnapshot, ThreadView } from '@drawbridge/contracts/agent/threads';
import type { OpenAsk } from '@drawbridge/contracts/agent/asks';
import { askAnswer } from '@drawbridge/contracts/agent/asks';
import { memoryInput } from '@drawbridge/contracts/agent/memory';
import {
  agentSettingsInput,
  defaultPolicies,
  userKeysInput,
  settingsDraft,
  verifyTarget,
} from '@drawbridge/contracts/agent/settings';
import { changeThreadInput, listThreadsInput, sendInput } from '@drawbridge/contracts/agent/threads';
import { createEmitter } from '@drawbridge/kit';
import { tracked, TRPCError } from '@trpc/server';
import { z } from 'zod';
import { t } from './fixture-trpc.ts';

/** A day that has used this much, without a limit. */
export const creditsOf = (tokens: number): Credits => ({
  tokens,
  costMicro: 210_000,
  unit: 'tokens',
  quota: null,
  used: tokens,
  resetsAt: '2026-01-02T00:00:00.000Z',
});

/** The built-in agent of a fixture: what it answers, and what reached it. */
export interface AgentWorld {
  status: AgentStatus;
  threads: Thread[];
  asks: OpenAsk[];
  runtimes: RuntimeChoices;
  snapshot: ThreadSnapshot;
  artifacts: Artifact[];
  settings: AgentSettings;
  memory: Memory;
  userKeys: UserKeys;
  lines: CheckLine[];
  /** Calls of procedures that change something, with their input. */
  calls: [string, unknown][];
  /** The next call of this procedure fails with this code. */
  fails: Record<string, string>;
  /** `lastEventId` of each stream that was opened. */
  opened: string[];
}

export const emptySnapshot = (view: Partial<ThreadView> = {}): ThreadSnapshot => {
  const lastSeq = view.lastSeq ?? 0;
  return {
    view: {
      ...{
        title: '',
        lastSeq,
        messages: {},
        runs: [],
        agents: {},
        calls: {},
        asks: {},
        tasks: [],
        plan: null,
      },
      ...view,
    },
    now: {
      status: 'idle',
      runId: null,
      backgroundTasks: [],
      queue: [],
      queuePaused: false,
      canvasRev: 0,
      partial: [],
    },
    nextEventId: lastSeq + 1,
    before: null,
  };
};

export const agentWorldOf = (change: Partial<AgentWorld> = {}): AgentWorld => ({
  status: { module: true, enabled: true, model: 'stub' },
  threads: [],
  asks: [],
  runtimes: { chosen: null, byDefault: 'native', hasModel: true, options: [] },
  snapshot: emptySnapshot(),
  artifacts: [],
  settings: {
    ...{ model: 'anthropic/some-model', modelUrl: null, modelKey: { lastFour: 'abcd' }, helperModel: null },
    ...{ contextTokens: null, prices: null, tokensPerDay: null, costPerDay: null, policy: defaultPolicies },
    ...{ mcpServers: [], searxngUrl: null, braveKey: null, n8nUrl: null, fromEnvironment: [] },
    workspaces: 'none',
    workspace: { isOn: false, problem: null },
  },
  memory: {
    sections: { person: 'Writes TypeScript', preferences: '', projects: '', notes: '' },
    enabled: true,
    version: 3,
  },
  userKeys: { n8nUrl: 'https://n8n.example.org', n8n: { lastFour: 'wxyz' } },
  lines: [],
  calls: [],
  fails: {},
  opened: [],
  ...change,
});

const id = z.object({ threadId: z.string() });
const message = id.extend({ id: z.string() });
const task = id.extend({ taskId: z.string() });

/** Frames of the fixture's one stream. */
export const createFrames = () =>
  createEmitter<ThreadFrame>((error) => {
    throw error;
  });

async function* follow(frames: ReturnType<typeof createFrames>, signal: AbortSignal | undefined) {
  const waiting: ThreadFrame[] = [];
  let wake = () => {};
  const stop = frames.on('all', (frame) => {
    waiting.push(frame);
    wake();
  });
  signal?.addEventListener('abort', () => wake());
  try {
    while (!signal?.aborted) {
      const frame = waiting.shift();
      if (frame === undefined) await new Promise<void>((resolve) => (wake = resolve));
      else if (frame.type === 'event') yield tracked(String(frame.id), frame);
      else yield frame;
    }
  } finally {
    stop();
  }
}

export const createAgentRouter = (world: AgentWorld, frames: ReturnType<typeof createFrames>) => {
  const change = <Input extends z.ZodType, Out>(
    name: string,
    input: Input,
    answer: (given: z.output<Input>) => Out,
  ) =>
    t.procedure.input(input).mutation(({ input: given }) => {
      world.calls.push([name, given]);
      const code = world.fails[name];
      delete world.fails[name];
      if (code !== undefined) {
        const cause = Object.assign(new Error(code), { name: code });
        throw new TRPCError({ code: 'BAD_REQUEST', message: `Refused: ${code}`, cause });
      }
      return answer(input.parse(given));
    });
  const done = () => ({ ok: true as const });

  return t.router({
    status: t.procedure.query(() => world.status),
    credits: t.procedure.query(() => creditsOf(41_000)),
    runtimes: t.procedure.input(id).query(() => world.runtimes),
    run: t.procedure.input(z.object({ runId: z.string() })).query(({ input }) => ({
      ...{ id: input.runId, model: 'stub' },
      events: [
        {
          seq: 7,
          event: {
            type: 'text-block',
            runId: 'run_1',
            agentId: 'ag_1',
            ts: 1,
            payload: { text: 'Raw', step: 1 },
          },
        },
      ],
      usage: { inputTokens: 1_000, outputTokens: 200, cachedTokens: 400 },
      agents: [{ id: 'main', kind: 'main', role: 'agent', title: '', steps: 3, maxSteps: 100, calls: 7 }],
    })),
    send: change('send', sendInput.extend({ threadId: z.string() }), ({ message }) =>
      message === '/queue' ? { answer: 'mode: followup (server)\nNo message waits.' } : { runId: 'run_1' },
    ),
    continue: change('continue', id, () => ({ runId: 'run_2' })),
    cancel: change('cancel', id, done),
    confirm: change('confirm', z.object({ requestId: z.string(), answer: askAnswer }), done),
    asks: t.procedure.query(() => world.asks),
    messages: t.procedure.input(id.extend({ before: z.string().optional() })).query(() => world.snapshot),
    toolCall: t.procedure.input(z.object({ toolCallId: z.string() })).query(({ input }) => ({
      id: input.toolCallId,
      tool: 'x',
      arguments: '{}',
      result: [],
      whole: 'The whole text',
    })),
    threads: t.router({
      list: t.procedure.input(listThreadsInput.partial()).query(({ input: { query = '' } }) => ({
        threads: world.threads.filter(({ title }) => title.includes(query)),
        nextCursor: null,
        waiting: world.threads.reduce((sum, { waiting }) => sum + waiting, 0),
      })),
      change: change(
        'threads.change',
        changeThreadInput.extend({ threadId: z.string() }),
        () => world.threads[0],
      ),
      remove: change('threads.remove', id, done),
      removeAll: change('threads.removeAll', z.undefined(), done),
    }),
    canvas: t.router({
      list: t.procedure.input(id).query(() => ({
        artifacts: world.artifacts.map((one) => ({ ...one, contentBytes: 1 })),
        total: world.artifacts.length,
      })),
      get: t.procedure
        .input(id.extend({ artifactId: z.string() }))
        .query(({ input }) => world.artifacts.find(({ artifactId }) => artifactId === input.artifactId)),
    }),
    queue: t.router({
      list: t.procedure.input(id).query(() => world.snapshot.now.queue),
      edit: change('queue.edit', message.extend({ text: z.string() }), done),
      remove: change('queue.remove', message, done),
      steer: change('queue.steer', message, done),
      resume: change('queue.resume', id, done),
    }),
    tasks: t.router({
      cancel: change('tasks.cancel', task, done),
      correct: change('tasks.correct', task.extend({ text: z.string() }), done),
    }),
    memory: t.router({
      get: t.procedure.query(() => world.memory),
      change: change(
        'memory.change',
        memoryInput,
        ({ sections, enabled = world.memory.enabled, version }) => {
          world.memory = {
            sections: { ...world.memory.sections, ...sections },
            enabled,
            version: version + 1,
          };
          return world.memory;
        },
      ),
    }),
    settings: t.router({
      get: t.procedure.query(() => world.settings),
      change: change('settings.change', agentSettingsInput, () => world.settings),
      userKeys: t.router({
        get: t.procedure.query(() => world.userKeys),
        change: change('settings.userKeys.change', userKeysInput, () => world.userKeys),
      }),
      verify: change(
        'settings.verify',
        z.object({ target: verifyTarget, draft: settingsDraft.optional() }),
        () => ({ lines: world.lines }),
      ),
    }),
    events: t.procedure
      .input(id.extend({ lastEventId: z.string().nullish() }))
      .subscription(({ input, signal }) => {
        world.opened.push(input.lastEventId ?? '');
        return follow(frames, signal);
      }),
  });
};

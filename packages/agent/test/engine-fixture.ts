import type { StoredEvent } from '@drawbridge/contracts/agent/events';
import { defaultPolicies } from '@drawbridge/contracts/agent/settings';
import { systemClock } from '@drawbridge/kit';
import { createLanes } from '../src/api/lanes/lanes.ts';
import { createEngine } from '../src/engine/engine.ts';
import { noTracer } from '../src/engine/trace-model.ts';
import type { AgentConfig } from '../src/ports/config.ts';
import type { MachinePort } from '../src/ports/machine.ts';
import { ModelError, type ModelPart } from '../src/ports/model.ts';
import type { AgentNeeds } from '../src/ports/needs.ts';
import type { ToolCallRow } from '../src/rows/rows.ts';
import type { AgentStore, Write } from '../src/rows/store.ts';
import { info } from './memory-fixture.ts';
import { rowsStore } from './rows-store.ts';
import { agentRow, runRow, threadRow, toolCallRow } from './rows.ts';

const config: AgentConfig = {
  off: null,
  runtimeBackends: ['native'],
  policy: defaultPolicies,
  areToolsDeferred: false,
  areSecretsMasked: true,
  observerTokens: 30_000,
  memoryNamespace: 'user',
  reflectorTokens: 40_000,
  askTtlMs: 60_000,
  maxRuns: 20,
  maxRunsPerUser: 3,
  tokensPerDay: null,
  costMicroPerDay: null,
};

const notUsed = () => Promise.reject(new Error('not part of this test'));

const machineWithout: MachinePort = {
  view: () => Promise.resolve(null),
  call: notUsed,
  stateOf: () => Promise.resolve('unknown'),
  decide: notUsed,
  cancel: () => Promise.resolve(true),
  onChanged: () => () => {},
  runtimes: () => Promise.resolve([]),
  look: () => Promise.resolve(null),
  onTurn: () => {},
};

type Ports = Pick<AgentNeeds, 'clock' | 'web' | 'search' | 'mcp' | 'domains' | 'workspace' | 'isUser'>;
interface Changes extends Partial<Ports> {
  machine?: Partial<MachinePort>;
  config?: Partial<AgentConfig>;
  tokensToday?: number;
  /** What the model gives first, until it fails where it does; then it says `Done.` */
  parts?: (ModelPart | ModelError)[];
  /** What another writer does before a transaction. */
  beforeCommit?: (store: AgentStore, writes: readonly Write[]) => Promise<unknown> | undefined;
}

const nameOf = ({ type, payload }: StoredEvent) => {
  if ('outcome' in payload) return `${type} ${payload.outcome}`;
  return type === 'error' ? `error ${payload.code}` : type;
};

/** An engine over rows in memory, whose model says `Done.`; `log` has its events and what a test adds. */
export const engineFixture = (rows: Parameters<typeof rowsStore>[0], changes: Changes = {}) => {
  const { machine, config: other, tokensToday = 0, parts = [], beforeCommit, ...ports } = changes;
  const log: string[] = [];
  const errors: unknown[] = [];
  const memory = rowsStore(rows);
  const store: AgentNeeds['store'] = {
    ...memory,
    usageSince: () => Promise.resolve({ tokens: tokensToday, costMicro: 0 }),
    commit: async (writes, durability) => {
      await beforeCommit?.(memory, writes);
      const isDone = await memory.commit(writes, durability);
      if (isDone)
        log.push(...writes.flatMap((write) => (write.type === 'event' ? [nameOf(write.event)] : [])));
      return isDone;
    },
  };
  const usage = { inputTokens: 10, outputTokens: 2, cachedTokens: 0 };
  let ids = 0;
  const engine = createEngine({
    store,
    model: {
      info: () => Promise.resolve(info(100_000)),
      stream: async function* () {
        log.push('the model is asked');
        const first = parts.splice(0);
        for (const part of first) {
          if (part instanceof ModelError) throw part;
          yield part;
        }
        if (first.length > 0) return;
        yield { type: 'text', text: 'Done.' };
        yield { type: 'finish', reason: 'stop', usage };
      },
      lowerContext: () => {},
    },
    machine: { ...machineWithout, ...machine },
    web: { refusal: () => null, fetch: notUsed },
    search: { isOn: () => Promise.resolve(false), search: notUsed },
    mcp: { tools: () => Promise.resolve([]), call: notUsed },
    domains: [],
    isUser: () => Promise.resolve(true),
    bus: { changed: () => {}, live: () => {}, writing: () => undefined, follow: () => () => {} },
    tracer: noTracer,
    clock: systemClock,
    ...ports,
    newId: (prefix) => `${prefix}${(ids += 1)}`,
    config: () => Promise.resolve({ ...config, ...other }),
    onError: (error) => errors.push(error),
  });
  return { ...engine, lanes: createLanes(engine), store, log, errors };
};

/** Rows of a run of Ann whose agent acts, with one planned call. */
export const rowsWithCall = (call: Partial<ToolCallRow>) => ({
  agentThreads: [threadRow('ann', 't1', { title: 'Notes' })],
  agentRuns: [runRow('ann', 'run_1')],
  agentAgents: [agentRow('ann', 'ag_1', { state: 'acting', steps: 1 })],
  agentToolCalls: [toolCallRow('ann', 'tc_1', call)],
});

import { createTimer, exponential, fullJitter, sleep, type Clock } from '@drawbridge/kit';
import type { ConnectNeeds, McpConnection } from './connect.ts';
import { readListed, type OfferedTool } from './offered-tools.ts';
import { createServerCalls } from './calls/server-calls.ts';
import type { ServerLog } from './transport/server-log.ts';
import type { McpServer } from './servers-file.ts';

const startMs = 20_000;
/** A server that ran this long starts its back-off anew. */
const steadyMs = 60_000;
const retryRange = { baseMs: 1_000, capMs: 60_000 };
/** At most one list in this time, however often the server says that it is another one. */
const listEveryMs = 1_000;

export interface ServerNeeds {
  clock: Clock;
  random: () => number;
  name: string;
  server: McpServer;
  log: ServerLog;
  connect(needs: Pick<ConnectNeeds, 'signal' | 'listChanged' | 'asked'>): Promise<McpConnection>;
  changed(): void;
  notify(sentence: string): void;
}

const sentenceOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOENT') return 'there is no such program';
  return error instanceof Error ? error.message : 'it cannot be started';
};

/** Runs `work` with a signal that aborts with `ending`, and after `startMs`. */
const withinStartTime = async <T>(
  clock: Clock,
  ending: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const late = new AbortController();
  const cancel = clock.after(startMs, () => late.abort(new Error(`no answer within ${startMs / 1_000} s`)));
  try {
    return await work(AbortSignal.any([ending, late.signal]));
  } finally {
    cancel();
  }
};

/** Logs sentences, and notifies the person of each first one once, however often the server is started. */
const createReporter = ({ log, name, notify }: ServerNeeds) => {
  let notified = '';
  return (sentences: readonly string[]) => {
    for (const sentence of sentences) log.line('drawbridge', sentence);
    const [first, ...rest] = sentences;
    if (first === undefined || first === notified) return;
    notified = first;
    notify(`${name}: ${first}${rest.length > 0 ? `, and ${rest.length} more: see its log` : ''}`);
  };
};

export const runServer = (needs: ServerNeeds) => {
  const { clock, random, name, server, log, connect, changed } = needs;
  const ending = new AbortController();
  const listTimer = createTimer(clock);
  const report = createReporter(needs);
  let tools: OfferedTool[] = [];
  let trouble: string | null = null;
  let connection: McpConnection | undefined;
  const calls = createServerCalls({ clock, name, connection: () => connection, trouble: () => trouble });

  const setTrouble = (sentence: string | null) => {
    trouble = sentence;
    changed();
  };
  const readTools = async (from: McpConnection, signal: AbortSignal) => {
    const { tools: descriptors, cut } = await from.list(signal);
    const read = readListed(descriptors, { name, server });
    ({ tools } = read);
    report([...(cut ? ['it lists too many tools; the rest is left out'] : []), ...read.skipped]);
  };
  const listAgain = () => {
    const from = connection;
    if (from === undefined || ending.signal.aborted) return;
    withinStartTime(clock, ending.signal, (signal) => readTools(from, signal)).then(
      changed,
      (error: unknown) => log.line('drawbridge', `its tools cannot be listed: ${sentenceOf(error)}`),
    );
  };
  const listChanged = () => {
    if (!listTimer.isWaiting()) listTimer.start(listEveryMs, listAgain);
  };

  const runOnce = async () => {
    let opened: McpConnection | undefined;
    try {
      await withinStartTime(clock, ending.signal, async (signal) => {
        opened = await connect({ signal, listChanged, asked: calls.asked });
        await readTools(opened, signal);
      });
      connection = opened;
      setTrouble(null);
      await opened?.closed;
      setTrouble('it has ended, and is being started again');
    } catch (error) {
      setTrouble(sentenceOf(error));
      if (!ending.signal.aborted)
        report([`cannot be used: ${sentenceOf(error)}; its output is in ${log.path}`]);
    } finally {
      connection = undefined;
      await opened?.close();
    }
  };
  const keepAlive = async () => {
    let failures = 0;
    while (!ending.signal.aborted) {
      const startedAt = clock.now();
      await runOnce();
      if (clock.now() - startedAt >= steadyMs) failures = 0;
      const waitMs = fullJitter(exponential(failures, retryRange), random);
      failures += 1;
      await sleep(clock, waitMs, ending.signal).catch(() => {});
    }
  };
  const life = keepAlive();

  return {
    name,
    /** What it listed last, also while it is being started again. */
    tools: (): readonly OfferedTool[] => tools,
    /** Why it does not run, or null where it runs or starts for the first time. */
    trouble: () => trouble,
    call: calls.call,
    answering: calls.answering,
    close: async () => {
      ending.abort(new Error('the daemon stops'));
      listTimer.cancel();
      await connection?.close();
      await life;
      calls.close();
      await log.settled();
    },
  };
};
export type RunningServer = ReturnType<typeof runServer>;

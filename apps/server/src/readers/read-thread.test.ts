import type { LiveThreadEvent } from '@drawbridge/contracts/agent/events';
import type { ThreadFrame } from '@drawbridge/contracts/agent/threads';
import { nextMacrotask } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import type { Agent, ThreadSignal } from '@drawbridge/agent';
import { readThread } from './agent.ts';
import { read } from './read.ts';
import type { TopicEvent } from './topics.ts';

const live = (offset: number, length: number): LiveThreadEvent => ({
  type: 'text-delta',
  runId: 'run_1',
  agentId: 'ag_1',
  ts: 1,
  payload: { text: 'x'.repeat(length), step: 1, offset },
});

const frameOf = ({ value }: IteratorResult<TopicEvent>): ThreadFrame =>
  value?.topic === 'thread' ? value.event : expect.fail('no frame of a thread');

it.each([
  ['many small pieces', 2_000, 10],
  ['a few large ones', 20, 100_000],
])(
  'RX-01 a reader that does not read has the present state after %s of live text, and no backlog',
  async (_, count, length) => {
    let signal: (signal: ThreadSignal) => void = () => {};
    const partial = [{ agentId: 'ag_1', step: 1, kind: 'text' as const, text: 'x'.repeat(count * length) }];
    const now = {
      status: 'active' as const,
      runId: 'run_1',
      backgroundTasks: [],
      queue: [],
      queuePaused: false,
      canvasRev: 0,
    };
    // As much of the threads as a reader uses.
    const threads: Pick<Agent['threads'], 'listen' | 'eventsAfter' | 'now'> = {
      listen: (_userId, _threadId, listener) => {
        signal = listener;
        return { ready: Promise.resolve(), stop: () => {} };
      },
      eventsAfter: (_userId, _threadId, seq) =>
        Promise.resolve({
          events:
            seq < 1
              ? [
                  {
                    id: 1,
                    event: {
                      type: 'text-block',
                      runId: 'run_1',
                      agentId: 'ag_1',
                      ts: 1,
                      payload: { text: 'first', step: 0 },
                    },
                  },
                ]
              : [],
          lastSeq: 1,
          isReset: false,
        }),
      now: () => Promise.resolve({ ...now, partial }),
    };
    const leaving = new AbortController();
    const frames: ThreadFrame[] = [];
    const reader = read<TopicEvent>({ userId: 'ann', maxLength: 1024 * 1024, signal: leaving.signal }, [
      readThread(threads, { userId: 'ann', threadId: 't1' }, 0),
    ]);
    for (const _first of [1, 2]) frames.push(frameOf(await reader.next()));
    expect(frames.map(({ type }) => type)).toEqual(['event', 'run-sync']);
    // The reader waits here, and the model writes on.
    for (let at = 0; at < count; at += 1) signal({ type: 'live', event: live(at * length, length) });
    let next = reader.next();
    const isWaiting = () => nextMacrotask().then(() => null);
    for (let got = await Promise.race([next, isWaiting()]); got?.value;) {
      frames.push(frameOf(got));
      next = reader.next();
      got = await Promise.race([next, isWaiting()]);
    }
    leaving.abort();
    await next;
    const kept = frames.filter(({ type }) => type === 'live');
    expect(kept.length).toBeLessThanOrEqual(1_000);
    expect(JSON.stringify(kept).length).toBeLessThan(1.1 * 1024 * 1024);
    const synced = frames
      .slice(2)
      .flatMap((frame) =>
        frame.type === 'run-sync' ? frame.now.partial.map(({ text }) => text.length) : [],
      );
    expect(synced).toEqual([count * length]);
  },
);

import type { StoredEvent } from '@drawbridge/contracts/agent/events';
import { createFakeClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { textEvent } from '../../../test/rows.ts';
import { createFeed } from './feed.ts';

const usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
const head = { runId: 'run_1', agentId: null, ts: 1 };
const finish: StoredEvent = { type: 'run-finish', ...head, payload: { status: 'completed', usage } };

it.each<[string, StoredEvent[], string]>([
  ['of a step', [textEvent('one'), textEvent('two')], 'stored'],
  ['of a step that ends a run', [textEvent('one'), finish], 'changed'],
])(
  'a reader of events %s reads the state of the thread only where it may have changed',
  (_, events, type) => {
    const feed = createFeed({
      clock: createFakeClock(),
      onError: (error) => expect.unreachable(String(error)),
    });
    const signals: string[] = [];
    feed.listen('ann', 't1', (signal) => signals.push(signal.type));
    feed.stored('ann', 't1', events);
    expect(signals).toEqual([type]);
  },
);

it('a piece of a text that comes late takes nothing away; one that contradicts it replaces its end', () => {
  const feed = createFeed({
    clock: createFakeClock(),
    onError: (error) => expect.unreachable(String(error)),
  });
  const write = (text: string, offset: number) =>
    feed.live('ann', 't1', {
      ...{ type: 'text-delta', runId: 'run_1', agentId: 'ag_1', ts: 1 },
      payload: { text, step: 2, offset },
    });
  const texts = [
    ['one two', 0],
    ['one', 0],
    ['three', 4],
  ].map(([text, offset]) => {
    write(String(text), Number(offset));
    return feed.writing('ann', 't1', { agentId: 'ag_1', step: 2 })?.text;
  });
  expect(texts).toEqual(['one two', 'one two', 'one three']);
});

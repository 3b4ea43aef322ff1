import { createFakeClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { PlatformError, type ChannelAdapter } from '../adapter.ts';
import { createDraft } from './draft.ts';
import type { StoredReply } from './messages.store.ts';

const open = () => {
  const clock = createFakeClock(0);
  const shown: [number, string][] = [];
  const problems: PlatformError[] = [];
  let row: StoredReply | null = null;
  const draft = createDraft({
    clock,
    replies: { find: async () => row },
    adapter: () => ({}) as ChannelAdapter,
    id: 'draft',
    insert: async (text) => {
      shown.push([clock.now(), text]);
      row = { state: 'sent', messageId: '1' } as StoredReply;
    },
    edit: async (_adapter, _draft, text) => {
      const problem = problems.shift();
      if (problem) throw problem;
      shown.push([clock.now(), text]);
      return true;
    },
    everyMs: 1_100,
    onError: (error) => {
      throw error;
    },
    signal: new AbortController().signal,
  });
  /** In steps of 100 ms. */
  const pass = async (ms: number, text: () => string | null = () => null) => {
    for (let at = 0; at < ms; at += 100) {
      clock.advance(100);
      const now = text();
      if (now !== null) draft.write(now);
      for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    }
  };
  return { clock, draft, shown, problems, pass, remove: () => (row = null) };
};

it('CH-24 a text that grows is shown every 1.1 s, with all that is written by then', async () => {
  const { clock, shown, pass } = open();
  await pass(10_000, () => `at ${clock.now()}`);
  const times = shown.map(([at]) => at);
  expect(times.length).toBeGreaterThan(7);
  expect(times.slice(1).every((at, index) => at - (times[index] ?? 0) >= 1_100)).toBe(true);
  expect(shown.every(([at, text]) => text === `at ${at}`)).toBe(true);
});

it('CH-24 waits as it is told to, and then shows what it has not shown', async () => {
  const { draft, shown, problems, pass } = open();
  draft.write('one');
  await pass(1_200);
  problems.push(new PlatformError('rate', 'wait', 7_000), new PlatformError('network', 'away'));
  draft.write('one two');
  await pass(1_200);
  draft.write('one two three');
  await pass(6_000);
  expect(shown.map(([, text]) => text)).toEqual(['one']);
  await pass(4_000);
  expect(shown.map(([, text]) => text)).toEqual(['one', 'one two three']);
});

it('CH-24 shows nothing more behind its end, and where its message was removed', async () => {
  const { draft, shown, pass, remove } = open();
  draft.write('one');
  await pass(1_200);
  remove();
  draft.write('one two');
  await pass(3_000);
  draft.write('one two three');
  await pass(3_000);
  expect(shown).toHaveLength(1);
  const other = open();
  other.draft.write('one');
  await other.draft.end();
  await other.pass(3_000);
  expect(other.shown).toEqual([]);
});

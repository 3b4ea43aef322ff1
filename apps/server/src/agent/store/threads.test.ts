import {
  createFeed,
  createThreads,
  insert,
  update,
  type MessageRow,
  type ThreadSignal,
} from '@drawbridge/agent';
import { emptyView, reduce } from '@drawbridge/agent/view';
import { threadSnapshot } from '@drawbridge/contracts/agent/threads';
import { createFakeClock } from '@drawbridge/kit';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import {
  fileRow,
  messageRow,
  runRow,
  textEvent,
  threadRow,
} from '../../../../../packages/agent/test/rows.ts';
import { openAgentStore } from '../../../test/agent-store.ts';
import { event, head, story } from '../../../test/agent-story.ts';

const dayMs = 24 * 60 * 60 * 1_000;

const world = async () => {
  const store = await openAgentStore();
  const clock = createFakeClock(1_000);
  const feed = createFeed({ clock, onError: (error) => expect.unreachable(String(error)) });
  const stopped: string[] = [];
  const stop = async (userId: string, threadId: string) => void stopped.push(`${userId}/${threadId}`);
  const threads = createThreads({
    store,
    feed,
    clock,
    machine: { view: async () => null },
    keepMs: 90 * dayMs,
    stop,
  });
  return { store, clock, feed, threads, stopped };
};

describe('a snapshot', () => {
  it('equals the fold of the events after each transaction', async () => {
    const { store, threads } = await world();
    for (const writes of story) {
      expect(await store.write(...writes)).toBe(true);
      const { view, nextEventId } = threadSnapshot.parse(await threads.snapshot('ann', 't1', { limit: 50 }));
      const { events } = await threads.eventsAfter('ann', 't1', 0);
      expect(view).toEqual(events.reduce((folded, one) => reduce(folded, one.id, one.event), emptyView()));
      expect(nextEventId).toBe(view.lastSeq + 1);
    }
    expect(await threads.now('ann', 't1')).toMatchObject({
      status: 'background',
      runId: null,
      backgroundTasks: [{ taskId: 'ag_2', title: 'Write it', role: 'writer', state: 'waiting' }],
    });
    expect(await threads.get('ann', 't1')).toMatchObject({ status: 'background', waiting: 2 });
    await store.write(insert('agentThreads', threadRow('ann', 't2', { updatedAt: 9 })));
    expect(await threads.list('ann', { limit: 1 })).toMatchObject({ threads: [{ id: 't2' }], waiting: 2 });
    expect(await threads.waiting('bob')).toBe(0);
  });

  it('has the errors of a run whose events were cut', async () => {
    const { store, threads } = await world();
    for (const writes of story) await store.write(...writes);
    await sql`delete from "agentEvents"`.execute(store.db);
    const { view } = await threads.snapshot('ann', 't1', { limit: 1 });
    expect(view.runs[0]?.errors).toEqual([{ content: 'Busy', code: 'MODEL_UNAVAILABLE', retryable: true }]);
    expect(view.agents['ag_1']?.error).toBe('Busy');
  });

  it('pages through the runs, and needs no events for what rows know', async () => {
    const { store, threads } = await world();
    await store.write(insert('agentThreads', threadRow('ann', 't1')));
    for (const n of [1, 2, 3]) {
      await store.write(
        insert(
          'agentRuns',
          runRow('ann', `run_${n}`, { startedAt: n, state: 'completed', messageId: `msg_${n}` }),
        ),
        insert('agentMessages', messageRow('ann', n, { runId: `run_${n}` })),
      );
    }
    const first = await threads.snapshot('ann', 't1', { limit: 2 });
    expect([first.view.runs.map(({ id }) => id), first.before]).toEqual([['run_2', 'run_3'], 'run_2']);
    const older = await threads.snapshot('ann', 't1', { limit: 2, before: 'run_2' });
    expect([older.view.runs.map(({ id }) => id), older.before]).toEqual([['run_1'], null]);
    expect(older.view.messages['msg_1']).toMatchObject({ source: 'sent' });
    await expect(threads.snapshot('ann', 't1', { limit: 2, before: 'none' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('shows what can be read of a thread', async () => {
    const { store, threads } = await world();
    for (const writes of story) await store.write(...writes);
    await sql`update "agentMessages" set parts = '{' where id = 'msg_2'`.execute(store.db);
    const { view } = await threads.snapshot('ann', 't1', { limit: 50 });
    expect(view.runs).toHaveLength(1);
    expect(store.reported).toContain('A row of agentMessages cannot be read: parts');
  });
});

describe('events of a thread', () => {
  it('are given from behind a number, or the reader starts anew', async () => {
    const { store, threads } = await world();
    await store.write(insert('agentThreads', threadRow('ann', 't1')));
    await store.write(...Array.from({ length: 503 }, (_, n) => event(textEvent(`${n + 1}`))));
    const missed = async (seq: number) => {
      const { events, isReset, lastSeq } = await threads.eventsAfter('ann', 't1', seq);
      return [events.map(({ id }) => id).slice(0, 2), isReset, lastSeq];
    };
    expect(await missed(3)).toEqual([[4, 5], false, 503]);
    expect(await missed(503)).toEqual([[], false, 503]);
    expect(await missed(2)).toEqual([[], true, 503]);
    expect(await missed(504)).toEqual([[], true, 503]);
    // One is missing: at the end, or before events that were written after the thread was read.
    await sql`delete from "agentEvents" where seq = 503`.execute(store.db);
    expect(await missed(501)).toEqual([[], true, 503]);
    await sql`delete from "agentEvents" where seq = 500`.execute(store.db);
    await sql`update "agentThreads" set "lastSeq" = 501`.execute(store.db);
    expect(await missed(499)).toEqual([[], true, 501]);
  });
});

describe('threads', () => {
  it('are found by the words of their messages, those of the user alone', async () => {
    const { store, threads } = await world();
    const said = (text: string, changes: Partial<MessageRow> = {}) =>
      insert('agentMessages', messageRow('ann', 1, { parts: [{ type: 'text', text }], ...changes }));
    await store.write(
      insert('agentThreads', threadRow('ann', 't1')),
      insert('agentThreads', threadRow('ann', '-_-')),
      insert('agentThreads', threadRow('bob', 't1')),
      said('Rename the blöd "invoices" of May'),
      said('The invoices are renamed', { threadId: '-_-', source: 'model', role: 'assistant' }),
      said('invoices of a note', { threadId: '-_-', seq: 2, source: 'note' }),
      said('invoices of Bob', { userId: 'bob' }),
    );
    const found = async (query: string, userId = 'ann') =>
      (await threads.list(userId, { limit: 9, query })).threads.map(({ id }) => id);
    expect(await found('invo RENAM')).toEqual(['t1', '-_-']);
    expect(await found('blod')).toEqual(['t1']);
    expect(await found('note')).toEqual([]);
    expect(await found('"of" OR userId:x* ) bob', 'bob')).toEqual([]);
    expect([await found('bob'), await found('bob', 'bob')]).toEqual([[], ['t1']]);
    await threads.remove('ann', '-_-');
    await store.write(insert('agentThreads', threadRow('ann', '-_-')));
    expect(await found('invoices')).toEqual(['t1']);
  });

  it('are listed in pages, the last used first, and found by a part of the title', async () => {
    const { store, threads } = await world();
    const titles = ['Blog post', 'Backup', 'blogroll', 'Tests', 'BLOG'];
    await store.write(
      ...titles.map((title, at) =>
        insert('agentThreads', threadRow('ann', `t${at}`, { title, updatedAt: at % 3 })),
      ),
    );
    const idsOf = async (query?: string) => {
      const ids: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await threads.list('ann', {
          limit: 2,
          ...(query && { query }),
          ...(cursor && { cursor }),
        });
        ids.push(...page.threads.map(({ id }) => id));
        cursor = page.nextCursor ?? undefined;
      } while (cursor);
      return ids;
    };
    expect(await idsOf()).toEqual(['t2', 't4', 't1', 't3', 't0']);
    expect(await idsOf('blog')).toEqual(['t2', 't4', 't0']);
    expect((await threads.list('bob', { limit: 2 })).threads).toEqual([]);
    await expect(threads.list('ann', { limit: 2, cursor: 'x' })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
  });

  it('are made once, renamed with an event, and unknown to others', async () => {
    const { threads, clock } = await world();
    const changed: string[] = [];
    threads.onChanged('ann', (threadId) => changed.push(threadId));
    threads.onChanged('bob', () => changed.push('bob'));
    expect(await threads.create('ann', 't1')).toEqual(await threads.create('ann', 't1'));
    expect(await threads.change('ann', 't1', { title: 'Mine', machineId: 'm1' })).toMatchObject({
      title: 'Mine',
      machineId: 'm1',
    });
    expect(await threads.eventsAfter('ann', 't1', 0)).toMatchObject({
      events: [{ id: 1, event: { type: 'thread-title-updated', payload: { title: 'Mine' } } }],
    });
    clock.advance(200);
    expect(changed).toEqual(['t1']);
    for (const foreign of [
      () => threads.get('bob', 't1'),
      () => threads.now('bob', 't1'),
      () => threads.change('bob', 't1', { title: 'His' }),
      () => threads.remove('bob', 't1'),
      () => threads.snapshot('bob', 't1', { limit: 1 }),
      () => threads.eventsAfter('bob', 't1', 0),
    ])
      await expect(foreign()).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('are stopped and removed with all that is their own', async () => {
    const { store, threads, stopped } = await world();
    for (const writes of story) await store.write(...writes);
    await store.write(
      insert('agentThreads', threadRow('ann', 't2')),
      insert('agentFiles', fileRow('ann', 'file_1')),
      insert('agentFiles', fileRow('ann', 'file_2', { threadId: 't2' })),
      insert('agentCorrections', {
        userId: 'ann',
        agentId: 'ag_2',
        id: 'c1',
        text: '',
        createdAt: 1,
        takenAt: null,
      }),
    );
    await threads.remove('ann', 't1');
    expect(stopped).toEqual(['ann/t1']);
    expect(await threads.file('ann', 'file_2')).toMatchObject({ id: 'file_2' });
    await expect(threads.file('bob', 'file_2')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(threads.toolCall('ann', 'tc_1')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    for (const table of ['agentRuns', 'agentAgents', 'agentMessages', 'agentAsks', 'agentEvents'] as const)
      expect(await store.find(table, { userId: 'ann' })).toEqual([]);
    expect(await store.find('agentCorrections', { userId: 'ann' })).toEqual([]);
  });

  it('PS-12 that were not used for long are forgotten', async () => {
    const { store, threads, clock, stopped } = await world();
    const now = clock.now();
    await store.write(
      insert('agentThreads', threadRow('ann', 'old', { updatedAt: now - 1 })),
      insert('agentThreads', threadRow('bob', 'new', { updatedAt: now + 1 })),
    );
    clock.advance(90 * dayMs);
    await threads.forgetOld(new AbortController().signal);
    expect(stopped).toEqual(['ann/old']);
    expect(await store.findOfAll('agentThreads', {})).toMatchObject([{ id: 'new' }]);
  });
});

describe('a listener', () => {
  it('gets the first text at once and the next together, what is still being written with `now`, and a wake-up behind it', async () => {
    const { store, threads, feed, clock } = await world();
    for (const writes of story.slice(0, 2)) await store.write(...writes);
    const received: ThreadSignal[] = [];
    const { stop } = threads.listen('ann', 't1', (signal) => received.push(signal));
    threads.listen('bob', 't1', () => expect.unreachable());
    const delta = (text: string, offset: number, step = 2) =>
      feed.live('ann', 't1', { type: 'text-delta', ...head('ag_1', 9), payload: { text, step, offset } });
    delta('One ', 0);
    delta('two', 4);
    expect(received).toMatchObject([{ type: 'live', event: { payload: { text: 'One ', offset: 0 } } }]);
    const partial = [{ agentId: 'ag_1', step: 2, kind: 'text', text: 'One two' }];
    expect((await threads.now('ann', 't1')).partial).toEqual(partial);
    clock.advance(50);
    expect(received.slice(1)).toMatchObject([
      { type: 'live', event: { payload: { text: 'two', offset: 4 } } },
    ]);
    delta('!', 7);
    feed.changed('ann', 't1');
    expect(received.slice(2)).toMatchObject([
      { type: 'live', event: { payload: { text: '!' } } },
      { type: 'changed' },
    ]);
    delta('x'.repeat(2_048), 0, 3);
    expect(received).toHaveLength(5);
    await store.write(update('agentAgents', { userId: 'ann', id: 'ag_1' }, { steps: 3 }));
    expect((await threads.now('ann', 't1')).partial).toEqual([]);
    stop();
    feed.changed('ann', 't1');
    expect(received).toHaveLength(5);
  });
});

import { increase, insert, put, remove, update, type Write } from '@drawbridge/agent';
import { keptEventBytes, maxEventBytes } from '@drawbridge/contracts/agent/events';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { runRow, textEvent, threadRow, toolCallRow } from '../../../../../packages/agent/test/rows.ts';
import { itOnSqlite } from '../../../test/store-place.ts';
import { openAgentStore } from '../../../test/agent-store.ts';

const event = (text: string, threadId = 't1', userId = 'ann'): Write => ({
  type: 'event',
  userId,
  threadId,
  event: textEvent(text),
});

const withThreads = async () => {
  const store = await openAgentStore();
  expect(
    await store.write(
      insert('agentThreads', threadRow('ann', 't1')),
      insert('agentThreads', threadRow('ann', 't2')),
    ),
  ).toBe(true);
  return store;
};

describe('rows', () => {
  it('come back as they were written', async () => {
    const store = await openAgentStore();
    const thread = threadRow('ann', 't1', {
      tasks: [{ id: 'a', description: 'Look', status: 'todo' }],
      lane: { overrides: { mode: 'collect' }, droppedCount: 2, droppedTexts: ['a'] },
    });
    const call = toolCallRow('ann', 'tc_1', { state: 'ended', result: [{ type: 'text', text: '“ok”' }] });
    await store.write(insert('agentThreads', thread), insert('agentToolCalls', call));
    expect(await store.find('agentThreads', { userId: 'ann' })).toEqual([thread]);
    expect(await store.find('agentToolCalls', { userId: 'ann', result: null })).toEqual([]);
    expect(await store.find('agentToolCalls', { userId: 'ann', state: ['planned', 'ended'] })).toEqual([
      call,
    ]);
  });

  it('are found by a list with null, in an order, from behind a value', async () => {
    const store = await openAgentStore();
    const rows = [1, 2, 3, 4].map((at) =>
      runRow('ann', `run_${at}`, { threadId: `t${at}`, startedAt: at, endedAt: at === 2 ? null : at }),
    );
    await store.write(...rows.map((row) => insert('agentRuns', row)));
    const found = await store.find(
      'agentRuns',
      { userId: 'ann', endedAt: [null, 3] },
      { orderBy: 'startedAt', descending: true },
    );
    expect(found.map(({ id }) => id)).toEqual(['run_3', 'run_2']);
    const page = { orderBy: 'startedAt', after: 1, limit: 2 } as const;
    expect((await store.find('agentRuns', { userId: 'ann' }, page)).map(({ id }) => id)).toEqual([
      'run_2',
      'run_3',
    ]);
    await expect(store.find('agentRuns', { userId: 'ann', id: undefined })).rejects.toThrow(
      'without a value',
    );
  });

  it('belong to one user', async () => {
    const store = await openAgentStore();
    await store.write(
      insert('agentThreads', threadRow('ann', 't1')),
      insert('agentThreads', threadRow('bob', 't1')),
    );
    const bobs = threadRow('bob', 't1');
    expect(await store.write(update('agentThreads', { userId: 'ann', id: 't1' }, { title: 'Hers' }))).toBe(
      true,
    );
    expect(await store.write(event('hers'))).toBe(true);
    expect(await store.find('agentThreads', { userId: 'bob' })).toEqual([bobs]);
    expect(await store.find('agentEvents', { userId: 'bob' })).toEqual([]);
    await store.write(remove('agentThreads', { userId: 'ann', id: 't1' }));
    expect(await store.findOfAll('agentThreads', {})).toEqual([bobs]);
  });

  itOnSqlite(
    'PS-11 that cannot be read are reported and left out, or end the reading of their user',
    async () => {
      const store = await openAgentStore();
      await store.write(
        insert('agentRuns', runRow('ann', 'run_1')),
        insert('agentRuns', runRow('bob', 'run_1')),
      );
      await store.write(insert('agentToolCalls', toolCallRow('ann', 'tc_1', { arguments: 'a secret' })));
      await sql`update "agentRuns" set state = 'sleeping', crashes = 'x' where "userId" = 'ann'`.execute(
        store.db,
      );
      await sql`update "agentToolCalls" set result = '{'`.execute(store.db);
      expect(await store.findOfAll('agentRuns', {})).toEqual([runRow('bob', 'run_1')]);
      expect(await store.find('agentToolCalls', { userId: 'ann' }, { isLenient: true })).toEqual([]);
      expect(store.reported).toEqual([
        'A row of agentRuns cannot be read: state, crashes',
        'A row of agentToolCalls cannot be read: result',
      ]);
      await expect(store.find('agentRuns', { userId: 'ann' })).rejects.toMatchObject({ code: 'UNREADABLE' });
    },
  );
});

describe('a transaction', () => {
  it('is undone by an update of an earlier state', async () => {
    const store = await withThreads();
    await store.write(insert('agentRuns', runRow('ann', 'run_1')));
    const suspend = update(
      'agentRuns',
      { userId: 'ann', id: 'run_1', state: 'active' },
      { state: 'suspended' },
    );
    const results = await Promise.all([
      store.write(event('first'), suspend),
      store.write(event('second'), suspend),
      store.write(event('beside')),
    ]);
    // Which of the first two is earlier is the store's choice: one of them is done, as a whole.
    const [isFirst, isSecond, isBeside] = results;
    expect([isFirst !== isSecond, isBeside]).toEqual([true, true]);
    const events = await store.find('agentEvents', { userId: 'ann', threadId: 't1' });
    const texts = events.map(({ event: { payload } }) => 'text' in payload && payload.text);
    expect(events.map(({ seq }) => seq)).toEqual([1, 2]);
    expect(texts.toSorted()).toEqual(['beside', isFirst === true ? 'first' : 'second']);
  });

  it('is undone by an insert of a known key, a second open run, or an event of an unknown thread', async () => {
    const store = await withThreads();
    await store.write(insert('agentRuns', runRow('ann', 'run_1')));
    const rename = update('agentThreads', { userId: 'ann', id: 't1' }, { title: 'Changed' });
    for (const write of [
      insert('agentRuns', runRow('ann', 'run_1', { threadId: 't2' })),
      insert('agentRuns', runRow('ann', 'run_2', { state: 'suspended' })),
      event('lost', 'unknown'),
      event('foreign', 't1', 'bob'),
    ])
      expect(await store.write(rename, write)).toBe(false);
    expect(await store.find('agentThreads', { userId: 'ann', title: 'Changed' })).toEqual([]);
    const next = [
      update('agentRuns', { userId: 'ann', id: 'run_1' }, { state: 'completed', endedAt: 2 }),
      insert('agentRuns', runRow('ann', 'run_2')),
    ];
    expect(await store.write(...next)).toBe(true);
  });

  it('changes several rows by one update, replaces a row, and may be empty', async () => {
    const store = await openAgentStore();
    const calls = [0, 1].map((n) => toolCallRow('ann', `tc_${n}`, { n }));
    await store.write(...calls.map((row) => insert('agentToolCalls', row)));
    const start = update('agentToolCalls', { userId: 'ann', state: 'planned' }, { state: 'running' });
    expect([await store.write(start), await store.write(start), await store.write()]).toEqual([
      true,
      false,
      true,
    ]);
    await store.write(put('agentToolCalls', toolCallRow('ann', 'tc_0', { state: 'ended' })));
    const states = (await store.find('agentToolCalls', { userId: 'ann' })).map(({ state }) => state);
    expect(states).toEqual(['ended', 'running']);
  });
});

it('an increase adds to numbers, to null as to 0', async () => {
  const store = await openAgentStore();
  await store.write(insert('agentRuns', runRow('ann', 'run_1', { calls: 2 })));
  const add = increase('agentRuns', { userId: 'ann', id: 'run_1' }, { calls: 3, costMicro: 7 });
  expect([await store.write(add), await store.write(add)]).toEqual([true, true]);
  expect(await store.find('agentRuns', { userId: 'ann' })).toMatchObject([{ calls: 8, costMicro: 14 }]);
});

describe('events', () => {
  it('are numbered without a gap while several write', async () => {
    const store = await withThreads();
    const refused = update('agentRuns', { userId: 'ann', id: 'none' }, { crashes: 1 });
    const results = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        n % 3 === 2
          ? store.write(event(`${n}`), refused)
          : store.write(event(`${n}`, n % 3 === 0 ? 't1' : 't2')),
      ),
    );
    expect(results.filter((isDone) => !isDone)).toHaveLength(20);
    for (const threadId of ['t1', 't2']) {
      const events = await store.find('agentEvents', { userId: 'ann', threadId });
      expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
      expect(await store.find('agentThreads', { userId: 'ann', id: threadId })).toMatchObject([
        { lastSeq: 20, eventBytes: events.at(-1)?.upToBytes },
      ]);
    }
  });

  it('RX-11 are cut beyond the newest 500', async () => {
    const store = await withThreads();
    await store.write(...Array.from({ length: 510 }, (_, n) => event(`${n + 1}`)));
    const events = await store.find('agentEvents', { userId: 'ann', threadId: 't1' });
    expect([events.length, events[0]?.seq, events.at(-1)?.seq]).toEqual([500, 11, 510]);
  });

  it('RX-11 are cut beyond 2 MiB, counted in bytes of UTF-8', async () => {
    const store = await withThreads();
    const long = event('é'.repeat(30_000));
    await store.write(...Array.from({ length: 40 }, () => long));
    const events = await store.find('agentEvents', { userId: 'ann', threadId: 't1' });
    const bytes = Buffer.byteLength(JSON.stringify(events[0]?.event));
    expect(events).toHaveLength(Math.floor(keptEventBytes / bytes));
    expect(events.at(-1)?.seq).toBe(40);
  });

  it('of more than 64 KiB are refused', async () => {
    const store = await withThreads();
    await expect(store.write(event('x'.repeat(maxEventBytes)))).rejects.toMatchObject({ code: 'TOO_LARGE' });
  });
});

it('sums what the runs of a user have used since a moment', async () => {
  const store = await openAgentStore();
  const used = { inputTokens: 100, outputTokens: 10, cachedTokens: 50, costMicro: 7 };
  const ended = { ...used, state: 'completed', endedAt: 9 } as const;
  await store.write(
    insert('agentRuns', runRow('ann', 'run_1', { ...ended, startedAt: 1 })),
    insert('agentRuns', runRow('ann', 'run_2', { ...ended, startedAt: 5 })),
    insert('agentRuns', runRow('ann', 'run_3', { ...used, startedAt: 6, costMicro: null })),
    insert('agentRuns', runRow('bob', 'run_1', { ...ended, startedAt: 6 })),
  );
  expect(await store.usageSince('ann', 5)).toEqual({ tokens: 130, costMicro: 7 });
  expect(await store.usageSince('cleo', 0)).toEqual({ tokens: 0, costMicro: 0 });
});

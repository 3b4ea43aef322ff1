import type { CallFilter, CallVia } from '@drawbridge/contracts/calls';
import { afterEach, describe, expect, it } from 'vitest';
import { createPastCallsStore, readCursor } from './store/past-calls.store.ts';
import { planOf } from '../../../test/plan-of.ts';
import { itOnSqlite } from '../../../test/store-place.ts';
import {
  callerOf,
  connect,
  initBody,
  openGateway,
  text,
  type GatewayFixture,
} from '../../../test/gateway-fixture.ts';

let fixture: GatewayFixture;
afterEach(() => fixture.close());

const desk: CallVia = { kind: 'token', id: 't1', name: 'Desk' };
const editor: CallVia = { kind: 'client', id: 'https://editor.example/id.json', name: 'Editor' };
const chat: CallVia = { kind: 'thread', id: 'h1', name: 'Taxes' };

interface Made {
  tool: string;
  args: Record<string, unknown>;
  via?: CallVia;
  fails?: boolean;
  by?: 'rule';
}

const made: Made[] = [
  { tool: 'read_file', args: { filePath: 'src/Server.ts' } },
  { tool: 'shell_execute', args: { command: 'npm test\nrm x; say "x"' }, via: desk, by: 'rule' },
  { tool: 'write_file', args: { filePath: 'src/100%_done.txt', content: 'in the file' }, via: editor },
  { tool: 'read_file', args: { filePath: 'notes.txt' }, via: chat, fails: true },
];
const tools = ['read_file', 'write_file', 'shell_execute'].map((name) => ({
  name,
  inputSchema: { type: 'object' },
}));

const daemon = { version: '0.1.0', protocol: 1, features: ['cancel', 'rulings'] };
const byRule = { 'drawbridge/allowed': { rules: [{ label: 'run', covers: 'c1' }] } };

/** Ada's calls, a second apart from 2026-01-01T00:00:00Z on, oldest first. */
const withCalls = async (calls: readonly Made[] = made) => {
  fixture = await openGateway();
  const { gateway, clock } = fixture;
  const { key, stream } = await connect(gateway, 'ada', initBody({ tools, daemon }));
  const subjects: string[] = [];
  for (const { tool, args, via, by, fails = false } of calls) {
    const running = callerOf(gateway, 'ada').run(
      { name: tool, arguments: args },
      { door: 'mcp', until: 'ended', ...(via && { via }) },
    );
    await clock.settle();
    const { requestId = '' } = stream.requests().at(-1) ?? {};
    await gateway.daemon.respond(
      key,
      requestId,
      fails ? { error: 'no' } : text('ok', by && { _meta: byRule }),
    );
    subjects.push((await running).subject);
    clock.advance(1_000);
  }
  const found = async (filter: CallFilter, userId = 'ada') => {
    const { calls: page } = await gateway.calls.list(userId, { limit: 50, ...filter });
    return page.map(({ subject }) => subject);
  };
  return { gateway, clock, subjects, found };
};

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

describe('a filter', () => {
  it.each([
    ['everything', {}, ['notes.txt', 'src/100%_done.txt', 'npm test …', 'src/Server.ts']],
    ['a tool', { tool: 'read_file' }, ['notes.txt', 'src/Server.ts']],
    ['a state', { state: 'failed' }, ['notes.txt']],
    ['the panel', { by: 'panel' }, ['src/Server.ts']],
    ['any chat', { by: 'chat' }, ['notes.txt']],
    ['one chat', { by: 'thread:h1' }, ['notes.txt']],
    ['a token', { by: 'token:t1' }, ['npm test …']],
    ['a client with an address as its id', { by: `client:${editor.id}` }, ['src/100%_done.txt']],
    ['an id of another kind', { by: 'client:t1' }, []],
    ['a text in any case', { q: 'SERVER' }, ['src/Server.ts']],
    ['a text with characters of a pattern', { q: '0%_d' }, ['src/100%_done.txt']],
    ['no pattern', { q: 's%r' }, []],
    ['a later line of a command', { q: 'RM x' }, ['npm test …']],
    ['a text of a command as it is', { q: 'say "x' }, ['npm test …']],
    ['nothing in other arguments', { q: 'in the file' }, []],
    ['what a rule decided', { ruling: 'rule' }, ['npm test …']],
    ['what the modes decided', { ruling: 'mode' }, ['src/100%_done.txt', 'src/Server.ts']],
    ['what was asked about', { ruling: 'asked' }, []],
    ['a time, without its end', { from: at(1), to: at(3) }, ['src/100%_done.txt', 'npm test …']],
    ['several at once', { tool: 'read_file', state: 'succeeded', q: 'src' }, ['src/Server.ts']],
    ['an unknown machine', { machine: 'unknown' }, []],
  ] satisfies [string, CallFilter, string[]][])('finds %s', async (_, filter, expected) => {
    const { found, gateway } = await withCalls();
    expect(await found(filter)).toEqual(expected);
    const { counts } = await gateway.calls.histogram('ada', { buckets: 7, ...filter });
    expect([counts.length, counts.reduce((sum, one) => sum + one, 0)]).toEqual([7, expected.length]);
    expect(await found(filter, 'bob')).toEqual([]);
  });

  it('finds the calls of a machine, and nothing for another user who names it', async () => {
    const { gateway, found } = await withCalls();
    const [machine] = await gateway.machines.list('ada');
    const filter = { machine: machine?.machineId ?? '' };
    expect([await found(filter), await found(filter, 'bob')]).toEqual([await found({}), []]);
  });

  it('gives its pages in order, each call once, also where many have one time', async () => {
    fixture = await openGateway();
    const { gateway, clock } = fixture;
    const { key, stream } = await connect(gateway, 'ada', initBody({ tools }));
    for (let place = 0; place < 9; place += 1) {
      const call = { name: 'read_file', arguments: { filePath: `${place}` } };
      const running = callerOf(gateway, 'ada').run(call, { door: 'trpc', until: 'ended' });
      await clock.settle();
      await gateway.daemon.respond(key, stream.requests().at(-1)?.requestId ?? '', text('ok'));
      await running;
      if (place % 3 === 2) clock.advance(1);
    }
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await gateway.calls.list('ada', {
        tool: 'read_file',
        limit: 2,
        ...(cursor && { cursor }),
      });
      ids.push(...page.calls.map(({ requestId }) => requestId));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    const whole = await gateway.calls.list('ada', { limit: 50 });
    expect(ids).toEqual(whole.calls.map(({ requestId }) => requestId));
    expect(new Set(ids).size).toBe(9);
  });
});

it('counts calls where they were made', async () => {
  const { gateway } = await withCalls();
  const { db } = fixture.database;
  const mark = (subject: string, row: { state?: string; ruling?: string }) =>
    db.updateTable('calls').set(row).where('subject', '=', subject).execute();
  await mark('src/Server.ts', { ruling: 'asked' });
  await mark('npm test …', { state: 'denied', ruling: 'asked' });
  await mark('src/100%_done.txt', { state: 'awaiting-confirmation' });
  expect(await gateway.calls.histogram('ada', { buckets: 3, from: at(0), to: at(6) })).toEqual({
    from: at(0),
    to: at(6),
    bucketMs: 2_000,
    counts: [2, 2, 0],
    of: { asked: [1, 1, 0], denied: [1, 0, 0], failed: [0, 1, 0] },
    countedFrom: null,
  });
  expect(await gateway.calls.histogram('bob', { buckets: 2 })).toMatchObject({ counts: [0, 0] });
});

itOnSqlite('a count by how calls ended is answered from the index alone', async () => {
  const { clock } = await withCalls();
  const plan = await planOf(fixture.database.db, (db) =>
    createPastCallsStore(db, clock).histogram({ owner: { userId: 'ada', via: undefined }, filter: {} }, 1),
  );
  expect(plan).toContain('COVERING INDEX callsByFilter');
});

it('gives the calls of the machine before and after one, also of one time, and none to another user', async () => {
  const { gateway, subjects } = await withCalls();
  await fixture.database.db
    .updateTable('calls')
    .set({ createdAt: Date.parse(at(2)) })
    .where('subject', '=', 'notes.txt')
    .execute();
  const { calls } = await gateway.calls.list('ada', { limit: 50 });
  const around = async (requestId: string) => {
    const { before, after } = await gateway.calls.around('ada', requestId);
    return [before?.subject, after?.subject];
  };
  const named = calls.map(({ subject }) => subject);
  for (const [place, { requestId }] of calls.entries())
    expect(await around(requestId)).toEqual([named[place + 1], named[place - 1]]);
  expect(new Set(named)).toEqual(new Set(subjects));
  await connect(gateway, 'bob');
  await fixture.database.db
    .updateTable('calls')
    .set(({ selectFrom }) => ({ machineId: selectFrom('machines').select('id').where('userId', '=', 'bob') }))
    .where('requestId', '=', calls[1]?.requestId ?? '')
    .execute();
  expect(await around(calls[0]?.requestId ?? '')).toEqual([named[2], undefined]);
  expect(await around(calls[2]?.requestId ?? '')).toEqual([named[3], named[0]]);
  await expect(gateway.calls.around('bob', calls[0]?.requestId ?? '')).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});

it('gives all calls of a filter for an export', async () => {
  const { gateway } = await withCalls();
  const subjects: string[] = [];
  for await (const { subject } of gateway.calls.all('ada', { q: 'src' })) subjects.push(subject);
  expect(subjects).toEqual(['src/100%_done.txt', 'src/Server.ts']);
});

describe('a look through many calls', () => {
  const ids = (calls: readonly { subject: string }[]) => calls.map(({ subject }) => subject);
  const many = Array.from({ length: 12 }, (_, place) => ({
    tool: place % 6 === 0 ? 'write_file' : 'read_file',
    args: { filePath: String(place) },
  }));
  const look = { owner: { userId: 'ada', via: undefined }, filter: { tool: 'write_file' } };

  it('goes on part by part until it has found all', async () => {
    const { clock } = await withCalls(many);
    const limits = { callsAtOnce: 2, longestMs: 80 };
    const store = createPastCallsStore(fixture.database.db, clock, limits);
    const page = await store.list(look, { cursor: null, limit: 5 });
    expect([ids(page.calls), page.nextCursor]).toEqual([['6', '0'], null]);
  });

  it('stops when its time is over, with a cursor that goes on from there', async () => {
    const { clock } = await withCalls(many);
    const limits = { callsAtOnce: 2, longestMs: 0 };
    const store = createPastCallsStore(fixture.database.db, clock, limits);
    const pages: string[][] = [];
    let cursor: string | null = null;
    do {
      const page = await store.list(look, { cursor: cursor === null ? null : readCursor(cursor), limit: 5 });
      pages.push(ids(page.calls));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(pages).toEqual([[], [], ['6'], [], [], ['0']]);
  });

  it('is complete on a machine that is busy with something else', async () => {
    const { clock } = await withCalls(many);
    const late = { ...clock, now: () => (clock.advance(100), clock.now()) };
    const store = createPastCallsStore(fixture.database.db, late, { callsAtOnce: 2, longestMs: 80 });
    const filter = { from: at(0), to: at(12) };
    const counted = await store.histogram({ owner: look.owner, filter }, 12);
    const sum = counted.counts.reduce((all, one) => all + one, 0);
    expect([sum, counted.countedFrom]).toEqual([12, null]);
    expect(ids((await store.list(look, { cursor: null, limit: 5 })).calls)).toEqual(['6', '0']);
  });

  it('counts the newest calls first, and says from when on', async () => {
    const { clock } = await withCalls(many);
    const store = createPastCallsStore(fixture.database.db, clock, { callsAtOnce: 2, longestMs: 0 });
    const filter = { from: at(0), to: at(12) };
    expect(await store.histogram({ owner: look.owner, filter }, 3)).toMatchObject({
      counts: [0, 0, 0],
      countedFrom: Date.parse(at(12)),
    });
  });
});

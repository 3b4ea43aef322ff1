import { recapLimits } from '@drawbridge/contracts/machines/recap';
import type { CallVia } from '@drawbridge/contracts/calls';
import { coverParts } from '@drawbridge/contracts/rules';
import { digestOf } from '@drawbridge/kit/node';
import { expect, it } from 'vitest';
import { itOnSqlite } from '../../../test/store-place.ts';
import { allow } from '../../../test/asked.ts';
import { callerOf, connect, initBody, question, text, useGateway } from '../../../test/gateway-fixture.ts';
import { planOf } from '../../../test/plan-of.ts';
import { createRecapStore } from './recap.store.ts';

const fixture = useGateway();
const hourMs = 3_600_000;

const tool = (name: string) => ({ name, description: name, inputSchema: { type: 'object' } });

const open = async () => {
  await fixture.open();
  const { gateway, clock } = fixture;
  const { key, stream } = await connect(
    gateway,
    'ada',
    initBody({ tools: ['read_file', 'shell_execute', 'write_file'].map(tool) }),
  );
  const call = async (via: CallVia = { kind: 'token', id: 't1', name: 'Desk' }) => {
    const running = callerOf(gateway, 'ada').run(
      { name: 'read_file', arguments: { path: 'a.txt' } },
      { door: 'mcp', until: 'ended', via },
    );
    await clock.settle();
    await gateway.daemon.respond(key, stream.requests().at(-1)?.requestId ?? '', text('ok'));
    await running;
    clock.advance(1_000);
  };
  const calls = async (userId = 'ada') => (await gateway.recaps.open(userId))?.rows.map((row) => row.calls);
  return { gateway, clock, key, stream, call, calls };
};

it('is empty at the first visit, after minutes, and where nothing was called', async () => {
  const { clock, call, calls } = await open();
  expect(await calls()).toBeUndefined();
  await call();
  clock.advance(hourMs / 2);
  expect(await calls()).toBeUndefined();
  clock.advance(2 * hourMs);
  expect(await calls()).toBeUndefined();
});

it('has the calls since the visit before, the same in two windows, until it is seen or the next visit', async () => {
  const { gateway, clock, call, calls } = await open();
  await calls();
  await calls('bob');
  clock.advance(2 * hourMs);
  await call();
  await call();
  const both = await Promise.all([gateway.recaps.open('ada'), gateway.recaps.open('ada')]);
  expect(both[0]).toEqual(both[1]);
  expect(both[0]?.rows).toMatchObject([
    { by: 'token:t1', name: 'Desk', calls: 2, asked: 0, byRule: 0, denied: 0, failed: 0, commands: 0 },
  ]);
  // What is called during the visit is not part of it, and of another person nothing.
  await call();
  expect([await calls(), await calls('bob')]).toEqual([[2], undefined]);
  await gateway.recaps.seen('bob', both[0]?.to ?? '');
  expect(await calls()).toEqual([2]);
  await gateway.recaps.seen('ada', both[0]?.to ?? '');
  expect(await calls()).toBeUndefined();
  clock.advance(2 * hourMs);
  await call();
  clock.advance(2 * hourMs);
  expect(await calls()).toEqual([1]);
  // A window that still shows the former one.
  await gateway.recaps.seen('ada', both[0]?.to ?? '');
  expect(await calls()).toEqual([1]);
  clock.advance(2 * hourMs);
  expect(await calls()).toBeUndefined();
});

it('looks back 7 days at most', async () => {
  const { clock, call, calls, gateway } = await open();
  await calls();
  await call();
  clock.advance(24 * hourMs);
  await call();
  clock.advance(7 * 24 * hourMs - 2_000);
  const recap = await gateway.recaps.open('ada');
  expect(recap?.rows.map((row) => row.calls)).toEqual([1]);
  expect(Date.parse(recap?.to ?? '') - Date.parse(recap?.from ?? '')).toBe(7 * 24 * hourMs);
});

it('names the agents with the most calls, counts the others, and takes all chats for one', async () => {
  const { gateway, clock, call, calls } = await open();
  await calls();
  clock.advance(2 * hourMs);
  await call({ kind: 'thread', id: 'blog', name: 'Blog' });
  await call({ kind: 'thread', id: 'taxes', name: 'Taxes' });
  for (let one = 0; one <= recapLimits.rows; one += 1)
    await call({ kind: 'token', id: `t${one}`, name: `Desk ${one}` });
  await call({ kind: 'token', id: 't9', name: 'Renamed' });
  await call({ kind: 'token', id: 't9', name: 'Renamed' });
  const recap = await gateway.recaps.open('ada');
  expect(recap?.rows).toHaveLength(recapLimits.rows);
  expect(recap?.rows.slice(0, 3)).toMatchObject([
    { by: 'token:t9', name: 'Renamed', calls: 3 },
    { by: 'chat', name: '', calls: 2 },
    { calls: 1 },
  ]);
  expect(recap?.others).toEqual({ rows: 2, calls: 2 });
});

it('knows what the person allowed again and again in 30 days, and of another person nothing', async () => {
  const { gateway, clock, key, stream } = await open();
  const resource = '"/home/ada/site" $ npm test';
  const covers = [digestOf(coverParts({ toolGroup: 'shell', resource }))];
  const reaches = [{ id: 'exact', scope: 'exact', label: 'run it', decisions: ['alwaysAllow'], covers }];
  const askOnce = async (askId: string, { name = 'shell_execute', isAnswered = true } = {}) => {
    const running = callerOf(gateway, 'ada').run(
      { name, arguments: { command: 'npm test' } },
      { door: 'mcp', until: 'ended' },
    );
    await clock.settle();
    const requestId = stream.requests().at(-1)?.requestId ?? '';
    const body = question({ toolGroup: 'shell', resource, description: 'Run', reaches, askId });
    await gateway.daemon.respond(key, requestId, body);
    if (isAnswered) await gateway.confirmations.decide('ada', { requestId }, allow('allowOnce'));
    else await gateway.calls.cancel('ada', requestId);
    await clock.settle();
    await gateway.daemon.respond(key, requestId, text('ok'));
    await running;
    clock.advance(1_000);
    return requestId;
  };
  const asked = [await askOnce('a1'), await askOnce('a2'), await askOnce('a3')];
  await askOnce('a4', { isAnswered: false });
  const [repeated] = await gateway.recaps.repeated('ada');
  expect(repeated).toMatchObject({ text: 'npm test', allowed: 3, answered: 3 });
  expect(repeated?.calls.map(({ requestId }) => requestId)).toEqual(asked.toReversed());
  expect(await gateway.recaps.repeated('bob')).toEqual([]);
  clock.advance(30 * 24 * hourMs - 3_500);
  expect(await gateway.recaps.repeated('ada')).toEqual([]);
});

it('has the files that calls changed in that time, asked about or not, and of another person none', async () => {
  const { gateway, clock, key, stream } = await open();
  const diffOf = (removed: string, added: string) => ({
    kind: 'diff' as const,
    path: 'a.txt',
    hunks: [
      {
        oldStart: 1,
        newStart: 1,
        lines: [
          { kind: 'removed' as const, text: removed },
          { kind: 'added' as const, text: added },
        ],
      },
    ],
    added: 1,
    removed: 1,
    lines: 1,
  });
  const write = async (preview: ReturnType<typeof diffOf>, isAsked: boolean) => {
    const running = callerOf(gateway, 'ada').run(
      { name: 'write_file', arguments: { filePath: 'a.txt' } },
      { door: 'mcp', until: 'ended' },
    );
    await clock.settle();
    const requestId = stream.requests().at(-1)?.requestId ?? '';
    if (isAsked) {
      await gateway.daemon.respond(key, requestId, question({ preview, askId: requestId }));
      await gateway.confirmations.decide('ada', { requestId }, allow('allowOnce'));
      await clock.settle();
    }
    const meta = { 'drawbridge/allowed': { rules: [], preview } };
    await gateway.daemon.respond(key, requestId, text('ok', isAsked ? {} : { _meta: meta }));
    await running;
    clock.advance(1_000);
    return requestId;
  };
  await write(diffOf('zero', 'one'), false);
  const from = clock.now();
  const calls = [await write(diffOf('one', 'two'), false), await write(diffOf('two', 'three'), true)];
  const to = clock.now();
  await write(diffOf('three', 'four'), false);
  const filesOf = (userId: string, times = { from, to }) =>
    gateway.recaps.files(userId, {
      from: new Date(times.from).toISOString(),
      to: new Date(times.to).toISOString(),
    });
  const { files, left } = await filesOf('ada');
  expect(left).toEqual({ files: 0, calls: 0 });
  expect(files.map(({ path, steps }) => [path, steps.length])).toEqual([['a.txt', 1]]);
  expect(files[0]?.steps[0]?.preview).toEqual(diffOf('one', 'three'));
  expect(files[0]?.steps[0]?.calls.map(({ requestId }) => requestId)).toEqual(calls);
  expect((await filesOf('bob')).files).toEqual([]);
  // Of a longer time only the last 7 days.
  const callsTo = async (at: number) =>
    (await filesOf('ada', { from: 0, to: at })).files[0]?.steps[0]?.calls.length;
  expect(await callsTo(to + 9_000)).toBe(4);
  clock.advance(7 * 24 * hourMs - 3_000);
  expect(await callsTo(clock.now())).toBe(3);
});

itOnSqlite('the counts are answered from the index alone', async () => {
  await fixture.open();
  const plan = await planOf(fixture.database.db, (db) =>
    createRecapStore(db).rows('ada', { from: 1, to: 9 }, recapLimits.rows),
  );
  expect(plan).toContain('COVERING INDEX callsByFilter');
});

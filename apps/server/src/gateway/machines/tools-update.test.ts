import { connectedTools, machineStatus } from '../../callers/index.ts';
import { expect, it } from 'vitest';
import { connect, initBody, useGateway, callerOf, watchStatus } from '../../../test/gateway-fixture.ts';

const fixture = useGateway();

const tool = (name: string, description = name) => ({ name, description, inputSchema: { type: 'object' } });
const replaced = { code: 'REPLACED' };

const connected = async () => {
  await fixture.open();
  const { gateway, clock } = fixture;
  const { key } = await connect(gateway, 'ada');
  const names = async () =>
    (await connectedTools(fixture.gateway, { userId: 'ada' })).map(({ name }) => name);
  const lists = async () =>
    (await fixture.database.db.selectFrom('toolLists').select('digest').execute()).length;
  let heard = 0;
  watchStatus(gateway, 'ada', () => void (heard += 1));
  await clock.settle();
  return { gateway, clock, key, names, lists, heard: () => heard, proof: { key, epoch: 1 } };
};

it('a changed list applies at once, is published, and survives a restart', async () => {
  const { gateway, clock, proof, names, lists, heard } = await connected();
  const categories = [{ name: 'mcp', enabled: true, writeAccess: true }];
  const reply = await gateway.daemon.setTools(proof, {
    tools: [tool('a__one'), tool('a__two')],
    toolCategories: categories,
  });
  await clock.settle();
  expect([reply, await names(), await lists(), heard()]).toEqual([{ ok: true }, ['a__one', 'a__two'], 1, 1]);
  expect(await machineStatus(gateway, { userId: 'ada' })).toMatchObject({
    state: 'online',
    toolCategories: categories,
  });
  await fixture.crash();
  expect(await names()).toEqual(['a__one', 'a__two']);
});

it('an unchanged list is not published; without categories the earlier ones stay', async () => {
  const { gateway, clock, proof, heard, lists } = await connected();
  await gateway.daemon.setTools(proof, { tools: initBody().tools });
  await clock.settle();
  expect([heard(), await lists()]).toEqual([0, 1]);
  expect(await machineStatus(gateway, { userId: 'ada' })).toMatchObject({
    toolCategories: [{ name: 'filesystem', enabled: true, writeAccess: true }],
  });
});

it('MC-19 a changed description is a new list, which is published', async () => {
  const { gateway, clock, proof, heard } = await connected();
  await gateway.daemon.setTools(proof, { tools: [tool('a__one', 'Reads')] });
  await gateway.daemon.setTools(proof, { tools: [tool('a__one', 'Reads, and writes')] });
  await clock.settle();
  expect(heard()).toBe(2);
});

it('DH-08 DH-09 an invalid, repeated or huge tool is omitted and named', async () => {
  const { gateway, proof, names } = await connected();
  const deep = {
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`p${at}`, {}])),
  };
  const reply = await gateway.daemon.setTools(proof, {
    tools: [tool('a b'), tool('one'), tool('one'), { ...tool('two'), inputSchema: deep }],
  });
  expect(reply).toEqual({
    ok: true,
    warnings: [
      'Tool "a b" was skipped: it is not a valid tool',
      'Tool "one" was skipped: the name is taken',
      'Tool "two" was skipped: its schema is too big',
    ],
  });
  expect(await names()).toEqual(['one']);
});

it('an older epoch, one that never was, and a pairing token change nothing', async () => {
  const { gateway, key, proof, names, heard, clock } = await connected();
  await gateway.daemon.init(key, initBody());
  await clock.settle();
  const before = heard();
  const body = { tools: [tool('a__one')] };
  await expect(gateway.daemon.setTools(proof, body)).rejects.toMatchObject(replaced);
  await expect(gateway.daemon.setTools({ key, epoch: 9 }, body)).rejects.toMatchObject(replaced);
  await expect(gateway.daemon.setTools('gw_unknown', body)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  const { token } = await gateway.pairing.createLink('eve');
  await expect(gateway.daemon.setTools(token, body)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect([await names(), heard()]).toEqual([['read_file', 'write_file'], before]);
  await gateway.daemon.setTools({ key, epoch: 2 }, body);
  expect(await names()).toEqual(['a__one']);
});

it('a list that arrives after a newer one changes nothing, until the next init', async () => {
  const { gateway, clock, key, proof, names, heard, lists } = await connected();
  await gateway.daemon.setTools(proof, { tools: [tool('a__two')], revision: 2 });
  await clock.settle();
  const newer = await machineStatus(gateway, { userId: 'ada' });
  const late = await gateway.daemon.setTools(proof, {
    tools: [tool('a__one')],
    modes: { shell: 'allow' },
    revision: 1,
  });
  await clock.settle();
  expect([late, await names(), heard(), await lists()]).toEqual([{ ok: true }, ['a__two'], 1, 1]);
  expect(await machineStatus(gateway, { userId: 'ada' })).toEqual(newer);
  await fixture.crash();
  expect(await names()).toEqual(['a__two']);

  await fixture.gateway.daemon.init(key, initBody());
  await fixture.gateway.daemon.setTools({ key, epoch: 2 }, { tools: [tool('a__one')], revision: 1 });
  expect(await names()).toEqual(['a__one']);
});

it('a call of a removed tool is refused, one of a new tool is sent', async () => {
  const { gateway, proof } = await connected();
  await gateway.daemon.setTools(proof, { tools: [tool('a__one')] });
  const run = (name: string) =>
    callerOf(gateway, 'ada').run({ name, arguments: {} }, { door: 'trpc', until: 'ended' });
  await expect(run('read_file')).rejects.toMatchObject({ code: 'UNKNOWN_TOOL' });
  const call = run('a__one');
  await fixture.clock.settle(30_000);
  expect(await call).toMatchObject({ state: 'timed-out' });
});

import { flushPromises, mount, type DOMWrapper } from '@vue/test-utils';
import { toolScopes } from '@drawbridge/contracts/groups';
import { afterEach, expect, it } from 'vitest';
import { tokenOf, type World } from '../../../test/fixture-server.ts';
import { setBench, type Bench } from '../../../test/mounting.ts';
import { machineOf } from '../../../test/worlds.ts';
import { useMachinesStore } from '../machines/use-machines-store.ts';
import AgentList from './agent-list.vue';
import AgentToken from './agent-token.vue';

let bench: Bench;
let close = () => {};
afterEach(async () => {
  close();
  await bench.close();
});

const open = async (world: Partial<World>) => {
  bench = await setBench(world);
  await useMachinesStore().load();
  const list = mount(AgentList, { global: bench.global, attachTo: document.body });
  close = () => list.unmount();
  return list;
};
const until = async (there: () => boolean) => {
  while (!there()) await flushPromises();
};
const press = (label: string) => {
  const found = [...document.querySelectorAll('button')].findLast((one) => one.textContent?.trim() === label);
  if (!found) throw new Error(`No button: ${label}`);
  found.click();
};

it('says how to add one while the list is empty', async () => {
  const list = await open({});
  await until(() => list.text().includes('No agents yet'));
  expect(list.findAll('[data-test=token-row]')).toEqual([]);
});

it('shows what each may use, when it was used and when it ends', async () => {
  const list = await open({
    tokens: [
      tokenOf({ name: 'Claude \u202eedoC', scopes: ['filesystemRead', 'shell'] }),
      tokenOf({
        id: 't2',
        lastUsedAt: '2026-01-01T00:00:00.000Z',
        expiresAt: '2026-01-04T00:00:00.000Z',
        machines: ['m1'],
      }),
    ],
  });
  await until(() => list.findAll('[data-test=token-row]').length === 2);
  const textOf = (row: DOMWrapper<Element>, name: string) =>
    row.get(`[data-test=${name}]`).text().replaceAll(/\s+/g, ' ');
  const rows = list.findAll('[data-test=token-row]').map((row) => ({
    lines: row.findAll('div:first-of-type p').map((line) => line.text().replaceAll(/\s+/g, ' ')),
    used: textOf(row, 'last-used'),
    isInUse: row.find('[data-test=in-use]').exists(),
    expires: textOf(row, 'expires'),
    isMarked: row.get('[data-test=expires]').classes('text-warning'),
  }));
  expect(rows).toEqual([
    {
      lines: ['Claude \\u{202e}edoC, access token', 'Read files, Run commands'],
      used: 'Never used',
      isInUse: false,
      expires: expect.stringMatching(/^Expires in \d+ days$/),
      isMarked: false,
    },
    {
      lines: ['Desk, access token', 'Read files · only ada-laptop'],
      used: 'Used just now',
      isInUse: true,
      expires: 'Expires in 3 days',
      isMarked: true,
    },
  ]);
});

it('creates one that only reads, shows it once, and lists it without the token', async () => {
  const list = await open({});
  await until(() => list.text().includes('No agents yet'));
  press('New token');
  await until(() => document.querySelector('[name=token-name]') !== null);
  const name = document.querySelector<HTMLInputElement>('[name=token-name]');
  if (name) name.value = 'Desk';
  name?.dispatchEvent(new Event('input'));
  await flushPromises();
  press('Create token');
  await until(() => document.querySelector('[data-test=token]') !== null);
  expect(document.querySelector('[data-test=token]')?.textContent).toBe('dbt_shown-once');
  press('Done');
  await until(() => document.querySelector('[data-test=token]') === null);
  await until(() => list.findAll('[data-test=token-row]').length === 1);
  expect(document.body.textContent).not.toContain('dbt_');
  expect(bench.fixture.world.tokens).toEqual([tokenOf()]);
});

it('ticks what a JSON-RPC client needs with one press', async () => {
  const list = await open({});
  await until(() => list.text().includes('No agents yet'));
  press('New token');
  await until(() => document.querySelector('[data-test=scopes]') !== null);
  const ticked = () =>
    document.querySelectorAll('[data-test=scopes] [role=checkbox][data-state=checked]').length;
  expect(ticked()).toBe(1);
  press('Choose what a JSON-RPC client needs');
  await flushPromises();
  expect(ticked()).toBe([...toolScopes, 'agent', 'node'].length);
});

it('leads to the page of each', async () => {
  const list = await open({ tokens: [tokenOf()] });
  await until(() => list.findAll('[data-test=token-row]').length === 1);
  const links = list.findAll('[data-test=token-row] a').map((link) => link.attributes('href'));
  expect(links).toEqual([`/agents/${tokenOf().id}`]);
});

it('asks before it revokes', async () => {
  const list = await open({ tokens: [tokenOf()] });
  await until(() => list.findAll('[data-test=token-row]').length === 1);
  press('Revoke');
  await until(() => document.body.textContent?.includes('Revoke Desk?') === true);
  expect(bench.fixture.world.tokens).toHaveLength(1);
  press('Revoke');
  await until(() => list.text().includes('No agents yet'));
  expect(bench.fixture.world.tokens).toEqual([]);
});

it('offers a client groups of tools alone, and says which are off on the machines', async () => {
  bench = await setBench({ machines: [machineOf({ modes: { shell: 'deny', browser: 'ask' } })] });
  await useMachinesStore().load();
  const props = { modelValue: null, suggestedName: 'Cursor' };
  const form = mount(AgentToken, { props, global: bench.global });
  close = () => form.unmount();
  const scopes = form.get('[data-test=scopes]');
  expect(scopes.findAll('[role=checkbox]')).toHaveLength(toolScopes.length);
  expect(scopes.text().match(/Off on your machines now/g)).toHaveLength(1);
  expect(scopes.text()).not.toMatch(/Chat|Companion|Server operation/);
});

import type { MachineSummary } from '@drawbridge/contracts/machines/summary';
import type { Settings } from '@drawbridge/contracts/settings';
import { flushPromises, mount } from '@vue/test-utils';
import { afterEach, expect, it } from 'vitest';
import { useMachinesStore } from '../../features/machines/use-machines-store.ts';
import { setBench, type Bench } from '../../../test/mounting.ts';
import { router } from '../../../test/router.ts';
import { machineOf, worldOf } from '../../../test/worlds.ts';
import MachinePage from './machine-page.vue';
import MachinesPage from './machines-page.vue';

let bench: Bench;
let close = () => {};
afterEach(async () => {
  close();
  await bench.close();
});

const open = async (change: Partial<MachineSummary>) => {
  bench = await setBench({ machines: [machineOf(change)] });
  await router.push('/machines/m1');
  await useMachinesStore().load();
  const page = mount(MachinePage, { global: bench.global, attachTo: document.body });
  close = () => page.unmount();
  while (!page.find('[data-test=state]').exists()) await flushPromises();
  return page;
};

const away = { state: 'offline', connectedAt: null, lastSeenAt: '2025-12-31T23:00:00.000Z' } as const;

it('an offline machine stays known, with the command that reconnects it', async () => {
  const page = await open(away);
  expect(page.find('h1').text()).toBe('ada-laptop');
  expect(page.text()).toContain('/home/ada/notes');
  expect(page.find('[data-test=since] time').attributes('datetime')).toBe(away.lastSeenAt);
  expect(page.find('[data-test=reconnect] code').text()).toBe('drawbridge connect --dir /home/ada/notes');
  expect(page.findAll('[data-test=mode]').map((one) => one.text())).toEqual([
    'Read files AllowRuns without asking',
    'Change files AskAsks you each time',
    'Run commands OffNot available to agents',
  ]);
  const command = page.get('[data-test=mode-command]');
  // What is allowed already, and what is stricter, is not offered.
  expect(command.findAll('select[aria-label=Group] option').map((one) => one.text())).toEqual([
    'Change files',
    'Run commands',
  ]);
  expect(command.get('code').text()).toBe('drawbridge permissions set filesystemWrite allow');
  await command.get('select[aria-label=Group]').setValue('shell');
  expect(command.get('code').text()).toBe('drawbridge permissions set shell ask');
  await command.get('select[aria-label="New mode"]').setValue('allow');
  expect(command.get('code').text()).toBe('drawbridge permissions set shell allow');
});

it('an online machine offers modes that are tighter, and a command alone permits more', async () => {
  const page = await open({});
  const of = (label: string) =>
    page.findAll(`[role=group][aria-label="Mode: ${label}"] button`).map((one) => ({
      name: one.attributes('aria-label'),
      pressed: one.attributes('aria-pressed'),
      disabled: one.attributes('disabled') !== undefined,
    }));
  expect(of('Change files')).toEqual([
    { name: 'Set to Allow: Change files', pressed: 'false', disabled: true },
    { name: 'Ask: Change files', pressed: 'true', disabled: false },
    { name: 'Set to Off: Change files', pressed: 'false', disabled: false },
  ]);
});

it('a group that the machine cannot offer has no mode to set, and says why', async () => {
  const mcp = { name: 'mcp', enabled: false, reason: 'no MCP server is set up here' };
  const page = await open({ modes: { mcp: 'ask' }, toolCategories: [mcp] });
  const buttons = page.findAll('[role=group][aria-label="Mode: MCP servers"] button');
  expect(buttons.map((one) => [one.attributes('disabled'), one.attributes('title')])).toEqual(
    Array.from({ length: 3 }, () => ['', 'Not available: no MCP server is set up here']),
  );
});

it('one whose pairing has ended needs a new command', async () => {
  const page = await open({ ...away, isPaired: false });
  expect(page.find('[data-test=reconnect]').exists()).toBe(false);
  expect(page.find('[data-test=away]').text()).toContain('Its pairing has ended');
});

it('a paused machine says since when calls are refused', async () => {
  const page = await open({ pausedAt: '2026-01-01T00:00:00.000Z' });
  expect(page.find('[data-test=state]').text()).toBe('Paused');
  expect(page.find('[data-test=paused]').text()).toContain('until you resume');
});

it('without a machine the list offers to connect one', async () => {
  bench = await setBench({ machines: [] });
  const page = mount(MachinesPage, { global: bench.global, attachTo: document.body });
  close = () => page.unmount();
  while (!page.text().includes('No machine is connected')) await flushPromises();
});

const off = 'Remote use is off, so no machine can connect. Turn it on in Settings.';
it.each<[string, Partial<Settings>, string | null]>([
  ['its own switch', { disabledByUser: true }, off],
  ["the owner's switch, to the owner", { disabledByOwner: true, isOwner: true }, off],
  [
    "the owner's switch, to others",
    { disabledByOwner: true, isOwner: false },
    'The owner of this server has turned remote use off, so no machine can connect.',
  ],
  ['no switch', {}, null],
])('the list says that remote use is off by %s', async (_, change, text) => {
  bench = await setBench({ machines: [machineOf(away)], settings: { ...worldOf({}).settings, ...change } });
  await useMachinesStore().load();
  const page = mount(MachinesPage, {
    global: { ...bench.global, plugins: [...bench.global.plugins, router] },
  });
  close = () => page.unmount();
  const said = () => page.find('[data-test=remote-use]');
  if (text === null) {
    while (!page.find('[data-test=machine-row]').exists()) await flushPromises();
    await bench.api.settings.get.query();
    await flushPromises();
    expect(said().exists()).toBe(false);
  } else {
    while (!said().exists()) await flushPromises();
    expect(said().text()).toBe(text);
  }
});

const differs = (is: 'newer' | 'older') => ({ update: { from: '0.1.0', to: '0.2.0', is } });

it('says that an update is available, with the command that this machine knows', async () => {
  const page = await open(differs('newer'));
  const note = page.find('[data-test=update]');
  expect(note.find('p').text()).toBe('Update available: 0.1.0 → 0.2.0. On the machine, run:');
  expect(note.find('code').text()).toBe('drawbridge update');
});

it.each([
  ['npx --yes http://x.test/daemon.tgz connect --dir /w', 'npx --yes http://x.test/daemon.tgz update'],
  ['something else', 'drawbridge update'],
  [null, 'drawbridge update'],
])('of a machine that reconnects by %j, it updates by %j', async (reconnect, command) => {
  const page = await open({ ...differs('newer'), reconnect });
  expect(page.find('[data-test=update] code').text()).toBe(command);
});

it('says that the machine is newer than the server', async () => {
  const page = await open(differs('older'));
  expect(page.find('[data-test=update]').text()).toBe(
    'The machine is newer than this server: 0.1.0, server 0.2.0.',
  );
});

it('the list counts no group that the machine cannot offer now', async () => {
  const categories = [
    { name: 'shell', enabled: true },
    { name: 'mcp', enabled: false, reason: 'no MCP server is set up here' },
  ];
  bench = await setBench({
    machines: [machineOf({ modes: { shell: 'ask', mcp: 'ask' }, toolCategories: categories })],
  });
  await useMachinesStore().load();
  const page = mount(MachinesPage, { global: bench.global, attachTo: document.body });
  close = () => page.unmount();
  while (!page.find('[data-test=machine-row]').exists()) await flushPromises();
  expect(page.get('[data-test=machine-row]').text()).toContain('Run commands');
  expect(page.get('[data-test=machine-row]').text()).not.toContain('MCP');
});

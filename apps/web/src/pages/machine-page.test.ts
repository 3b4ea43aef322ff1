import { flushPromises, mount } from '@vue/test-utils';
import { afterEach, expect, it } from 'vitest';
import { useGatewayStore } from '../features/gateway/use-gateway-store.ts';
import type { World } from '../../test/fixture-server.ts';
import { setBench, type Bench } from '../../test/mounting.ts';
import { known, offline, online } from '../../test/worlds.ts';
import MachinePage from './machine-page.vue';

let bench: Bench;
let close = () => {};
afterEach(async () => {
  close();
  await bench.close();
});

const open = async (world: Partial<World>) => {
  bench = await setBench(world);
  if (world.status)
    useGatewayStore().onState({ type: 'instanceAiGatewayStateChanged', payload: world.status });
  const page = mount(MachinePage, { global: bench.global, attachTo: document.body });
  close = () => page.unmount();
  while (!page.find('h2').exists()) await flushPromises();
  return page;
};

const away = { ...known, lastSeenAt: '2025-12-31T23:00:00.000Z' };

it('an offline machine stays known, with the command that reconnects it', async () => {
  const page = await open({ status: offline, machine: away });
  expect(page.find('h2').text()).toBe('ada-laptop');
  expect(page.text()).toContain('/home/ada/notes');
  expect(page.find('[data-test=since] time').attributes('datetime')).toBe(away.lastSeenAt);
  expect(page.find('[data-test=reconnect] code').text()).toBe('drawbridge connect --dir /home/ada/notes');
  expect(page.findAll('[data-test=mode]').map((one) => one.text())).toEqual([
    'Read filesRuns without askingAllow',
    'Change filesAsks you each timeAsk',
    'Run commandsNot available to agentsOff',
  ]);
});

it('one whose pairing has ended needs a new command', async () => {
  const page = await open({ status: offline, machine: { ...away, isPaired: false } });
  expect(page.find('[data-test=reconnect]').exists()).toBe(false);
  expect(page.find('[data-test=away]').text()).toContain('Its pairing has ended');
});

it('without a machine the page offers to connect one', async () => {
  bench = await setBench({ status: offline, machine: null });
  useGatewayStore().onState({ type: 'instanceAiGatewayStateChanged', payload: offline });
  const page = mount(MachinePage, { global: bench.global, attachTo: document.body });
  close = () => page.unmount();
  while (!page.text().includes('No machine is connected')) await flushPromises();
});

const differs = (is: 'newer' | 'older') => ({ ...online, update: { from: '0.1.0', to: '0.2.0', is } });

it('says that an update is available, with the command that this machine knows', async () => {
  const page = await open({ status: differs('newer'), machine: known });
  const note = page.find('[data-test=update]');
  expect(note.find('p').text()).toBe('Update available: 0.1.0 → 0.2.0. On the machine, run:');
  expect(note.find('code').text()).toBe('drawbridge update');
});

it.each([
  ['npx --yes http://x.test/daemon.tgz connect --dir /w', 'npx --yes http://x.test/daemon.tgz update'],
  ['something else', 'drawbridge update'],
  [null, 'drawbridge update'],
])('of a machine that reconnects by %j, it updates by %j', async (reconnect, command) => {
  const page = await open({ status: differs('newer'), machine: { ...known, reconnect } });
  expect(page.find('[data-test=update] code').text()).toBe(command);
});

it('says that the machine is newer than the server', async () => {
  const page = await open({ status: differs('older'), machine: known });
  expect(page.find('[data-test=update]').text()).toBe(
    'The machine is newer than this server: 0.1.0, server 0.2.0.',
  );
});

import { mount } from '@vue/test-utils';
import { afterEach, expect, it } from 'vitest';
import { setBench, type Bench } from '../../../test/mounting.ts';
import { machineOf, worldOf } from '../../../test/worlds.ts';
import ConnectSteps from './connect-steps.vue';
import { useMachinesStore } from './use-machines-store.ts';

let bench: Bench;
let close = () => {};
afterEach(async () => {
  close();
  await bench.close();
});

const open = async (again?: ReturnType<typeof machineOf>, settings = worldOf().settings) => {
  bench = await setBench({ machines: [machineOf()], settings });
  await useMachinesStore().load();
  const wrapper = mount(ConnectSteps, { props: { again }, global: bench.global, attachTo: document.body });
  close = () => wrapper.unmount();
  await expect.poll(() => wrapper.find('[data-test=command]').exists()).toBe(true);
  return wrapper;
};

it('shows each daemon that was refused, with why, and a new command once the first is used', async () => {
  const wrapper = await open();
  bench.fixture.world.command = { ...bench.fixture.world.command, token: 'gw_new', command: 'npx new' };
  useMachinesStore().onEvent({
    type: 'refused',
    refused: {
      code: 'PAIRING_TOKEN_USED',
      hostIdentifier: 'eve@\u202espare',
      at: '2026-01-01T00:00:00.000Z',
    },
  });
  await expect.poll(() => wrapper.find('[data-test=refused]').exists()).toBe(true);
  expect(wrapper.find('[data-test=refused]').text()).toContain('came with a token that was used already');
  expect(wrapper.find('[data-test=refused]').text()).not.toContain('\u202e');
  await expect.poll(() => wrapper.find('[data-test=used]').exists()).toBe(true);
  expect(wrapper.find('[data-test=command]').text()).toBe('npx new');
});

it('says so when another machine has connected, and not for one that was there', async () => {
  const wrapper = await open();
  const store = useMachinesStore();
  store.onEvent({ type: 'machines', machines: [machineOf({ latencyMs: 20 })] });
  const desk = machineOf({ id: 'm2', name: 'desk', connectedAt: new Date(bench.clock.now()).toISOString() });
  store.onEvent({ type: 'machines', machines: [machineOf(), desk] });
  await expect.poll(() => wrapper.emitted('connected')).toEqual([[desk]]);
});

it('offers a folder of the server itself, where that has one to share', async () => {
  const wrapper = await open(undefined, { ...worldOf().settings, canShareFolder: true });
  await expect.poll(() => wrapper.find('[data-test=own-folder]').exists()).toBe(true);
  expect(wrapper.find('[data-test=own-folder]').text()).toContain('LOCAL_GATEWAY_DIR=');
});

it('a command for a machine that is known says that it replaces it', async () => {
  const wrapper = await open(machineOf());
  expect(wrapper.find('[data-test=replaces]').text()).toContain('this replaces ada-laptop');
});

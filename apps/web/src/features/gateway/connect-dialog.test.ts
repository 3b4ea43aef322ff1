import { flushPromises, mount } from '@vue/test-utils';
import { afterEach, expect, it } from 'vitest';
import { nextTick } from 'vue';
import { setBench, type Bench } from '../../../test/mounting.ts';
import { offline, online } from '../../../test/worlds.ts';
import ConnectDialog from './connect-dialog.vue';
import { useGatewayStore } from './use-gateway-store.ts';

let bench: Bench;
let close = () => {};
afterEach(async () => {
  close();
  await bench.close();
});

const part = (name: string) => document.querySelector(`[data-test=${name}]`);
const until = async (there: () => unknown) => {
  while (!there()) await flushPromises();
};
const command = (token: string, expiresAt: string | null) => ({
  token,
  command: `npx x ${token}`,
  expiresAt,
  ttlSeconds: 300,
});

const open = async (expiresAt: string, more: { insecure?: true } = {}) => {
  bench = await setBench({ status: offline, command: { ...command('gw_1', expiresAt), ...more } });
  useGatewayStore().onState({ type: 'instanceAiGatewayStateChanged', payload: offline });
  const wrapper = mount(ConnectDialog, {
    props: { open: true },
    global: bench.global,
    attachTo: document.body,
  });
  close = () => wrapper.unmount();
  await until(() => part('command'));
  return wrapper;
};

it('shows the command and counts the time down', async () => {
  await open('2026-01-01T00:05:00.000Z');
  expect([part('command')?.textContent, part('left')?.textContent]).toEqual(['npx x gw_1', '5:00']);
  bench.clock.advance(61_000);
  await nextTick();
  expect(part('left')?.textContent).toBe('3:59');
});

it('offers a new command when the time is over', async () => {
  await open('2026-01-01T00:05:00.000Z');
  bench.clock.advance(300_000);
  await nextTick();
  expect([part('command'), part('over') !== null]).toEqual([null, true]);
  bench.fixture.world.command = command('gw_2', '2026-01-01T00:10:00.000Z');
  part('over')?.querySelector('button')?.click();
  await until(() => part('command'));
  expect([part('command')?.textContent, part('left')?.textContent]).toEqual(['npx x gw_2', '5:00']);
});

it('says that the command was used, and shows a new one', async () => {
  await open('2026-01-01T00:05:00.000Z');
  bench.fixture.world.command = command('gw_2', '2026-01-01T00:05:00.000Z');
  useGatewayStore().onState({
    type: 'instanceAiGatewayStateChanged',
    payload: { ...online, state: 'grace' },
  });
  await until(() => part('used'));
  expect(part('command')?.textContent).toBe('npx x gw_2');
});

it('says what the flag for http means', async () => {
  await open('2026-01-01T00:05:00.000Z');
  expect(part('insecure')).toBe(null);
  close();
  await bench.close();
  await open('2026-01-01T00:05:00.000Z', { insecure: true });
  expect(part('insecure')?.textContent).toContain('--allow-insecure-http');
});

it('switches when the machine connects', async () => {
  await open('2026-01-01T00:05:00.000Z');
  useGatewayStore().onState({ type: 'instanceAiGatewayStateChanged', payload: online });
  await nextTick();
  expect(part('connected')?.textContent).toContain('ada-laptop is connected');
  expect(part('command')).toBe(null);
  useGatewayStore().onState({ type: 'instanceAiGatewayStateChanged', payload: offline });
  await nextTick();
  expect([part('connected') !== null, part('command')]).toEqual([true, null]);
});

import { flushPromises, mount } from '@vue/test-utils';
import { afterEach, expect, it } from 'vitest';
import { setBench, type Bench } from '../../../test/mounting.ts';
import { known, offline, online } from '../../../test/worlds.ts';
import MachineChip from './machine-chip.vue';
import { useGatewayStore } from './use-gateway-store.ts';

let bench: Bench;
afterEach(() => bench.close());

it.each([
  ['online', online, known],
  ['offline', offline, { ...known, lastSeenAt: '2025-12-31T23:00:00.000Z' }],
])('names a machine that is %s', async (_, status, machine) => {
  bench = await setBench({ status, machine });
  await useGatewayStore().load();
  const chip = mount(MachineChip, { global: bench.global });
  while (!chip.find('[data-test=chip-name]').exists()) await flushPromises();
  expect(chip.find('[data-test=chip-name]').text()).toBe('ada-laptop');
  chip.unmount();
});

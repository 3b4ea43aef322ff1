import { mount } from '@vue/test-utils';
import { expect, it } from 'vitest';
import { setBench } from '../../../test/mounting.ts';
import { machineOf } from '../../../test/worlds.ts';
import { useMachinesStore } from '../machines/use-machines-store.ts';
import { useServerStore } from '../session/use-server-store.ts';
import PauseControl from './pause-control.vue';

it('is inactive while the server does not respond, and says until when', async () => {
  const bench = await setBench({ machines: [machineOf()] });
  await useMachinesStore().load();
  const control = mount(PauseControl, { global: bench.global });
  const shown = () =>
    control.findAll('button').map((one) => [one.text(), one.attributes('disabled') !== undefined]);
  expect(shown()).toEqual([
    ['Pause', false],
    ['Stop everything', false],
  ]);
  useServerStore().away = true;
  await control.vm.$nextTick();
  expect(shown()).toEqual([
    ['Pause', true],
    ['Stop everything', true],
  ]);
  expect(control.get('button').attributes('title')).toBe('When the server is back');
  control.unmount();
  await bench.close();
});

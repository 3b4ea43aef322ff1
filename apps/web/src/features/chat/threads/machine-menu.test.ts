import { mount } from '@vue/test-utils';
import { expect, it } from 'vitest';
import { setBench } from '../../../../test/mounting.ts';
import { machineOf } from '../../../../test/worlds.ts';
import { useGatewayStore } from '../../gateway/use-gateway-store.ts';
import ChatThread from '../chat-thread.vue';

it('shows the machine of the chat, and lets the person choose another one', async () => {
  const { fixture, global, close } = await setBench();
  await useGatewayStore().load();
  const props = { threadId: 'th_1', isNew: true };
  const wrapper = mount(ChatThread, { props, global, attachTo: document.body });
  const find = () => wrapper.find('[data-test=machine]');
  await expect.poll(() => find().exists()).toBe(true);
  expect([find().text(), find().find('button').exists()]).toEqual(['ada-laptop', false]);
  const { world } = fixture;
  const server = machineOf({ id: 'm2', name: 'server', state: 'offline', isDefault: false });
  world.machines = [...world.machines, server];
  await useGatewayStore().load();
  await expect.poll(() => find().find('button').exists()).toBe(true);
  find()
    .get('button')
    .element.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' }));
  const other = () =>
    [...document.querySelectorAll<HTMLElement>('[role=menuitemcheckbox]')].find(
      ({ textContent }) => textContent?.trim() === 'server (offline)',
    );
  await expect.poll(other).toBeDefined();
  other()?.click();
  await expect.poll(() => find().text()).toBe('server (offline)');
  await wrapper.get('textarea').setValue('Hello');
  await wrapper.get('textarea').trigger('keydown', { key: 'Enter' });
  await expect.poll(() => world.agent.calls.at(-1)).toMatchObject(['send', { machineId: 'm2' }]);
  wrapper.unmount();
  await close();
});

import { mount } from '@vue/test-utils';
import { expect, it } from 'vitest';
import { setBench } from '../../../../test/mounting.ts';
import { machineOf } from '../../../../test/worlds.ts';
import { useMachinesStore } from '../../machines/use-machines-store.ts';
import ChatThread from '../chat-thread.vue';

const options = [
  { id: 'gemini', machineId: 'm1', machine: 'desk', state: 'ready' as const },
  { id: 'opencode', machineId: 'm2', machine: 'server', state: 'offline' as const },
];

it('shows what answers the chat, and chooses another by its command', async () => {
  const { fixture, global, close } = await setBench();
  const { agent } = fixture.world;
  const props = { threadId: 'th_1', isNew: true };
  const none = mount(ChatThread, { props, global });
  await expect.poll(() => none.find('[data-test=prompt]').exists()).toBe(true);
  expect(none.find('[data-test=runtime]').exists()).toBe(false);
  none.unmount();

  agent.runtimes = { chosen: null, byDefault: null, hasModel: false, options };
  const wrapper = mount(ChatThread, { props, global, attachTo: document.body });
  const find = () => wrapper.find('[data-test=runtime]');
  await expect.poll(() => find().exists()).toBe(true);
  expect(find().text()).toBe('Choose what answers');
  find()
    .get('button')
    .element.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' }));
  const items = () => [...document.querySelectorAll<HTMLElement>('[role=menuitemcheckbox]')];
  await expect
    .poll(() => items().map(({ textContent }) => textContent?.trim()))
    .toEqual([
      ...['As the server is set up', 'Built-in agent (no model is set)'],
      ...['gemini on desk', 'opencode on server (not connected)'],
    ]);
  agent.runtimes = { ...agent.runtimes, chosen: { id: 'gemini', machineId: 'm1', folder: null } };
  items()[2]?.click();
  await expect.poll(() => find().text()).toBe('gemini on desk');
  const sent = { threadId: 'th_1', message: '/runtime activate gemini on m1' };
  expect(agent.calls.at(-1)).toMatchObject(['send', sent]);
  const changed = () => useMachinesStore().onEvent({ type: 'machines', machines: [machineOf()] });
  agent.runtimes = { ...agent.runtimes, options: options.slice(1) };
  changed();
  await expect.poll(() => find().text()).toBe('gemini (not offered any more)');
  agent.runtimes = { ...agent.runtimes, options };
  changed();
  await expect.poll(() => find().text()).toBe('gemini on desk');
  wrapper.unmount();
  await close();
});

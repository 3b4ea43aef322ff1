import { mount } from '@vue/test-utils';
import { expect, it, onTestFinished } from 'vitest';
import { agentWorldOf } from '../../../../test/fixture-agent.ts';
import { setBench } from '../../../../test/mounting.ts';
import { machineOf } from '../../../../test/worlds.ts';
import { useMachinesStore } from '../../machines/use-machines-store.ts';
import { useServerStore } from '../../session/use-server-store.ts';
import ChatThread from '../chat-thread.vue';

it('says on which machine a new chat works, and that it is offline', async () => {
  const bench = await setBench({
    agent: agentWorldOf(),
    machines: [
      machineOf({ id: 'm_1', name: 'desk' }),
      machineOf({ id: 'm_2', name: 'laptop', isDefault: false, state: 'offline' }),
    ],
  });
  onTestFinished(bench.close);
  await useMachinesStore().load();
  const props = { threadId: 'th_1', isNew: true };
  const wrapper = mount(ChatThread, { props, global: bench.global, attachTo: document.body });
  onTestFinished(() => wrapper.unmount());
  const empty = () => wrapper.get('[data-test=empty]');
  await expect.poll(() => empty().text()).toContain('The agent works on desk.');
  await expect.poll(() => wrapper.find('[data-test=machine] button').exists()).toBe(true);
  await wrapper.get('[data-test=machine] button').trigger('click', { button: 0 });
  const laptop = () =>
    [...document.querySelectorAll('[role=menuitemcheckbox]')].find((item) =>
      item.textContent?.includes('laptop (offline)'),
    );
  await expect.poll(laptop).toBeDefined();
  laptop()?.dispatchEvent(new MouseEvent('click', { bubbles: true }));
  await expect.poll(() => empty().text()).toContain('laptop is offline.');
  expect(empty().get('a').attributes('href')).toBe('/machines/m_2');
  useServerStore().away = true;
  await expect.poll(() => empty().text()).toContain('You can write now, and send when the server is back.');
  expect(empty().find('a').exists()).toBe(false);
});

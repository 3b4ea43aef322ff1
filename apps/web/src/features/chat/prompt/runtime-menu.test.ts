import type { StoredEvent } from '@drawbridge/contracts/agent/events';
import { mount } from '@vue/test-utils';
import { expect, it } from 'vitest';
import { agentWorldOf } from '../../../../test/fixture-agent.ts';
import { setBench } from '../../../../test/mounting.ts';
import { machineOf } from '../../../../test/worlds.ts';
import { useMachinesStore } from '../../machines/use-machines-store.ts';
import ChatThread from '../chat-thread.vue';
import { useAgentStore } from '../use-agent-store.ts';

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
  agent.fails = { send: 'AGENT_OFF' };
  await wrapper.get('textarea').setValue('Hello');
  await wrapper.get('[data-test=send]').trigger('click');
  await expect.poll(() => wrapper.text()).toContain('Refused: AGENT_OFF');
  find()
    .get('button')
    .element.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' }));
  const items = () => [...document.querySelectorAll<HTMLElement>('[role=menuitemcheckbox]')];
  await expect
    .poll(() => items().map(({ textContent }) => textContent?.trim()))
    .toEqual([
      ...['As the server is set up', 'Built-in agent (no model is set)'],
      ...['Gemini CLI on desk', 'OpenCode on server (offline)'],
    ]);
  agent.runtimes = { ...agent.runtimes, chosen: { id: 'gemini', machineId: 'm1', folder: null } };
  items()[2]?.click();
  await expect.poll(() => find().text()).toBe('Gemini CLI on desk');
  expect(wrapper.text()).not.toContain('Refused');
  const sent = { threadId: 'th_1', message: '/runtime activate gemini on m1' };
  expect(agent.calls.at(-1)).toMatchObject(['send', sent]);
  const changed = () => useMachinesStore().onEvent({ type: 'machines', machines: [machineOf()] });
  agent.runtimes = { ...agent.runtimes, options: options.slice(1) };
  changed();
  await expect.poll(() => find().text()).toBe('Gemini CLI (not offered any more)');
  agent.runtimes = { ...agent.runtimes, options };
  changed();
  await expect.poll(() => find().text()).toBe('Gemini CLI on desk');
  wrapper.unmount();
  await close();
});

it('the built-in agent can answer where the coding agent of the chat could not begin', async () => {
  const { fixture, global, close } = await setBench({ agent: agentWorldOf() });
  const wrapper = mount(ChatThread, { props: { threadId: 'th_1', isNew: false }, global });
  await expect.poll(() => fixture.followers()).toBe(1);
  await useAgentStore().load();
  const head = (ts: number) => ({ runId: 'run_1', agentId: 'main', ts });
  const failed = { content: 'desk is away', code: 'RUNTIME_UNAVAILABLE', retryable: true };
  const usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
  const events: StoredEvent[] = [
    {
      ...{ type: 'user-message', runId: 'run_1', agentId: null, ts: 1 },
      payload: { messageId: 'm1', text: 'Hi', files: [], source: 'sent' },
    },
    { type: 'run-start', ...head(1), payload: { messageId: 'm1', kind: 'message' } },
    { type: 'error', ...head(2), payload: failed },
    { type: 'run-finish', ...head(3), payload: { status: 'error', usage } },
  ];
  for (const [at, event] of events.entries()) fixture.frame({ type: 'event', id: at + 1, event });
  await expect.poll(() => wrapper.find('[data-test=answer-natively]').exists()).toBe(true);
  await wrapper.get('[data-test=answer-natively]').trigger('click');
  const { calls } = fixture.world.agent;
  await expect.poll(() => calls.at(-1)).toEqual(['continue', { threadId: 'th_1' }]);
  expect(calls.at(-2)).toMatchObject(['send', { message: '/runtime activate native' }]);
  wrapper.unmount();
  await close();
});

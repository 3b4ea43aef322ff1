import type { StoredEvent } from '@drawbridge/contracts/agent/events';
import type { VueWrapper } from '@vue/test-utils';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { agentWorldOf } from '../../../../test/fixture-agent.ts';
import { messageEvents, openChat } from '../../../../test/chat.ts';
import { setBench, type Bench } from '../../../../test/mounting.ts';
import { useServerStore } from '../../session/use-server-store.ts';
import { useSessionStore } from '../../session/use-session-store.ts';

let bench: Bench;
const wrappers: VueWrapper[] = [];
beforeEach(async () => {
  bench = await setBench({ agent: agentWorldOf() });
});
afterEach(async () => {
  for (const wrapper of wrappers.splice(0)) wrapper.unmount();
  sessionStorage.clear();
  await bench.close();
});

const open = async (threadId: string, isNew = false) => {
  wrappers.pop()?.unmount();
  const wrapper = await openChat(bench, { threadId, isNew });
  wrappers.push(wrapper);
  await expect.poll(() => wrapper.find('textarea').exists()).toBe(true);
  return wrapper;
};
const typed = () => wrappers[0]?.get('textarea').element.value;
const kept = () => Object.keys(sessionStorage).filter((key) => key.startsWith('drawbridge'));

/** A reload leaves the storage of the tab alone. */
const reload = async () => {
  wrappers.pop()?.unmount();
  await bench.close();
  bench = await setBench({ agent: agentWorldOf() });
};

it('what is typed in a chat stays there while another is open, and after a reload', async () => {
  await (await open('th_1')).get('textarea').setValue('Half a mess');
  await open('th_2');
  expect(typed()).toBe('');
  await open('th_1');
  expect(typed()).toBe('Half a mess');
  await reload();
  await open('th_1');
  expect(typed()).toBe('Half a mess');
});

it('what is typed before the first message of a chat stays for the next new one, until it is sent', async () => {
  await (await open('th_1', true)).get('textarea').setValue('Begin');
  const wrapper = await open('th_2', true);
  expect(typed()).toBe('Begin');
  await wrapper.get('[data-test=send]').trigger('submit');
  await wrapper.get('textarea').setValue('Then');
  await expect.poll(() => wrapper.emitted('begun')).toHaveLength(1);
  await open('th_3', true);
  expect([typed(), kept()]).toEqual(['', [expect.stringContaining('th_2')]]);
  await open('th_2');
  expect(typed()).toBe('Then');
});

it('a message that was refused after its chat was left is there when it is opened again', async () => {
  bench.fixture.world.agent.fails = { send: 'BUDGET_SPENT' };
  const wrapper = await open('th_1');
  await wrapper.get('textarea').setValue('Refused');
  await wrapper.get('[data-test=send]').trigger('submit');
  await open('th_1');
  await expect.poll(typed).toBe('Refused');
});

it('nothing of it is left after the person has signed out', async () => {
  await (await open('th_1')).get('textarea').setValue('Mine');
  useSessionStore().leave();
  expect(kept()).toEqual([]);
  await open('th_1');
  expect(typed()).toBe('');
});

const pressEscape = (wrapper: VueWrapper) =>
  wrapper
    .get('textarea')
    .element.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }));

it('a message that is changed has a mark, and what stood in the prompt comes back with its end', async () => {
  const wrapper = await open('th_1');
  const stream = (...events: StoredEvent[]) =>
    events.map((event, at) => bench.fixture.frame({ type: 'event', id: at + 1, event }));
  stream(...messageEvents('A long question'));
  await wrapper.get('textarea').setValue('My half');
  const pencil = () => wrapper.find('[aria-label="Edit and send again"]');
  const mark = () => wrapper.find('[data-test=editing]');
  await expect.poll(() => pencil().exists()).toBe(true);
  expect(mark().exists()).toBe(false);

  await pencil().trigger('click');
  await expect.poll(() => mark().exists()).toBe(true);
  expect(mark().text()).toMatch(/^Editing the message of .*1970.*Cancel$/);
  expect(typed()).toBe('A long question');
  await mark().get('button').trigger('click');
  expect([typed(), mark().exists()]).toEqual(['My half', false]);

  // The key ends the change, and is not the first of the two that stop the run.
  await pencil().trigger('click');
  await expect.poll(typed).toBe('A long question');
  pressEscape(wrapper);
  await expect.poll(typed).toBe('My half');
  expect(wrapper.text()).not.toContain('Press Escape again');
  pressEscape(wrapper);
  await expect.poll(() => wrapper.text()).toContain('Press Escape again');

  // A second message in the place of the first one, a reload, and a send that fails lose nothing.
  await pencil().trigger('click');
  await pencil().trigger('click');
  await expect.poll(typed).toBe('A long question');
  await reload();
  const after = await open('th_1');
  expect([typed(), after.find('[data-test=editing]').exists()]).toEqual(['A long question', true]);
  bench.fixture.world.agent.fails = { send: 'BUDGET_SPENT' };
  await after.get('textarea').setValue('A better question');
  await after.get('[data-test=send]').trigger('submit');
  expect(typed()).toBe('My half');
  await expect.poll(typed).toBe('A better question');
  await after.get('[data-test=send]').trigger('submit');
  await expect.poll(typed).toBe('My half');
  await expect.poll(() => bench.fixture.world.agent.calls).toHaveLength(2);
  expect(after.find('[data-test=editing]').exists()).toBe(false);
});

it('while the server is away nothing can be sent, edited or stopped, and what is typed stays', async () => {
  const wrapper = await open('th_1');
  for (const [at, event] of messageEvents('Go').entries())
    bench.fixture.frame({ type: 'event', id: at + 1, event });
  await expect.poll(() => wrapper.find('[data-test=stop]').exists()).toBe(true);
  const inactive = (selector: string) => {
    const { disabled, title } = wrapper.get(selector).attributes();
    return disabled !== undefined && title;
  };
  const edit = '[aria-label="Edit and send again"]';
  const server = useServerStore();
  server.away = true;
  const why = 'When the server is back';
  await expect.poll(() => ['[data-test=stop]', edit].map(inactive)).toEqual([why, why]);
  for (const _ of ['first', 'second'])
    window.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', cancelable: true }));
  await wrapper.get('textarea').setValue('And this');
  await expect.poll(() => ['[data-test=send]', '[data-test=steer]'].map(inactive)).toEqual([why, why]);
  await wrapper.get('textarea').trigger('keydown', { key: 'Enter' });
  server.away = false;
  await expect.poll(() => inactive('[data-test=send]')).toBe(false);
  expect([typed(), bench.fixture.world.agent.calls]).toEqual(['And this', []]);
});

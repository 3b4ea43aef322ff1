import type { VueWrapper } from '@vue/test-utils';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { agentWorldOf } from '../../../../test/fixture-agent.ts';
import { openChat } from '../../../../test/chat.ts';
import { setBench, type Bench } from '../../../../test/mounting.ts';
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

it('what is typed in a chat stays there while another is open, and after a reload', async () => {
  await (await open('th_1')).get('textarea').setValue('Half a mess');
  await open('th_2');
  expect(typed()).toBe('');
  await open('th_1');
  expect(typed()).toBe('Half a mess');
  // A reload leaves the storage of the tab alone.
  wrappers.pop()?.unmount();
  await bench.close();
  bench = await setBench({ agent: agentWorldOf() });
  await open('th_1');
  expect(typed()).toBe('Half a mess');
});

it('what is typed before the first message of a chat stays for the next new one, until it is sent', async () => {
  await (await open('th_1', true)).get('textarea').setValue('Begin');
  const wrapper = await open('th_2', true);
  expect(typed()).toBe('Begin');
  await wrapper.get('[data-test=send]').trigger('submit');
  await expect.poll(() => wrapper.emitted('begun')).toHaveLength(1);
  await wrapper.get('textarea').setValue('Then');
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

import { TRPCError } from '@trpc/server';
import { flushPromises, mount } from '@vue/test-utils';
import { afterEach, expect, it } from 'vitest';
import { setBench, type Bench } from '../../../../test/mounting.ts';
import { confirmationOf } from '../../../../test/worlds.ts';
import { useConfirmationsStore } from '../use-confirmations-store.ts';
import GroupView from './group-view.vue';

let bench: Bench;
let close = () => {};
afterEach(async () => {
  close();
  await bench.close();
});

const one = confirmationOf({ id: 'a' });
const others = [confirmationOf({ id: 'b' }), confirmationOf({ id: 'c' })];

const open = async (answers: unknown[] = [], closed = '') => {
  bench = await setBench({
    confirmations: [one, ...others],
    decide: ({ confirmationId, approved, resourceDecision, reason }) => {
      if (confirmationId === closed) {
        const cause = Object.assign(new Error('no'), { name: 'ALREADY_DECIDED' });
        throw new TRPCError({ code: 'CONFLICT', message: 'no', cause });
      }
      answers.push([confirmationId, resourceDecision, ...(reason ? [reason] : [])]);
      return { confirmationId, state: 'decided', approved, decision: resourceDecision ?? null };
    },
  });
  const store = useConfirmationsStore();
  await store.load();
  const page = mount(GroupView, {
    props: { members: [one, ...others] },
    global: bench.global,
    attachTo: document.body,
  });
  close = () => page.unmount();
  return { page, store };
};
const press = (key: string, at: string) =>
  document.querySelector(at)?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));

it('CF-12 lists each question, and sleeps for 500 ms, also when a question joins', async () => {
  const { page } = await open();
  expect(page.findAll('[data-test=member] [data-test=resource]')).toHaveLength(3);
  const isAsleep = () => page.find<HTMLButtonElement>('[data-decision=allowOnce]').element.disabled;
  bench.clock.advance(499);
  await flushPromises();
  expect(isAsleep()).toBe(true);
  bench.clock.advance(1);
  await flushPromises();
  expect(isAsleep()).toBe(false);
  await page.setProps({ members: [one, ...others, confirmationOf({ id: 'd' })] });
  expect(isAsleep()).toBe(true);
});

it.each([
  ['page', 'a', 'allowOnce', 'Allowed 3 questions'],
  ['card', 'd', 'denyOnce', 'Denied 3 questions'],
] as const)(
  'CF-06 CF-29 on a %s, %s answers each question once with %s, with one note, and only with the focus',
  async (size, key, decision, text) => {
    const answers: unknown[] = [];
    const { page, store } = await open(answers);
    await page.setProps({ size });
    press(key, '[data-test=group]');
    bench.clock.advance(500);
    await flushPromises();
    press(key, 'body');
    expect(answers).toEqual([]);
    press(key, '[data-test=group]');
    press(key, '[data-test=group]');
    await expect.poll(() => store.closed.map((note) => note.text)).toEqual([text]);
    expect(answers.toSorted()).toEqual(['a', 'b', 'c'].map((id) => [id, decision]));
  },
);

it('says why the machine asks, and each denial has the reason that was given once', async () => {
  const answers: unknown[] = [];
  const { page, store } = await open(answers);
  const asked = confirmationOf({ id: 'a', why: [{ toolGroup: 'filesystemWrite', cause: 'mode' }] });
  await page.setProps({ members: [asked, ...others] });
  expect(page.get('[data-test=why]').text()).toBe('The machine has Change files set to Ask. Change');
  bench.clock.advance(500);
  await flushPromises();
  press('r', '[data-test=group]');
  await flushPromises();
  await page.get('[data-test=reason]').trigger('keydown', { key: 'Escape' });
  expect(page.find('[data-test=reason]').exists()).toBe(false);
  await page.get('[data-test=give-reason]').trigger('click');
  await page.get('[data-test=reason]').setValue(' not these ');
  expect(page.get('[data-decision=denyOnce]').text()).toContain('Deny 3 with reason');
  await page.get('[data-test=reason]').trigger('keydown', { key: 'Enter' });
  expect([store.closed.map((note) => note.text), answers]).toEqual([['Denying 3 questions: not these'], []]);
  bench.clock.advance(6_000);
  await expect.poll(() => store.closed.map((note) => note.text)).toEqual(['Denied 3 questions: not these']);
  expect(answers.toSorted()).toEqual(['a', 'b', 'c'].map((id) => [id, 'denyOnce', 'not these']));
});

it('counts apart a question that had another answer already', async () => {
  const { store } = await open([], 'b');
  const denied = store.decideAll({ id: 'all', title: 'All?', members: [one, ...others] }, 'denyOnce');
  const [first = one] = others;
  const confirmation = { ...first, state: 'decided', approved: true, decision: 'allowOnce' } as const;
  store.onConfirmation({ type: 'confirmation', confirmation });
  await denied;
  expect(store.closed.map((note) => note.text)).toEqual([
    'Denied 2 questions. 1 had closed before',
    'Already allowed in another window or on another device. Your answer had no effect',
  ]);
});

it('CF-16 allows only when all questions have been shown to the end', async () => {
  const { page } = await open();
  const reading = page.find('[data-test=reading]');
  Object.defineProperties(reading.element, { clientHeight: { value: 400 }, scrollHeight: { value: 9_000 } });
  await page.setProps({ members: [one, confirmationOf({ id: 'd' })] });
  bench.clock.advance(500);
  await flushPromises();
  const disabled = (decision: string) =>
    page.find<HTMLButtonElement>(`[data-decision=${decision}]`).element.disabled;
  expect([disabled('allowOnce'), disabled('denyOnce')]).toEqual([true, false]);
  reading.element.scrollTop = 8_600;
  await reading.trigger('scroll');
  expect(disabled('allowOnce')).toBe(false);
});

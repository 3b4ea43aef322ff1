import { createFakeClock } from '@drawbridge/kit';
import { flushPromises, mount } from '@vue/test-utils';
import { beforeEach, expect, it, vi } from 'vitest';
import { nextTick } from 'vue';
import { onClock } from '../../../../test/mounting.ts';
import { confirmationOf } from '../../../../test/worlds.ts';
import { useServerStore } from '../../session/use-server-store.ts';
import QuestionCard from './question-card.vue';

const clock = createFakeClock();
const decide = vi.fn(async () => {});
beforeEach(() => decide.mockClear());

const show = (id: string) =>
  mount(QuestionCard, {
    attachTo: document.body,
    props: { confirmation: confirmationOf({ id }), before: '', host: null, failure: undefined, decide },
    global: onClock(clock),
  });
type Card = ReturnType<typeof show>;

const isAwake = (card: Card) =>
  card.findAll<HTMLButtonElement>('button[data-decision]').some(({ element }) => !element.disabled);
const pass = async (ms: number) => {
  clock.advance(ms);
  await nextTick();
};
const up = (key: string) => window.dispatchEvent(new KeyboardEvent('keyup', { key }));
/** Answers one, and shows the next. */
const next = async () => {
  const first = show('c1');
  await pass(500);
  await first.find('article').trigger('keydown', { key: 'a' });
  first.unmount();
  decide.mockClear();
  return show('c2');
};
const press = (card: Card, key = 'a') => card.find('article').trigger('keydown', { key });

it('CF-29 after an answer by key, the next question takes a key after 300 ms, and a click after 500 ms', async () => {
  const card = await next();
  up('a');
  await pass(300);
  expect(isAwake(card)).toBe(false);
  await press(card);
  expect(decide.mock.calls).toEqual([[{ decision: 'allowOnce' }]]);
  card.unmount();
});

it.each<[string, (card: Card) => unknown]>([
  ['a double press', (card) => (up('a'), press(card))],
  ['another key', (card) => (up('a'), press(card, 'j'))],
  ['a click', () => (up('a'), window.dispatchEvent(new Event('pointerdown')))],
  ['a key that is held', () => {}],
  ['a key that is still held', () => up('x')],
])('CF-29 the next question sleeps for 500 ms after %s', async (_what, disturb) => {
  const card = await next();
  await disturb(card);
  await pass(300);
  await press(card);
  await pass(199);
  await press(card);
  expect(decide).not.toHaveBeenCalled();
  await pass(1);
  await press(card);
  expect(decide).toHaveBeenCalledOnce();
  card.unmount();
});

it('CF-29 the next question sleeps for 500 ms after an answer that took long, and when it changes', async () => {
  const late = await next();
  late.unmount();
  up('a');
  await pass(1_001);
  const card = show('c3');
  await pass(499);
  await press(card);
  expect(decide).not.toHaveBeenCalled();
  card.unmount();
  const changing = await next();
  up('a');
  await pass(200);
  await changing.setProps({ before: 'another' });
  await pass(499);
  await press(changing);
  expect(decide).not.toHaveBeenCalled();
  changing.unmount();
});

it('no question is answered while the server is away, and each says so', async () => {
  const card = show('c1');
  const shown = async () => {
    await flushPromises();
    return [isAwake(card), card.find('[data-test=answer-later]').exists()];
  };
  await pass(500);
  expect(await shown()).toEqual([true, false]);
  useServerStore().away = true;
  expect(await shown()).toEqual([false, true]);
  // Nor is anything opened that could not be sent.
  expect(card.findAll('footer button').map((one) => one.attributes('disabled'))).toEqual(
    card.findAll('footer button').map(() => ''),
  );
  await press(card, 'd');
  expect(decide).not.toHaveBeenCalled();
  useServerStore().away = false;
  expect(await shown()).toEqual([true, false]);
  await press(card, 'd');
  expect(decide).toHaveBeenCalledOnce();
  card.unmount();
});

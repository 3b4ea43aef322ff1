import {
  maxForms,
  maxPlan,
  type FormAnswer,
  type RuntimeEvent,
} from '@drawbridge/contracts/machines/runtimes';
import { createFakeClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import type { Form } from '../driver.ts';
import { openForms } from './open-forms.ts';

const open = ({ isAsking = true, showsPlans = true } = {}) => {
  const clock = createFakeClock();
  const over = new AbortController();
  const events: RuntimeEvent[] = [];
  const looks: (readonly number[])[] = [];
  let answered: (answers: readonly FormAnswer[]) => void = () => {};
  const form = openForms({
    ...{ clock, title: 'Claude Code', signal: over.signal, showsPlans },
    progress: ({ forms }) => looks.push(forms ?? []),
    event: (event) => events.push(event),
    answers: isAsking ? (listen) => (answered = listen) : undefined,
  });
  const never = new AbortController().signal;
  const answer = (n: number, answers: FormAnswer['answers']) => answered([{ n, answers }]);
  return {
    ...{ clock, events, looks, answer },
    form: (one: Form, n: number, withdrawal = never) => form(one, n, withdrawal),
    stop: () => over.abort(),
  };
};
const choice = (question: string, options: string[]): Form => ({
  message: '',
  questions: [{ id: 'q1', question, type: 'single', options }],
});
const ask = choice('Which?', ['red', 'blue']);

it('RT-18 asks the chat until it has the answer, and takes what was offered', async () => {
  const { form, events, looks, answer, clock } = open();
  const end = form(ask, 3);
  expect(events).toEqual([{ type: 'form', n: 3, message: 'Claude Code asks', questions: ask.questions }]);
  await clock.settle(2_000);
  expect(looks).toEqual([[3], [3], [3]]);
  answer(4, [{ questionId: 'q1', selectedOptions: ['red'] }]);
  answer(3, [
    { questionId: 'q1', selectedOptions: ['green', 'blue'] },
    { questionId: 'q9', selectedOptions: ['red'] },
  ]);
  expect(await end).toEqual({ answers: [{ id: 'q1', chosen: [1], text: '' }] });
  await clock.settle(5_000);
  expect(looks).toHaveLength(3);
});

it('a form that was skipped, has expired, or was withdrawn with the turn', async () => {
  const { form, answer, stop } = open();
  const skipped = form(ask, 1);
  answer(1, [{ questionId: 'q1', selectedOptions: [], skipped: true }]);
  expect(await skipped).toEqual({ declined: 'The person did not answer' });
  const expired = form(ask, 2);
  answer(2, null);
  expect(await expired).toEqual({ declined: 'The person did not answer' });
  const stopped = form(ask, 3);
  stop();
  expect(await stopped).toEqual({ withdrawn: true });
  expect(await form(ask, 4)).toEqual({ withdrawn: true });
});

it('RT-18 a form that the program withdraws ends at once, and is not looked for any more', async () => {
  const { form, looks, clock } = open();
  const withdrawal = new AbortController();
  const end = form(ask, 1, withdrawal.signal);
  withdrawal.abort();
  expect(await end).toEqual({ withdrawn: true });
  await clock.settle(5_000);
  expect(looks).toEqual([[1]]);
  expect(await form(ask, 2, withdrawal.signal)).toEqual({ withdrawn: true });
});

it('RT-18 hidden characters of a form are visible', async () => {
  const { form, events } = open();
  void form({ ...choice('Del\u202eete?', ['y\u200bes', 'yes']), message: 'a\u0007b' }, 1);
  const [event] = events;
  expect(JSON.stringify(event)).not.toMatch(/[\u202e\u200b\u0007]/);
  expect(event).toMatchObject({ questions: [{ options: [expect.stringMatching(/^y.+es$/), 'yes'] }] });
});

it('RT-19 a plan is shown with its question, whole or not at all, and only where it is shown', async () => {
  const { form, events } = open();
  const plan = `1. Delete\u202e it\n2. ${'x'.repeat(maxPlan - 40)}`;
  void form({ ...ask, plan }, 1);
  expect(events).toMatchObject([{ type: 'form', plan: plan.replace('\u202e', String.raw`\u{202e}`) }]);
  expect(await form({ ...ask, plan: 'x'.repeat(maxPlan + 1) }, 2)).toEqual({
    declined: 'A plan has up to 20000 characters',
  });
  expect(await open({ showsPlans: false }).form({ ...ask, plan }, 1)).toMatchObject({
    declined: expect.stringContaining('The user cannot be asked'),
  });
  expect(events).toHaveLength(1);
});

const many = (count: number) => Array.from({ length: count }, (_, at) => `option ${at}`);

it.each<[string, Form]>([
  ['five questions', { message: '', questions: many(5).map((id) => ({ id, question: id, type: 'text' })) }],
  ['no question', { message: '', questions: [] }],
  ['nine options', choice('Which?', many(9))],
  ['one option', choice('Which?', many(1))],
  ['two options that are the same', choice('Which?', ['yes', 'yes'])],
  ['a question of 301 characters', choice('x'.repeat(301), many(2))],
  ['an option of 201 characters', choice('Which?', ['x'.repeat(201), 'y'])],
])('RT-18 %s: declined, and its person is not asked', async (_name, given) => {
  const { form, events } = open();
  expect(await form(given, 1)).toMatchObject({
    declined: expect.stringContaining('up to 4 short questions'),
  });
  expect(events).toEqual([]);
});

it('RT-18 one more than 20 in a turn is declined, and so is one that no chat shows', async () => {
  const { form, events } = open();
  for (let n = 1; n <= maxForms; n += 1) void form(ask, n);
  expect(await form(ask, 21)).toEqual({ declined: '20 forms in a turn are enough' });
  expect(events).toHaveLength(maxForms);
  expect(await open({ isAsking: false }).form(ask, 1)).toMatchObject({
    declined: expect.stringContaining('The user cannot be asked'),
  });
});

import { question, type Question, type QuestionAnswer } from '@drawbridge/contracts/agent/asks';
import type { ProgressBody } from '@drawbridge/contracts/daemon-surface';
import {
  maxFormQuestions,
  maxForms,
  maxPlan,
  type FormAnswer,
  type RuntimeEvent,
} from '@drawbridge/contracts/machines/runtimes';
import { cutText, visible, visibleLines, type Clock } from '@drawbridge/kit';
import type { Answered, Form, FormEnd } from '../driver.ts';

/** While a form waits, the server is asked for its answer. */
const lookEveryMs = 1_000;
const maxMessage = 400;

export interface Forms {
  clock: Clock;
  /** The name of the coding agent. */
  title: string;
  signal: AbortSignal;
  progress(update: ProgressBody): void;
  event(event: RuntimeEvent): void;
  /** Its caller shows plans. */
  showsPlans: boolean;
  /** Undefined where its caller cannot be asked. */
  answers: ((listen: (answers: readonly FormAnswer[]) => void) => void) | undefined;
}

const isFitting = ({ questions }: Form): boolean =>
  questions.length > 0 &&
  questions.length <= maxFormQuestions &&
  questions.every(({ options = [] }) => new Set(options).size === options.length) &&
  questions.every((one) => question.safeParse(one).success);

/** Hidden characters are visible in it: two options that look the same are not. */
const shown = ({ id, question: text, type, options }: Question): Question => ({
  ...{ id, question: visible(text), type },
  ...(options && { options: options.map(visible) }),
});

/** Only what was offered was chosen. */
const readAnswers = (answers: readonly QuestionAnswer[], questions: readonly Question[]): Answered[] =>
  questions.flatMap(({ id, options = [] }) => {
    const given = answers.find(({ questionId }) => questionId === id);
    const chosen = options.flatMap((option, at) => (given?.selectedOptions.includes(option) ? [at] : []));
    const text = given?.customText ?? '';
    return chosen.length === 0 && text === '' ? [] : [{ id, chosen, text }];
  });

/** The forms of one turn: its person is asked by the chat that it answers. */
export const openForms = ({ clock, title, signal, progress, event, showsPlans, answers }: Forms) => {
  const open = new Map<number, (answer: FormAnswer['answers']) => void>();
  let asked = 0;
  answers?.((all) => {
    for (const one of all) open.get(one.n)?.(one.answers);
  });

  const ask = async (form: Form, n: number, withdrawal: AbortSignal): Promise<FormEnd> => {
    const answer = Promise.withResolvers<FormAnswer['answers'] | 'withdrawn'>();
    const withdraw = () => answer.resolve('withdrawn');
    const over = AbortSignal.any([signal, withdrawal]);
    const look = () => progress({ forms: [...open.keys()] });
    open.set(n, answer.resolve);
    over.addEventListener('abort', withdraw, { once: true });
    const stopLooking = clock.every(lookEveryMs, look);
    const questions = form.questions.map(shown);
    const words = cutText(visible(form.message), maxMessage);
    const message = words === '' ? `${title} asks` : `${title} asks: ${words}`;
    const plan = form.plan === undefined ? {} : { plan: visibleLines(form.plan) };
    event({ type: 'form', n, message, questions, ...plan });
    look();
    try {
      const given = await answer.promise;
      if (given === 'withdrawn') return { withdrawn: true };
      const read = given === null ? [] : readAnswers(given, questions);
      return read.length === 0 ? { declined: 'The person did not answer' } : { answers: read };
    } finally {
      stopLooking();
      over.removeEventListener('abort', withdraw);
      open.delete(n);
    }
  };

  return async (form: Form, n: number, withdrawal: AbortSignal): Promise<FormEnd> => {
    if (signal.aborted || withdrawal.aborted) return { withdrawn: true };
    if (answers === undefined || (form.plan !== undefined && !showsPlans))
      return { declined: 'The user cannot be asked here. Continue with what you know' };
    if (!isFitting({ ...form, questions: form.questions.map(shown) }))
      return { declined: `A form has up to ${maxFormQuestions} short questions with 2 to 8 options each` };
    if (form.plan !== undefined && visibleLines(form.plan).length > maxPlan)
      return { declined: `A plan has up to ${maxPlan} characters` };
    asked += 1;
    if (asked > maxForms) return { declined: `${maxForms} forms in a turn are enough` };
    return ask(form, n, withdrawal);
  };
};

import { cutText } from '@drawbridge/kit';
import type { Answered, Form } from '../driver.ts';
import type { FormRequest } from './frames.ts';

const maxOption = 200;

/** What it wants to know, as a form; undefined for a secret, which no chat asks for. */
export const toForm = ({ params: { questions } }: FormRequest): Form | undefined => {
  if (questions.some(({ isSecret }) => isSecret === true)) return undefined;
  return {
    message: '',
    questions: questions.map(({ question, options }, at) => ({
      ...{ id: `q${at + 1}`, question, type: options == null ? 'text' : 'single' },
      ...(options && {
        options: options.map(({ label, description = '' }) =>
          description === '' ? label : cutText(`${label}: ${description}`, maxOption),
        ),
      }),
    })),
  };
};

/** The answers under its own names; a question that was skipped has none. */
export const toAnswers = (
  { params: { questions } }: FormRequest,
  answered: readonly Answered[],
): Record<string, { answers: string[] }> =>
  Object.fromEntries(
    questions.flatMap(({ id, options }, at) => {
      const { chosen = [], text = '' } = answered.find((one) => one.id === `q${at + 1}`) ?? {};
      const words = [...chosen.flatMap((one) => options?.[one]?.label ?? []), ...(text === '' ? [] : [text])];
      return words.length === 0 ? [] : [[id, { answers: words }] as const];
    }),
  );

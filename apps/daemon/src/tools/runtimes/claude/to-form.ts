import { cutText } from '@drawbridge/kit';
import { z } from 'zod';
import type { Answered, Form } from '../driver.ts';

export const questionTool = 'AskUserQuestion';

const asking = z.object({
  questions: z.array(
    z.object({
      question: z.string(),
      multiSelect: z.boolean().optional(),
      options: z.array(z.object({ label: z.string(), description: z.string().optional() })),
    }),
  ),
});

const maxOption = 200;

/** Its questions as a form; undefined for anything else. `answered`: the input of its yes. */
export const toForm = (
  input: Record<string, unknown>,
): { form: Form; answered(answers: readonly Answered[]): object } | undefined => {
  const { data } = asking.safeParse(input);
  if (data === undefined) return undefined;
  const { questions } = data;
  return {
    form: {
      message: '',
      questions: questions.map(({ question, multiSelect, options }, at) => ({
        ...{ id: `q${at + 1}`, question, type: multiSelect === true ? 'multi' : 'single' },
        options: options.map(({ label, description = '' }) =>
          description === '' ? label : cutText(`${label}: ${description}`, maxOption),
        ),
      })),
    },
    answered: (answers) => {
      const said = questions.flatMap(({ question, options }, at) => {
        const { chosen = [], text = '' } = answers.find(({ id }) => id === `q${at + 1}`) ?? {};
        const words = [...chosen.flatMap((one) => options[one]?.label ?? []), ...(text === '' ? [] : [text])];
        return words.length === 0 ? [] : [[question, words.join(', ')] as const];
      });
      return { ...input, answers: Object.fromEntries(said) };
    },
  };
};

import { cutText } from '@drawbridge/kit';
import { z } from 'zod';
import type { Answered, Form } from '../driver.ts';

const questionTool = 'AskUserQuestion';
const planTool = 'ExitPlanMode';

/** Its own tools that ask its person, with their titles. */
export const formTitles: ReadonlyMap<string, string> = new Map([
  [questionTool, 'Question'],
  [planTool, 'Plan'],
]);

/** A request as a form. `answered`: the input of its yes, or the reason of its no. */
export interface ToolForm {
  form: Form;
  answered(answers: readonly Answered[]): { input: object } | { no: string };
}

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

const toQuestions = (input: Record<string, unknown>): ToolForm | undefined => {
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
      return { input: { ...input, answers: Object.fromEntries(said) } };
    },
  };
};

const planInput = z.object({ plan: z.string().min(1), planFilePath: z.string().optional() });
const planOptions = ['Go on with this plan', 'Do not go on yet'];

/** Its yes has the plan alone: a plan that names commands to allow allows none. */
const toPlan = (given: Record<string, unknown>): ToolForm | undefined => {
  const { data: input } = planInput.safeParse(given);
  if (input === undefined) return undefined;
  const { plan } = input;
  return {
    form: {
      message: 'is this plan right?',
      questions: [{ id: 'q1', question: 'Is this plan right?', type: 'single', options: planOptions }],
      plan,
    },
    answered: ([answer]) => {
      const { chosen = [], text = '' } = answer ?? {};
      if (text !== '') return { no: `The person sent the plan back: ${text}` };
      return chosen[0] === 0 ? { input } : { no: 'The person does not want to go on with this plan yet' };
    },
  };
};

/** What a tool of `formTitles` asks; undefined where that cannot be shown. */
export const toForm = (name: string, input: Record<string, unknown>): ToolForm | undefined =>
  name === planTool ? toPlan(input) : toQuestions(input);

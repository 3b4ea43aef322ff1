import { question } from '@drawbridge/contracts/agent/asks';
import { z } from 'zod';
import { coreTool, textResult } from '../common/tool.ts';

const input = z.strictObject({
  introMessage: z.string().max(500).optional(),
  questions: z
    .array(question)
    .min(1)
    .max(4)
    .refine((all) => new Set(all.map(({ id }) => id)).size === all.length, 'each question needs its own id')
    .refine(
      (all) => all.every(({ type, options }) => type === 'text' || options !== undefined),
      'a question of type single or multi needs options',
    ),
});

/** Asks the person; the run continues with their answers, or without the ones that they skip. */
export const askUser = coreTool({
  name: 'ask-user',
  description:
    'Ask the person one to four short questions when you cannot continue well without their answer. Not for permission: tools ask for that.',
  input,
  effect: 'own',
  run: async ({ args, answer }) => {
    if (answer?.kind === 'questions') {
      const answers = answer.answers.map(({ questionId, selectedOptions, customText, skipped }) => {
        const asked = args.questions.find(({ id }) => id === questionId)?.question ?? questionId;
        const said = [...selectedOptions, ...(customText === undefined ? [] : [customText])].join('; ');
        return `${asked}\n→ ${skipped === true || said === '' ? '(skipped)' : said}`;
      });
      return textResult(answers.length === 0 ? 'The person skipped the questions.' : answers.join('\n\n'));
    }
    if (answer?.kind === 'approval' && answer.approved && answer.userInput !== undefined)
      return textResult(`${args.questions[0]?.question ?? ''}\n→ ${answer.userInput}`);
    if (answer !== null) return textResult('The person skipped the questions. Continue with what you know.');
    const { questions, introMessage } = args;
    const [first] = questions;
    const message = introMessage ?? first?.question ?? 'A question';
    // One question that needs words has a field of its own.
    if (questions.length === 1 && first?.type === 'text' && introMessage === undefined)
      return { type: 'ask', ask: { inputType: 'text', severity: 'info', message } };
    return {
      type: 'ask',
      ask: {
        inputType: 'questions',
        severity: 'info',
        message,
        questions,
        ...(introMessage !== undefined && { introMessage }),
      },
    };
  },
});

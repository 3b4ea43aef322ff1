import type { AskAnswer, AskPayload } from '@drawbridge/contracts/agent/asks';
import { expect, it } from 'vitest';
import { answerWords } from './answer-words.ts';

const chosen = (...selectedOptions: string[]) => ({ questionId: 'q', selectedOptions });

it.each<[AskAnswer, AskPayload['inputType'], string, boolean]>([
  [
    { kind: 'questions', answers: [chosen('Vue'), { ...chosen('RSS'), customText: 'and Atom' }] },
    'questions',
    'Answered: Vue; RSS; and Atom',
    true,
  ],
  [{ kind: 'questions', answers: [{ ...chosen(), skipped: true }] }, 'questions', 'Skipped', false],
  [{ kind: 'approval', approved: true, userInput: '42' }, 'text', 'Answered: 42', true],
  [{ kind: 'approval', approved: true }, 'continue', 'Goes on', true],
  [{ kind: 'approval', approved: false }, 'continue', 'Stopped', false],
  [{ kind: 'approval', approved: true }, 'plan-review', 'Allowed', true],
  [{ kind: 'approval', approved: false }, 'approval', 'Denied', false],
  [{ kind: 'resourceDecision', resourceDecision: 'alwaysDeny' }, 'resource-decision', 'Never allowed', false],
  [{ kind: 'domainAccessApprove', domainAccessAction: 'allow_once' }, 'domain-access', 'Allowed', true],
  [{ kind: 'domainAccessDeny' }, 'domain-access', 'Denied', false],
  [{ kind: 'planDeny', feedback: 'Shorter' }, 'plan-review', 'Sent back', false],
])('%j to a question of the kind %s is said as %s', (answer, inputType, text, approved) => {
  expect(answerWords(answer, { inputType })).toEqual({ text, approved });
});

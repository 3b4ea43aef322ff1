import type { AskAnswer } from '@drawbridge/contracts/agent/asks';
import { expect, it } from 'vitest';
import { answerWord } from './answer-word.ts';

const answered = (...answers: Extract<AskAnswer, { kind: 'questions' }>['answers']): AskAnswer => ({
  kind: 'questions',
  answers,
});
const both = { questionId: 'a', selectedOptions: ['red', 'blue'], customText: 'green' };

it.each<[string, AskAnswer]>([
  ['allowOnce', { kind: 'resourceDecision', resourceDecision: 'allowOnce' }],
  ['approved', { kind: 'approval', approved: true }],
  ['denied', { kind: 'approval', approved: false, userInput: 'not that' }],
  ['allow_domain', { kind: 'domainAccessApprove', domainAccessAction: 'allow_domain' }],
  ['denied', { kind: 'domainAccessDeny' }],
  ['denied', { kind: 'planDeny', feedback: 'longer' }],
  ['skipped', answered()],
  ['red, blue, green, skipped', answered(both, { questionId: 'b', selectedOptions: ['x'], skipped: true })],
  ['x'.repeat(200), answered({ questionId: 'a', selectedOptions: [], customText: 'x'.repeat(4_000) })],
])('says %s', (word, answer) => {
  expect(answerWord(answer)).toBe(word);
});

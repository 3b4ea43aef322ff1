import type { ConfirmationAnswer } from '@drawbridge/contracts/confirmation';
import { decisions, type Decision } from '@drawbridge/contracts/groups';
import { describe, expect, it } from 'vitest';
import { knownOptions } from '../calls/ask.ts';
import { decisionOf } from './decision.ts';

const allow = (resourceDecision?: Decision): ConfirmationAnswer => ({
  approved: true,
  ...(resourceDecision && { resourceDecision }),
});
const deny = (resourceDecision?: Decision): ConfirmationAnswer => ({
  approved: false,
  ...(resourceDecision && { resourceDecision }),
});

describe('the decision of an answer', () => {
  it.each<[string, ConfirmationAnswer, readonly Decision[], Decision | null]>([
    ['approved alone is once', allow(), decisions, 'allowOnce'],
    ['approved for the session', allow('allowForSession'), decisions, 'allowForSession'],
    ['denied alone is no decision', deny(), [], null],
    ['denied for good', deny('alwaysDeny'), decisions, 'alwaysDeny'],
  ])('%s', (_name, answer, offered, decision) => {
    expect(decisionOf(answer, offered)).toBe(decision);
  });

  it.each<[string, ConfirmationAnswer, readonly Decision[], string]>([
    ['approved with a denial', allow('denyOnce'), decisions, 'BAD_REQUEST'],
    ['denied with an approval', deny('alwaysAllow'), decisions, 'BAD_REQUEST'],
    ['approved alone, once not offered', allow(), ['alwaysAllow'], 'DECISION_NOT_OFFERED'],
    ['approved for good, not offered', allow('alwaysAllow'), ['allowOnce'], 'DECISION_NOT_OFFERED'],
    ['denied for good, not offered', deny('alwaysDeny'), ['denyOnce'], 'DECISION_NOT_OFFERED'],
  ])('%s', (_name, answer, offered, code) => {
    expect(() => decisionOf(answer, offered)).toThrow(expect.objectContaining({ code }));
  });

  it('leaves out unknown options', () => {
    const payload = {
      toolGroup: 'shell',
      resource: 'ls',
      description: 'ls',
      options: ['alwaysDeny', 'ALLOW', 'allowOnce', 'toString', ''],
    };
    expect(knownOptions(payload)).toEqual(['allowOnce', 'alwaysDeny']);
  });
});

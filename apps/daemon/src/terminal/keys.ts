import type { ConfirmationPayload, Reach } from '@drawbridge/contracts/confirmation-payload';
import type { Decision } from '@drawbridge/contracts/groups';
import { drawText } from './draw-text.ts';
import type { TerminalAnswer } from '../permission/index.ts';

export interface AnswerKey {
  key: string;
  words: string;
  answer: TerminalAnswer;
}

const order = [
  ['y', 'once', 'allowOnce'],
  ['s', 'this session', 'allowForSession'],
  ['a', 'always', 'alwaysAllow'],
  ['n', 'no', 'denyOnce'],
  ['d', 'always no', 'alwaysDeny'],
] as const satisfies readonly (readonly [string, string, Decision])[];

/** The scopes that a person can pick from, the narrowest first as the gate lists them. */
export const scopesOf = ({ reaches = [] }: ConfirmationPayload): string[] => [
  ...new Set(reaches.map(({ scope }) => scope)),
];

const goesWith = (reach: Reach, decision: Decision) => reach.decisions.includes(decision);

export const keysOf = (question: ConfirmationPayload, scope: string | undefined): AnswerKey[] => {
  const reaches = (question.reaches ?? []).filter((reach) => reach.scope === scope);
  const isOffered = (decision: Decision) => question.options.includes(decision);
  const keys = order.flatMap(([key, words, decision]): AnswerKey[] => {
    if (!isOffered(decision)) return [];
    const reach = reaches.find((one) => one.durationMs === undefined && goesWith(one, decision));
    return [{ key, words, answer: reach === undefined ? { decision } : { decision, reach: reach.id } }];
  });
  const timed = reaches.find(
    ({ durationMs, decisions }) => durationMs !== undefined && decisions.includes('allowForSession'),
  );
  if (timed?.durationMs === undefined || !isOffered('allowForSession')) return keys;
  const words = `${Math.round(timed.durationMs / 60_000)} minutes`;
  const answer: TerminalAnswer = { decision: 'allowForSession', reach: timed.id };
  const at = keys.findIndex(({ key }) => key !== 'y');
  return keys.toSpliced(at, 0, { key: 'f', words, answer });
};

export const drawKeys = (question: ConfirmationPayload, scope: string | undefined): string => {
  const scopes = scopesOf(question);
  const label = question.reaches?.find((reach) => reach.scope === scope)?.label;
  const other = scopes.length > 1 ? ['  r change what a lasting answer covers'] : [];
  const keys = keysOf(question, scope).map(({ key, words }) => `${key} ${words}`);
  return [
    ...(label === undefined ? [] : [`  a lasting answer covers: ${drawText(label)}`]),
    `  ${keys.join('   ')}`,
    ...other,
    '',
  ].join('\n');
};

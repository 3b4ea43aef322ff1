import { expect, it } from 'vitest';
import type { Entry } from '../history.ts';
import { evidence } from './a-good-run.ts';
import { at } from './at.ts';
import { createFacts, invariants, violations } from './index.ts';

type Request = Extract<Entry, { type: 'rpc-request' }>;

const whole = ['queued', 'start', 'run', 'complete', 'done', 'result'];

/** A message that was sent on that socket. */
const request = (socket: number, changes: Partial<Request> = {}): Entry =>
  at(600 + socket, {
    type: 'rpc-request',
    user: 0,
    by: 'token',
    id: `a on ${socket}`,
    key: 'a',
    method: 'agent.send',
    words: whole,
    outcome: 'Done.',
    ...changes,
  });
const cut = { words: ['queued', 'start'], outcome: null };
const execute = { method: 'tools.execute', words: ['run', 'run', 'result'] } as const;

const found = (...requests: Entry[]) =>
  violations(createFacts(evidence({}, requests))).map(
    ({ invariant, sentence }) => `${invariant}: ${sentence}`,
  );

const bad: [string, Entry[], string[]][] = [
  ['two ends', [request(1, { words: [...whole, 'failure'] })], ['D1: a on 1 of user 0 has 2 ends']],
  [
    'something behind the end',
    [request(1, { words: [...whole, 'run'] })],
    [`D1: a on 1 of user 0: ${whole.join(' ')} run`],
  ],
  [
    'a run in a request that joined another one',
    [request(1, { words: ['merged', 'done', 'result'] })],
    ['D1: a on 1 of user 0: merged done result'],
  ],
  [
    'something behind the result of a tool',
    [request(1, { ...execute, words: ['result', 'run'] })],
    ['D1: a on 1 of user 0: result run'],
  ],
  [
    'a run without an end on a server that was not stopped',
    [request(1, { words: ['start', 'run', 'failure'], outcome: 'error 4' })],
    ['D1: a on 1 of user 0: start run failure'],
  ],
  ['no answer', [request(1, cut), request(2, cut)], ['D2: a of the token of user 0 has no answer']],
  [
    'two answers',
    [request(1), request(2, { outcome: 'error 4' })],
    ['D2: a of the token of user 0 has 2 answers: Done., error 4'],
  ],
];

it.each(bad)('finds %s', (_name, requests, expected) => expect(found(...requests)).toEqual(expected));

it('each invariant of the door has a run that breaks it', () => {
  const broken = new Set(bad.flatMap(([, , sentences]) => sentences.map((one) => one.split(':')[0])));
  expect([...broken]).toEqual(invariants.map(({ name }) => name).filter((name) => /^D\d/.test(name)));
});

it.each<[string, Entry[]]>([
  ['a request that was cut and answered later', [request(1, cut), request(2)]],
  ['an answer of the door, then the real one', [request(1, { outcome: 'error 16' }), request(2)]],
  [
    'a run that a stopped server does not follow to its end',
    [request(1, { words: ['start', 'run', 'failure'], outcome: 'error 16' }), request(2)],
  ],
  ['a call without a key that was cut', [request(1, { ...execute, ...cut, by: 'person' })]],
  ['a request that joined a run', [request(1, { words: ['queued', 'steered', 'result'] })]],
  ['a steered message that waits again', [request(1, { words: ['steered', ...whole.slice(1)] })]],
])('lets be %s', (_name, requests) => expect(found(...requests)).toEqual([]));

import { expect, it } from 'vitest';
import type { Evidence } from '../evidence.ts';
import type { Entry } from '../history.ts';
import { call, evidence, other } from './a-good-run.ts';
import { at, start } from './at.ts';
import { createFacts, violations } from './index.ts';

/** The id of a call that was opened then. */
const id = `${(start + 1_050).toString(36).padStart(9, '0')}r9`;
/** A call whose frame was sent so long before the store crashed, and whose row is gone. */
const crashedAfter = (ms: number, tool: 'read' | 'shell'): Entry[] => [
  at(1_000, { type: 'asked', op: other, user: 0, tool }),
  at(1_100, { type: 'frame', user: 0, stream: 1, id: 2, event: 'filesystem-request', requestId: id }),
  at(1_100 + ms, { type: 'fault', what: 'postgres crash', user: null, forMs: 0 }),
  at(9_000, { type: 'answered', op: other, requestId: id, state: 'lost', result: null }),
];
/** The same where its machine was away, and no frame was sent. */
const neverSent = (ms: number, tool: 'read' | 'shell'): Entry[] =>
  crashedAfter(ms, tool).filter(({ type }) => type !== 'frame');
const gone = [
  `I5: ${id} was shown, and is not written down`,
  `I7: ${other} was answered with another call, ${id}`,
];

/** A call that was answered so long before the fault, and that has ended another way since then. */
const answeredBefore = (what: 'postgres crash' | 'server kill', ms: number, tool: string): Evidence =>
  evidence(
    { calls: [call(), call({ requestId: 'r2', tool, state: 'cancelled', op: other, result: null })] },
    [
      at(1_000, { type: 'answered', op: other, requestId: 'r2', state: 'succeeded', result: null }),
      at(1_000 + ms, { type: 'fault', what, user: null, forMs: 0 }),
    ],
  );
const changed = ['I6: r2 was succeeded, then cancelled'];

it.each<[string, Evidence, string[]]>([
  ['the row of a read may go with the store', evidence({}, crashedAfter(100, 'read')), []],
  ['the row of a change may not', evidence({}, crashedAfter(100, 'shell')), gone],
  ['the row of a read that was sent long before may not', evidence({}, crashedAfter(2_000, 'read')), gone],
  ['the row of a read that was not sent may go, too', evidence({}, neverSent(100, 'read')), []],
  [
    'also where it was opened long after it was asked for',
    evidence({}, [
      at(-9_000, { type: 'asked', op: other, user: 0, tool: 'read' }),
      ...neverSent(100, 'read').slice(1),
    ]),
    [],
  ],
  ['that of a change may not', evidence({}, neverSent(100, 'shell')), gone],
  ['that of a read long before may not', evidence({}, neverSent(2_000, 'read')), gone],
  ['the end of a read may go with the store', answeredBefore('postgres crash', 100, 'read_file'), []],
  ['the end of a change may not', answeredBefore('postgres crash', 100, 'edit_file'), changed],
  ['the end of a read long before may not', answeredBefore('postgres crash', 2_000, 'read_file'), changed],
  [
    'the end of a read may go with a server that is alone',
    answeredBefore('server kill', 50, 'read_file'),
    [],
  ],
  ['the end of a change may not', answeredBefore('server kill', 50, 'edit_file'), changed],
  ['the end of a read before may not', answeredBefore('server kill', 300, 'read_file'), changed],
])('%s', (_name, given, expected) => {
  const found = violations(createFacts(given)).map(({ invariant, sentence }) => `${invariant}: ${sentence}`);
  expect(found).toEqual(expected);
});

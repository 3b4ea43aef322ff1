import { describe, expect, it } from 'vitest';
import type { Evidence } from '../evidence.ts';
import type { Entry, Happening } from '../history.ts';
import { call, evidence, mark, op, other, question } from './a-good-run.ts';
import { at, start } from './at.ts';
import { createFacts, invariants, violations } from './index.ts';

const found = (given: Evidence) =>
  violations(createFacts(given)).map(({ invariant, sentence }) => `${invariant}: ${sentence}`);

const without = (type: Happening['type']): Evidence => {
  const all = evidence();
  return { ...all, history: all.history.filter((entry) => entry.type !== type) };
};

it('finds nothing in a good run', () => expect(found(evidence())).toEqual([]));

it('says of every invariant how it is checked', () => {
  expect(invariants.map(({ name }) => name)).toEqual([
    ...['I1', 'I2', 'I3', 'I4', 'I5', 'I6', 'I7', 'P1', 'I8', 'I9', 'I10 and I11', 'I12'],
    ...['A1', 'A2', 'A3', 'A4', 'A5', 'A6', 'A7', 'A8', 'A9', 'A10', 'D1', 'D2', 'alive'],
  ]);
  expect(invariants.filter(({ how }) => how.length < 20)).toEqual([]);
});

interface Frame {
  stream: number;
  id: number | null;
  event?: string;
  requestId?: string | null;
}
const frame = (ms: number, rest: Frame): Entry =>
  at(ms, { type: 'frame', user: 0, event: 'filesystem-request', requestId: 'r1', ...rest });

const opened = (stream: number, ms = 1_000, key = 'k') =>
  at(ms, { type: 'stream', link: 'stream', user: 0, stream, key });
const first = { id: 1, requestId: null };
const probe = (stream: number, ms: number) => frame(ms, { ...first, stream, event: 'probe' });
const onFirst = frame(2_500, { stream: 1, id: 2 });

const cancelled: Entry[] = [
  frame(1_000, { stream: 1, id: 2, event: 'tool-call-cancel' }),
  at(1_100, { type: 'passed', user: 0, stream: 1, id: 2 }),
];
const killed = at(1_000, { type: 'disturbed', user: 0, forMs: 500 });

const bad: [string, Evidence, string[]][] = [
  ['a command ran twice', evidence({ marks: [mark(600), mark(900)] }), [`I1: ${op} ran 2 times`]],
  [
    'it ran on the machine and on its twin',
    evidence({ marks: [mark(600), { ...mark(900), root: '/twin' }] }),
    [`I1: ${op} ran 2 times`],
  ],
  [
    'an edit was made twice',
    evidence({ marks: [], edits: [{ op, times: 2, whole: true, root: '/ann' }] }),
    [`I1: ${op} ran 2 times`],
  ],
  [
    'one op became two calls',
    evidence({ calls: [call(), call({ requestId: 'r2' })] }),
    [`I1: ${op} became more than one call`],
  ],
  ['it succeeded without a run', evidence({ marks: [] }), [`I1: ${op} succeeded, and did not run`]],
  [
    'no call is written down',
    evidence({ marks: [mark(600), mark(700, other)] }),
    [`I2: ${other} ran, and no call of it is written down`],
  ],
  [
    'it ran before its call was made',
    evidence({ marks: [mark(50)] }),
    [`I2: ${op} ran before its call was made`],
  ],
  [
    'ran without a permission',
    evidence({ confirmations: [] }, []),
    [`I2: ${op} ran without a permission`, 'I4: c1 was acknowledged as allowOnce, and is not kept so'],
  ],
  ['it ran before it was allowed', evidence({ marks: [mark(450)] }), [`I2: ${op} ran before it was allowed`]],
  [
    'it ran after a denial',
    evidence({
      calls: [call({ state: 'denied', started: 0 })],
      // In any order, as Postgres gives them.
      confirmations: [question({ id: 'c2', approved: 0, decision: 'denyOnce', createdAt: 2e12 }), question()],
    }),
    [`I3: ${op} ran, but it was denied`, 'I6: r1 was succeeded, then denied'],
  ],
  [
    'it ran after its question was withdrawn',
    evidence({
      confirmations: [question(), question({ id: 'c2', state: 'withdrawn', approved: null, decision: null })],
    }),
    [`I3: ${op} ran, but its question was withdrawn`],
  ],
  [
    'it ran, and is recorded as cancelled before it started',
    { ...without('seen'), calls: [call({ state: 'cancelled', started: 0 })] },
    [`I3: ${op} ran, but it ended as cancelled, not started`],
  ],
  [
    'a command continues after its daemon received the cancel',
    evidence({ marks: [mark(600), { ...mark(8_000), what: 'ends' }] }, cancelled),
    [`I3: ${op} went on after it was cancelled`],
  ],
  [
    'an acknowledged decision is not kept',
    evidence({ confirmations: [question({ decision: 'allowForSession' })] }),
    ['I4: c1 was acknowledged as allowOnce, and is not kept so'],
  ],
  [
    'two clicks won',
    evidence({}, [at(520, { type: 'decided', confirmationId: 'c1', approved: true, decision: 'allowOnce' })]),
    ['I4: c1 was acknowledged twice'],
  ],
  [
    'a call that was shown is lost',
    evidence({}, [at(600, { type: 'seen', user: 0, requestId: 'r9', state: 'pending' })]),
    ['I5: r9 was shown, and is not written down'],
  ],
  [
    'a call never ends',
    evidence({
      calls: [call(), call({ requestId: 'r2', op: null, state: 'delivered', result: null, endedAt: null })],
    }),
    ['I5: r2 (null) has not ended: delivered'],
  ],
  [
    'a call ends too late',
    evidence({ calls: [call(), call({ requestId: 'r2', op: null, result: '', endedAt: start + 200_000 })] }),
    ['I5: r2 (null) ended too late, as succeeded'],
  ],
  [
    'a call is lost for nothing',
    { ...without('seen'), calls: [call({ state: 'lost' })] },
    [`I5: r1 (${op}) was lost, and its daemon was well`],
  ],
  [
    'a terminal state is left again',
    evidence({}, [at(1_000, { type: 'seen', user: 0, requestId: 'r1', state: 'timed-out' })]),
    ['I6: r1 was succeeded, then timed-out'],
  ],
  [
    'a restart brings another state',
    evidence({ calls: [call({ state: 'failed', started: null })] }),
    ['I6: r1 was succeeded, then failed'],
  ],
  [
    'a caller got the result of another call',
    evidence({}, [at(900, { type: 'answered', op, requestId: 'r1', state: 'succeeded', result: other })]),
    [`I7: ${op} was answered with the result of ${other}`],
  ],
  [
    'a caller got another call',
    evidence({}, [
      at(900, { type: 'answered', op: other, requestId: 'r1', state: 'succeeded', result: null }),
    ]),
    [`I7: ${other} was answered with another call, r1`],
  ],
  [
    'a call holds the result of another',
    evidence({ calls: [call({ result: other })] }),
    [`I7: r1 (${op}) holds the result of ${other}`],
  ],
  [
    'a call succeeded without a result',
    evidence({ calls: [call({ result: null })] }),
    ['I7: r1 succeeded without a result'],
  ],
  [
    'a list shows the call of another user',
    evidence({}, [
      at(0, { type: 'user', user: 1, userId: 'ben', asks: [] }),
      at(700, { type: 'seen', user: 1, requestId: 'r1', state: 'succeeded' }),
    ]),
    ['I7: r1 was shown to user 1'],
  ],
  [
    'frame ids stand still',
    evidence({}, [frame(120, { stream: 1, id: 1 })]),
    ['I8: stream 1 of user 0 has frame 1 after 1'],
  ],
  [
    'a frame has no id',
    evidence({}, [frame(120, { stream: 1, id: null })]),
    ['I8: stream 1 of user 0 has a frame without an id'],
  ],
  [
    'two inits have one epoch',
    evidence({}, [
      at(1, { type: 'epoch', user: 0, epoch: 4, key: 'k' }),
      at(2, { type: 'epoch', user: 0, epoch: 4, key: 'k' }),
    ]),
    ['I9: epoch 4 of a machine of user 0 was given twice'],
  ],
  [
    'an old stream still gets calls',
    evidence({}, [opened(2), onFirst]),
    ['I9: r1 was put on stream 1 of user 0, after 2'],
  ],
  [
    'a token lets two in',
    evidence({}, [
      at(100, { type: 'token-tried', token: 1, taken: true }),
      at(100, { type: 'token-tried', token: 1, taken: false }),
      at(100, { type: 'token-tried', token: 1, taken: true }),
    ]),
    ['I10 and I11: token 1 was taken 2 times'],
  ],
  [
    'an ended key still opens a route',
    evidence({}, [
      at(100, { type: 'key-ended', key: 1 }),
      at(900, { type: 'key-tried', key: 1, path: '/init', status: 200 }),
      at(1_200, { type: 'key-tried', key: 1, path: '/init', status: 403 }),
      at(1_200, { type: 'key-tried', key: 1, path: '/events', status: 200 }),
    ]),
    ['I10 and I11: key 1 was ended, and opened /events'],
  ],
  [
    'memory grows',
    evidence({}, [at(1, { type: 'memory', who: 'daemon 0', kib: 600_000, handles: 30 })]),
    ['I12: daemon 0 held 600000 KiB and 30 handles'],
  ],
  [
    'a message is queued for ever',
    evidence({}, [at(1, { type: 'not-quiet', user: 0, what: 'thread a: idle, 1 queued' })]),
    ['alive: user 0 still waits at the end: thread a: idle, 1 queued'],
  ],
  ['a machine stays away', without('last-call'), ['alive: the last call of user 0: not made']],
  [
    'a daemon gives up',
    evidence({}, [at(1, { type: 'daemon-ended', user: 0, expected: false, output: 'bye' })]),
    ['alive: the daemon of user 0 ended unexpectedly:\nbye'],
  ],
  [
    'a server ends that nothing has ended',
    evidence({}, [at(1, { type: 'server-ended', server: 'server 1', how: 'code 1' })]),
    ['alive: server 1 ended: code 1'],
  ],
  [
    'a file is half written',
    evidence({ edits: [{ op, times: 0, whole: false, root: '/ann' }] }),
    [`alive: ${op}: its file in /ann is neither the old nor a new one`],
  ],
];

describe('finds what must not be', () => {
  it.each(bad)('%s', (_name, given, expected) => expect(found(given)).toEqual(expected));

  it('each invariant has a run that breaks it', () => {
    const broken = new Set(bad.flatMap(([, , sentences]) => sentences.map((one) => one.split(':')[0])));
    const names = invariants.map(({ name }) => name).filter((name) => !/^[ADP]\d/.test(name));
    expect(broken).toEqual(new Set(names));
  });
});

describe('lets be what may be', () => {
  const lost = without('seen');
  const may: [string, Evidence][] = [
    ['a call of a tool that does not ask', { ...without('decided'), confirmations: [] }],
    [
      'a lost call that ran, of a daemon that was killed',
      { ...lost, history: [...lost.history, killed], calls: [call({ state: 'lost' })] },
    ],
    [
      'the epochs and the streams of two machines of one user',
      evidence({}, [
        at(1, { type: 'epoch', user: 0, epoch: 4, key: 'k' }),
        at(2, { type: 'epoch', user: 0, epoch: 4, key: 'other' }),
        opened(2, 1_000, 'other'),
        onFirst,
      ]),
    ],
    [
      'a stream that continues when a newer one was disconnected at once',
      evidence({}, [opened(2), frame(1_000, { ...first, stream: 2, event: 'gateway-disconnect' }), onFirst]),
    ],
    [
      'a stream that continues when another one ended without a frame',
      evidence({}, [opened(2), at(1_010, { type: 'stream-ended', user: 0, stream: 2 }), onFirst]),
    ],
    [
      'a stream that was opened first and known to the servers last',
      evidence({}, [
        ...[opened(3), opened(4, 1_010), probe(4, 1_010), probe(3, 1_020)],
        frame(2_500, { stream: 3, id: 2 }),
      ]),
    ],
    [
      'a command that continues when its daemon was killed',
      evidence({ marks: [mark(600), { ...mark(8_000), what: 'ends' }] }, [...cancelled, killed]),
    ],
    [
      'a denied call that did not run',
      {
        ...without('seen'),
        history: without('seen').history.filter((entry) => entry.type !== 'decided'),
        calls: [call({ state: 'denied', started: 0 })],
        confirmations: [question({ approved: 0, decision: null })],
        marks: [],
      },
    ],
  ];
  it.each(may)('%s', (_name, given) => {
    const withoutQuestions = given.history.map((entry) =>
      entry.type === 'user' ? { ...entry, asks: [] } : entry,
    );
    expect(found({ ...given, history: withoutQuestions })).toEqual([]);
  });
});

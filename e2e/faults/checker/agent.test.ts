import { expect, it } from 'vitest';
import type { AgentRows } from '../agent/rows.ts';
import type { Entry } from '../history.ts';
import {
  agentRows,
  answer,
  answered,
  ask,
  began,
  chatEvents,
  chatOp,
  ended,
  eventRows,
  message,
  run,
  rung,
  seen,
  toolCall,
  withEvents,
} from './a-good-chat.ts';
import { call, evidence, mark, op, other, step } from './a-good-run.ts';
import { at, start } from './at.ts';
import { createFacts, invariants, violations } from './index.ts';

const found = (rows: Partial<AgentRows>, more: Entry[] = [], changes = {}) =>
  violations(createFacts(evidence({ agent: agentRows(rows), ...changes }, more))).map(
    ({ invariant, sentence }) => `${invariant}: ${sentence}`,
  );

const [, called] = chatEvents;
const byMachine = { effect: 'machine', requestId: 'r1', askId: null, arguments: `{"command":"${op}"}` };
/** A run of a coding agent in a thread of its own, with what it says around its command. */
const coding = (...texts: string[]): Parameters<typeof found> => {
  const blocks = texts.map((text) => ({ ...began, type: 'text-block', payload: { step: 1, text } }) as const);
  const rows = eventRows(began, ...blocks, ended).map((row) => ({
    ...{ ...row, threadId: 'c' },
    event: { ...row.event, runId: 'run_2' },
  }));
  const turn = toolCall({ ...byMachine, id: 'tc_2', runId: 'run_2', tool: 'runtime_turn' });
  const head = { user: 0, thread: 'c', op: 'op-700001' };
  return [
    {
      agentRuns: [run(), run({ id: 'run_2', threadId: 'c' })],
      agentEvents: [...eventRows(...chatEvents), ...rows],
      agentThreads: [
        { userId: 'ann', id: 't', lastSeq: chatEvents.length },
        { userId: 'ann', id: 'c', lastSeq: rows.length },
      ],
      agentToolCalls: [toolCall(), turn],
    },
    [
      at(5_050, { type: 'said', ...head, work: 'coding', mode: 'queue' }),
      at(5_060, { type: 'said-reply', ...head, reply: 'run_2' }),
    ],
  ];
};
const second = { ...began, runId: 'run_2' };
const sender = 'runtime:acp:stand-in';
const elsewhere = (messageId: string) => step({ messageId, server: 'server 1' });
/** An action below that turn, which no tool call stands for. */
const actionOf = (turn: string, started: number) =>
  call({
    ...{ door: 'agent', requestId: `${turn} ${started}`, op: null, started },
    ...{ tool: 'runtime_action', state: 'failed', result: null },
    arguments: JSON.stringify({ turn, command: 'ls' }),
  });
const isOpen = { state: 'waiting', outcome: null, endedAt: null };
const plan = toolCall({ tool: 'plan', effect: 'own', arguments: `{"tasks":"${op}"}` });

const bad: [string, Parameters<typeof found>, string[]][] = [
  [
    'a run begins while another one is open',
    [{ ...withEvents(...chatEvents.slice(0, 3), second, ended), agentRuns: [run()] }],
    [
      'A1: run_2 began in t of ann while run_1 was open',
      'A3: t of ann: event 4 was run-finish, and is run-start',
    ],
  ],
  ['a run has two ends', [withEvents(...chatEvents, ended)], ['A2: run_1 is completed, and ended 2 times']],
  [
    'a run has no end',
    [withEvents(...chatEvents.slice(0, 3))],
    ['A2: run_1 is completed, and ended 0 times'],
  ],
  [
    'a number is left out',
    [
      {
        agentEvents: eventRows(...chatEvents).map((row) => ({
          ...row,
          seq: row.seq > 2 ? row.seq + 1 : row.seq,
        })),
      },
    ],
    [
      'A3: t of ann: the numbers of its events have a gap',
      'A3: t of ann: event 4 was run-finish, and is tool-result',
    ],
  ],
  ['a reader misses an event', [{}, [seen(6, 'error')]], ['A3: t of ann: event 6 came after 4']],
  [
    'a request has a call without its result',
    [{}, [at(6_700, { type: 'model-request', op: chatOp, wrong: ['tc_1 has not one result'] })]],
    [`A4: a request about ${chatOp}: tc_1 has not one result`],
  ],
  [
    'a call has two results',
    [withEvents(began, called!, answered, answered, ended)],
    ['A3: t of ann: event 4 was run-finish, and is tool-result', 'A4: tc_1 ended 2 times'],
  ],
  ['a call has no row', [{ agentToolCalls: [] }], ['A4: tc_1 is in a history without a result']],
  [
    'a question is left open',
    [{ agentAsks: [ask({ state: 'open', answer: null })] }],
    ['A5: ask_1 is open', 'A7: tc_1 (op-500001) ran unasked', 'A8: ask_1 was answered, and is open'],
  ],
  [
    'a call is left open on the machine',
    [
      { agentToolCalls: [toolCall(), toolCall({ ...byMachine, id: 'tc_2', ...isOpen })] },
      [],
      { calls: [call({ ...{ door: 'agent', state: 'delivered', result: null }, endedAt: null })] },
    ],
    [
      `I5: r1 (${op}) has not ended: delivered`,
      'I6: r1 was succeeded, then delivered',
      'A5: tc_2 is waiting',
      'A5: the call r1 of the agent is delivered',
    ],
  ],
  [
    'a kill leaves an open row without its owner',
    [{}, [at(2_000, { type: 'wrong-row', rule: 'an open run without its agent', row: 'run_1' })]],
    ['A5: after a kill: an open run without its agent, run_1'],
  ],
  [
    'an action of a turn has no tool call, and ran',
    [
      { agentToolCalls: [toolCall(), toolCall({ ...byMachine, id: 'tc_2' })] },
      [],
      {
        calls: [
          call({ door: 'agent' }),
          actionOf('r1', 0),
          { ...actionOf('r1', 2), state: 'timed-out' },
          actionOf('r1', 1),
          actionOf('r9', 0),
        ],
      },
    ],
    ['A6: the call r1 1 belongs to no tool call', 'A6: the call r9 0 belongs to no tool call'],
  ],
  ['a tool outside ran twice', [{}, [rung(6_300)]], [`A6: tc_1 (${chatOp}) took effect 2 times`]],
  [
    'a new id was made for another try',
    [
      { agentToolCalls: [toolCall(), toolCall({ ...byMachine, id: 'tc_2' })] },
      [],
      { calls: [call({ door: 'agent' }), call({ door: 'agent', requestId: 'r2' })] },
    ],
    [`I1: ${op} became more than one call`, 'A6: the call r2 belongs to no tool call'],
  ],
  [
    'a call is ok, and did nothing',
    [{ agentToolCalls: [toolCall(), toolCall({ ...byMachine, id: 'tc_2', arguments: other })] }],
    [`A6: tc_2 (${other}) is ok, and took no effect`],
  ],
  [
    'a skipped call ran',
    [{ agentToolCalls: [toolCall({ outcome: 'skipped' })] }],
    [`A7: tc_1 (${chatOp}) took effect, and ended as skipped`],
  ],
  [
    'a tool outside ran before its answer',
    [{ agentAsks: [ask({ closedAt: start + 6_300 })] }],
    [`A7: tc_1 (${chatOp}) ran unasked`],
  ],
  [
    'a task of a denied plan ran',
    [
      { agentToolCalls: [plan], agentAsks: [ask({ answer: { approved: false } })] },
      [],
      { marks: [mark(600)] },
    ],
    [`A7: ${op} ran, and the plan of tc_1 was not approved`],
  ],
  ['a question has two answers', [{}, [answer('ask_1')]], ['A8: ask_1 was answered 2 times']],
  [
    'a run goes on after Stop',
    [
      {},
      [at(6_000, { type: 'acted', user: 0, thread: 't', act: 'stop', askedAt: start + 5_900, status: 200 })],
    ],
    ['A8: run_1 went on after it was stopped'],
  ],
  [
    'a server writes a step in a thread of another one',
    [{}, [], { steps: [step({ server: 'server 1' })] }],
    ['A9: msg_2 in t was written by server 1, while server 0 drove it'],
  ],
  [
    'a server begins a turn in a thread of another one',
    [
      {
        agentMessages: [
          message('msg_3', {
            sender,
            parts: [{ type: 'tool-call', toolCallId: 'tc_1', tool: 'runtime_turn' }],
          }),
          message('msg_4', { sender }),
        ],
      },
      [],
      { steps: [elsewhere('msg_3'), elsewhere('msg_4')] },
    ],
    ['A9: msg_3 in t was written by server 1, while server 0 drove it'],
  ],
  [
    'a coding agent says something twice',
    coding('begins with op-700001.', 'begins with op-700001.', 'has done with op-700001.'),
    ['A10: "begins with op-700001." is in c 2 times'],
  ],
  [
    'what a coding agent says is missing',
    coding('begins with op-700001.'),
    ['A10: "has done with op-700001." is in c 0 times'],
  ],
  [
    'the last run fails',
    [{}, [at(9_200, { type: 'last-run', user: 0, status: 'open' })]],
    ['alive: the last run of user 0: open'],
  ],
];

it.each(bad)('%s', (_name, given, expected) => expect(found(...given)).toEqual(expected));

it('each invariant of the agent has a history that breaks it', () => {
  const broken = new Set(bad.flatMap(([, , sentences]) => sentences.map((one) => one.split(':')[0])));
  const names = invariants.map(({ name }) => name).filter((name) => name.startsWith('A'));
  expect(names.filter((name) => !broken.has(name))).toEqual([]);
});

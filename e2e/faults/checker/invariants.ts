import type { Facts } from './facts.ts';
import {
  acknowledged,
  answeredCalls,
  driven,
  effectsOnce,
  nothingLeft,
  numberedEvents,
  obeyed,
  oneEnd,
  oneRun,
  saidOnce,
} from './agent.ts';
import { framesInOrder, oneAnswer } from './rpc.ts';
import { connections, keys, memory, streams } from './machines.ts';
import {
  deadlines,
  decisions,
  executions,
  permissions,
  processOutput,
  refusals,
  results,
  states,
} from './calls.ts';
import { liveness } from './liveness.ts';

/** One rule over a whole run: each sentence that it gives is one breach. */
export interface Invariant {
  name: string;
  /** What is compared with what. */
  how: string;
  check(facts: Facts): string[];
}

/** What must hold after every run, whatever happened in it. */
export const invariants: Invariant[] = [
  {
    name: 'I1',
    how: 'marks and edits of each op, over all roots of a machine: at most one run, in at most one call, and one run of what succeeded',
    check: executions,
  },
  {
    name: 'I2',
    how: 'each op that ran has a call that was stored before, and an allowing decision that was stored before if its tool asks',
    check: permissions,
  },
  {
    name: 'I3',
    how: 'no op ran whose last decision denies, whose question was closed without an answer, or whose call ended as not started; no command continues after its daemon received the cancel',
    check: refusals,
  },
  {
    name: 'I4',
    how: 'the database has each acknowledged decision unchanged, one for each question',
    check: decisions,
  },
  {
    name: 'I5',
    how: 'every known call is in the database and has ended, in time; none is lost with a healthy daemon',
    check: deadlines,
  },
  { name: 'I6', how: 'no call is ever seen in another state after a terminal one', check: states },
  {
    name: 'I7',
    how: 'an answer and a stored result speak of their own op alone; a list shows calls of its user alone',
    check: results,
  },
  {
    name: 'P1',
    how: 'the output of a process, read on from each position over lost links and servers, is what it printed, without a gap',
    check: processOutput,
  },
  {
    name: 'I8',
    how: 'the ids of the frames of each stream to a daemon rise strictly',
    check: streams,
  },
  {
    name: 'I9',
    how: 'no epoch of a machine is given twice; no call is put on a stream once a newer one of the same machine has been open for a second',
    check: connections,
  },
  {
    name: 'I10 and I11',
    how: 'of all who tried a token at most one got in; a key that was ended opens no route a second later',
    check: keys,
  },
  {
    name: 'I12',
    how: 'resident memory and open handles of server and daemons stay below a bound',
    check: memory,
  },
  {
    name: 'A1',
    how: 'events of each thread in their order: no run begins while another one is open',
    check: oneRun,
  },
  {
    name: 'A2',
    how: 'each run that ended has one start and one end among the events of its thread',
    check: oneEnd,
  },
  {
    name: 'A3',
    how: 'the events of a thread are numbered without a gap, and stay as each reader has seen them',
    check: numberedEvents,
  },
  {
    name: 'A4',
    how: 'each tool call has one result: in every request that reached the model, among the events, in its row',
    check: answeredCalls,
  },
  {
    name: 'A5',
    how: 'at the end no run, agent, tool call, question or call on a machine of the agent is open; after each kill every open row has an open owner',
    check: nothingLeft,
  },
  {
    name: 'A6',
    how: 'each op belongs to one tool call and took effect at most once, exactly once if the call is ok; each call of the agent on a machine belongs to a tool call',
    check: effectsOnce,
  },
  {
    name: 'A7',
    how: 'no effect of a tool call that ended as denied or skipped, of an MCP tool before its question was allowed, of a plan that was not approved',
    check: obeyed,
  },
  {
    name: 'A8',
    how: 'the database has each acknowledged answer to the agent, one for each question; an acknowledged stop has ended every run that was acknowledged before it',
    check: acknowledged,
  },
  {
    name: 'A9',
    how: 'of several servers, the one that writes a step of the agent drives its thread in that transaction; finds the planted fault lease',
    check: driven,
  },
  {
    name: 'A10',
    how: 'each sentence of a coding agent is among the events of its thread at most once, exactly once if its run completed',
    check: saidOnce,
  },
  {
    name: 'D1',
    how: 'frames of each request of a JSON-RPC client on each socket: at most one last one, in the order of the specification',
    check: framesInOrder,
  },
  {
    name: 'D2',
    how: 'each request of a JSON-RPC client with a key has one answer, however often and on however many sockets it was sent',
    check: oneAnswer,
  },
  {
    name: 'alive',
    how: 'after the quiet period nothing is open, every machine runs one more call and every user one more run, and no daemon has given up',
    check: liveness,
  },
];

export interface Violation {
  invariant: string;
  sentence: string;
}

export const violations = (facts: Facts): Violation[] =>
  invariants.flatMap(({ name, check }) => check(facts).map((sentence) => ({ invariant: name, sentence })));

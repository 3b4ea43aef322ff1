import { describe, expect, it } from 'vitest';
import { toolCallRow } from '../../test/rows.ts';
import type { AgentRow, ToolCallRow } from '../rows/rows.ts';
import { nextStep, type NextStep } from './next-agent.ts';

type Calls = [name: string, state: ToolCallRow['state']][];

const call = ([tool, state]: Calls[number], n: number): ToolCallRow =>
  toolCallRow('u', `tc_${n}`, { n, tool, state, effect: 'own' });

interface Given {
  state?: AgentRow['state'];
  calls?: Calls;
  kind?: AgentRow['kind'];
  steps?: number;
  stopAskedAt?: number | null;
}

const next = ({
  state = 'acting',
  calls = [],
  kind = 'main',
  steps = 0,
  stopAskedAt = null,
}: Given): NextStep =>
  nextStep({
    agent: { kind, state, steps, maxSteps: 3 },
    run: { state: 'active', stopAskedAt },
    calls: calls.map(call),
    canRunBeside: ({ tool }) => tool.startsWith('read'),
  });

/** The numbers of the calls that run. */
const running = (given: Given): number[] => {
  const step = next(given);
  return step.do === 'run' ? step.calls.map(({ n }) => n) : [];
};

describe('an agent', () => {
  it.each<[string, Given, NextStep]>([
    ['thinks when it is ready', { state: 'ready' }, { do: 'think', isLast: false }],
    [
      'of a sub-task knows its last step',
      { state: 'ready', kind: 'delegate', steps: 2 },
      { do: 'think', isLast: true },
    ],
    [
      'of a sub-task has steps before it',
      { state: 'ready', kind: 'delegate', steps: 1 },
      { do: 'think', isLast: false },
    ],
    [
      'that is the main one is asked, not ended',
      { state: 'ready', steps: 2 },
      { do: 'think', isLast: false },
    ],
    ['is ready when its calls have ended', { calls: [['a', 'ended']] }, { do: 'ready' }],
    [
      'waits for its calls',
      {
        calls: [
          ['a', 'ended'],
          ['b', 'waiting'],
        ],
      },
      { do: 'wait' },
    ],
    ['continues to wait', { state: 'waiting', calls: [['b', 'waiting']] }, { do: 'nothing' }],
    [
      'that waited is ready when all have ended',
      { state: 'waiting', calls: [['b', 'ended']] },
      { do: 'ready' },
    ],
    ['that asks does nothing', { state: 'asking' }, { do: 'nothing' }],
    ['that has ended does nothing', { state: 'ended' }, { do: 'nothing' }],
    ['of a stopped run does not think', { state: 'ready', stopAskedAt: 1 }, { do: 'nothing' }],
    ['of a stopped run makes no call', { calls: [['a', 'planned']], stopAskedAt: 1 }, { do: 'nothing' }],
  ])('%s', (_, given, expected) => {
    expect(next(given)).toEqual(expected);
  });
});

describe('calls', () => {
  it.each<[string, Given, number[]]>([
    [
      'run alone and in their order',
      {
        calls: [
          ['a', 'planned'],
          ['b', 'planned'],
        ],
      },
      [0],
    ],
    [
      'run beside each other when they read',
      {
        calls: [
          ['read1', 'planned'],
          ['read2', 'planned'],
          ['a', 'planned'],
        ],
      },
      [0, 1],
    ],
    [
      'that read do not overtake one that writes',
      {
        calls: [
          ['a', 'planned'],
          ['read1', 'planned'],
        ],
      },
      [0],
    ],
    [
      'that read are four at most',
      { calls: Array.from({ length: 6 }, (_, n) => [`read${n}`, 'planned']) },
      [0, 1, 2, 3],
    ],
    [
      'that were answered run again',
      {
        state: 'waiting',
        calls: [
          ['a', 'waiting'],
          ['b', 'planned'],
        ],
      },
      [1],
    ],
    [
      'that have ended do not',
      {
        calls: [
          ['a', 'ended'],
          ['b', 'planned'],
        ],
      },
      [1],
    ],
  ])('%s', (_, given, expected) => {
    expect(running(given)).toEqual(expected);
  });
});

import { expect, it } from 'vitest';
import { agentRow, askRow } from '../../test/rows.ts';
import { isLate } from './sweep.ts';

const minute = 60_000;
const task = agentRow('a', 'ag_1', { kind: 'background', state: 'ready', createdAt: 0 });
const asked = (from: number, to: number | null) =>
  askRow('a', `ask_${from}`, { createdAt: from * minute, closedAt: to === null ? null : to * minute });

it.each([
  ['works for 30 min', { lastActiveAt: 30 * minute }, [], 30, false],
  ['works for longer', { lastActiveAt: 31 * minute }, [], 31, true],
  ['is idle for 10 min', { lastActiveAt: 0 }, [], 10, false],
  ['is idle for longer', { lastActiveAt: 0 }, [], 11, true],
  ['waits for an answer', { state: 'waiting' as const, lastActiveAt: 0 }, [asked(1, null)], 600, false],
  ['had waited for an hour', { lastActiveAt: 61 * minute }, [asked(1, 61)], 62, false],
  ['had waited for two at once', { lastActiveAt: 61 * minute }, [asked(1, 61), asked(1, 31)], 92, true],
])('a background task that %s', (_, changes, asks, now, expected) => {
  expect(isLate({ ...task, ...changes }, asks, now * minute)).toBe(expected);
});

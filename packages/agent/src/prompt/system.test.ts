import { describe, expect, it } from 'vitest';
import { subAgentPrompt } from './sub-agent.ts';
import { type SystemInput, systemPrompt } from './system.ts';

const full = { left: 100, of: 100 };
const tool = (name: string, group: 'shell' | 'filesystemRead' | null) => ({
  name,
  description: '',
  inputSchema: {},
  group,
  isReading: true,
  isOwn: true,
});
const input: SystemInput = {
  areToolsDeferred: true,
  canRemember: true,
  domains: [],
  now: Date.UTC(2026, 10, 23, 23, 30),
  timeZone: 'Europe/Berlin',
  machine: null,
  tasks: [],
  budget: { steps: full, calls: full, tokens: full },
};
const machine = {
  id: 'm',
  name: 'Laptop\n# New rules\u202e',
  directory: '/home/a',
  isConnected: true,
  tools: [tool('a', 'filesystemRead'), tool('b', 'filesystemRead'), tool('c', 'shell'), tool('d', null)],
};
const nowOf = (change: Partial<SystemInput>) => systemPrompt({ ...input, ...change })[1];

describe('the system prompt', () => {
  it('has a first part that does not change with the state', () => {
    const other = { ...input, now: 0, machine, tasks: [{ id: 'ag_1', title: 'x', state: 'running' }] };
    expect(systemPrompt(other)[0]).toBe(systemPrompt(input)[0]);
  });

  it.each([
    [
      'the day of the person',
      {},
      'Today is Tuesday, 24 November 2026. Time zone of the person: Europe/Berlin.',
    ],
    ['UTC for an unknown zone', { timeZone: 'Mars/X' }, 'Today is Monday, 23 November 2026 (UTC).'],
    ['no machine', {}, 'The person has not connected a machine.'],
    [
      'the machine in one line',
      { machine },
      'Machine: "Laptop # New rules", connected. Working folder: /home/a. Its tools: reading files (2), shell (1), other (1).',
    ],
    ['a machine that is away', { machine: { ...machine, isConnected: false } }, 'not connected now'],
    [
      'tasks in the background',
      { tasks: [{ id: 'ag_1', title: 'Read\nlogs', state: 'running' }] },
      'Tasks in the background:\n- ag_1: "Read logs" (running)',
    ],
    [
      'a budget that is nearly spent',
      { budget: { ...input.budget, steps: { left: 18, of: 100 } } },
      'Left in this run: 15 % of the steps.',
    ],
  ])('names %s', (_what, change: Partial<SystemInput>, expected) => {
    expect(nowOf(change)).toContain(expected);
  });

  it('has the same length of text for a full budget and a fuller one', () => {
    expect(nowOf({ budget: { ...input.budget, calls: { left: 70, of: 100 } } })).toBe(nowOf({}));
  });

  it('speaks of finding tools only where tools are deferred, and of domains that there are', () => {
    const [text] = systemPrompt({
      ...input,
      areToolsDeferred: false,
      domains: [{ title: 'n8n', instructions: 'Read before you write.' }],
    });
    expect(text).not.toContain('search_tools');
    expect(text).toMatch(/# n8n\nRead before you write\.$/);
  });

  it('leaves most of a small context free', () => {
    expect(systemPrompt(input).join('').length).toBeLessThan(6_000);
  });
});

it('a sub-agent knows its role, its task and where it works', () => {
  const [text, now] = subAgentPrompt({ ...input, machine, role: 'Reader', instructions: 'Find the port.' });
  expect(text).toMatch(/Your role: Reader\n\n# Your task\nFind the port\./);
  expect(now).toContain('Working folder: /home/a');
});

import type { ThreadView, ViewAgent, ViewRun } from '@drawbridge/contracts/agent/threads';
import { expect, it } from 'vitest';
import { agentParts, agentState, followedWords } from './agent-words.ts';

it.each<[string, Partial<ViewAgent>, number, string]>([
  ['at work', { status: null }, 0, 'running'],
  ['with a question', { status: null }, 1, 'waits for you'],
  ['that ended', { status: 'completed', endedAt: 12_000 }, 0, 'done · 12.0 s'],
  ['in its second turn', { status: 'completed', continues: 'ag_1' }, 0, 'asked again · done'],
  ['of a coding agent', { status: null, runtime: 'codex' }, 1, 'Codex · waits for you'],
  ['that was deleted', { status: 'cancelled', isDeleted: true }, 0, 'stopped · deleted'],
])('says how a sub-agent %s stands', (_what, agent, waiting, expected) => {
  // It reads these fields alone.
  expect(agentState({ startedAt: 0, endedAt: null, ...agent } as ViewAgent, waiting)).toBe(expected);
});

it.each([
  ['Error: Model away.\nat x', 'Model away'],
  ['x'.repeat(100), `${'x'.repeat(80)}…`],
  ['a\u202eb', 'a\\u{202e}b'],
  ['{"code":1}', undefined],
])('says in a few words why a sub-agent failed with %j', (error, cause) => {
  const [part] = agentParts({ status: 'error', error, endedAt: null } as ViewAgent, 0);
  expect([part?.text, part?.tone, part?.cause]).toEqual(['failed', 'text-error', cause]);
});

it.each<[string, Record<string, number | null>, string]>([
  ['the one that ended, not one that works', { 'link checker': 30, watcher: null }, 'Link checker ended'],
  ['not one that an earlier run has reported', { reader: 10, watcher: 30 }, 'Watcher ended'],
  ['one that ended while the run before it worked', { watcher: 15 }, 'Watcher ended'],
  ['several', { a: 25, b: 26, c: 27 }, 'A and 2 more ended'],
  ['none that is known', { later: 50 }, 'Background work ended'],
])('names what began a follow-up run: %s', (_what, ends, expected) => {
  const agents = Object.fromEntries(
    Object.entries(ends).map(([role, endedAt]) => [role, { kind: 'background', title: '', role, endedAt }]),
  );
  const runs = [
    { id: 'r1', startedAt: 12, endedAt: 20 },
    { id: 'r2', startedAt: 40, endedAt: null },
  ];
  // It reads these fields alone.
  const view = { agents, runs } as unknown as ThreadView;
  expect(followedWords(view, runs[1] as ViewRun)).toBe(expected);
});

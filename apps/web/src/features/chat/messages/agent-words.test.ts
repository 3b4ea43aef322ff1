import type { ViewAgent } from '@drawbridge/contracts/agent/threads';
import { expect, it } from 'vitest';
import { agentParts, agentState } from './agent-words.ts';

it.each<[string, Partial<ViewAgent>, number, string]>([
  ['at work', { status: null }, 0, 'running'],
  ['with a question', { status: null }, 1, 'waits for you'],
  ['that ended', { status: 'completed' }, 0, 'done'],
  ['in its second turn', { status: 'completed', continues: 'ag_1' }, 0, 'asked again · done'],
  ['of a coding agent', { status: null, runtime: 'codex' }, 1, 'Codex · waits for you'],
  ['that was deleted', { status: 'cancelled', isDeleted: true }, 0, 'stopped · deleted'],
])('says how a sub-agent %s stands', (_what, agent, waiting, expected) => {
  // It reads these fields alone.
  expect(agentState(agent as ViewAgent, waiting)).toBe(expected);
});

it.each([
  ['Error: Model away.\nat x', 'Model away'],
  ['x'.repeat(100), `${'x'.repeat(80)}…`],
  ['a\u202eb', 'a\\u{202e}b'],
  ['{"code":1}', undefined],
])('says in a few words why a sub-agent failed with %j', (error, cause) => {
  const [part] = agentParts({ status: 'error', error } as ViewAgent, 0);
  expect([part?.text, part?.tone, part?.cause]).toEqual(['failed', 'text-error', cause]);
});

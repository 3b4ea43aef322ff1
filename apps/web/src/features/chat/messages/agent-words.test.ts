import type { ViewAgent } from '@drawbridge/contracts/agent/threads';
import { expect, it } from 'vitest';
import { agentState } from './agent-words.ts';

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

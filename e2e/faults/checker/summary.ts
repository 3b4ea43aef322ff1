import type { Facts } from './facts.ts';
import type { Violation } from './invariants.ts';

const counted = (names: string[]): string => {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .sort()
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
};

/** What a run was made of and what was found, as lines for a terminal. */
export const summary = (facts: Facts, found: Violation[]): string => {
  const { seed = 0 } = facts.of('begun')[0] ?? {};
  const mb = Math.max(0, ...facts.of('memory').map(({ kib }) => kib)) / 1_024;
  const { agentRuns, agentAsks, agentToolCalls } = facts.agent;
  return [
    `seed       ${seed}`,
    `calls      ${facts.calls.length}: ${counted(facts.calls.map((row) => row.state))}`,
    `ran        ${facts.ranOps.length} ops that leave marks`,
    `decisions  ${facts.of('decided').length} of ${facts.of('click').length} clicks`,
    `runs       ${agentRuns.length} of the agent: ${counted(agentRuns.map(({ state }) => state))}`,
    `asks       ${agentAsks.length} of the agent: ${counted(agentAsks.map(({ state }) => state))}; ${facts.of('ask-answered').length} answers`,
    `agent      ${agentToolCalls.length} tool calls: ${counted(agentToolCalls.map(({ outcome, state }) => outcome ?? state))}; ${facts.of('model-request').length} model requests`,
    `rpc        ${facts.of('rpc-request').length} requests: ${counted(facts.of('rpc-request').map(({ outcome }) => (outcome === null ? 'cut' : (/^error \d+/.exec(outcome)?.[0] ?? 'answered'))))}`,
    `faults     ${facts.of('fault').length}: ${counted(facts.of('fault').map(({ what }) => what))}`,
    `links      ${counted(facts.of('stream').map(({ link }) => link))}`,
    `on wires   ${facts.of('frame').length} frames, ${facts.of('post').length} posts`,
    `memory     at most ${mb.toFixed(0)} MiB in a process`,
    `violations ${found.length}`,
    ...found.map(({ invariant, sentence }) => `  ${invariant}: ${sentence}`),
  ].join('\n');
};

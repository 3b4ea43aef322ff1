import type { RunDetails } from '@drawbridge/contracts/agent/threads';
import { errors } from '../errors.ts';
import { usageOf } from '../run/end-agent.ts';
import type { AgentStore } from '../store-port.ts';

/** What a run and its agents have used. Throws `notFound`. */
export const runDetailsOf = async (
  { store }: { store: AgentStore },
  userId: string,
  runId: string,
): Promise<RunDetails> => {
  const [run] = await store.find('agentRuns', { userId, id: runId });
  if (!run) throw errors.notFound();
  const [agents, calls] = await Promise.all([
    store.find('agentAgents', { userId, runId }, { isLenient: true, orderBy: 'createdAt' }),
    store.find('agentToolCalls', { userId, runId }, { isLenient: true }),
  ]);
  return {
    id: run.id,
    model: run.model,
    usage: usageOf(run),
    agents: agents.map(({ id, kind, role, title, steps, maxSteps }) => ({
      id,
      kind,
      role,
      title,
      steps,
      maxSteps,
      calls: calls.filter(({ agentId }) => agentId === id).length,
    })),
  };
};

import type { RunDetails } from '@drawbridge/contracts/agent/threads';
import { errors } from '../../rows/errors.ts';
import type { AgentStore } from '../../rows/store.ts';
import { usageOf } from '../../turns/ends/end-agent.ts';

const maxEvents = 200;

/** What a run and its agents have used, and its events. Throws `notFound`. */
export const runDetailsOf = async (
  { store }: { store: AgentStore },
  userId: string,
  runId: string,
): Promise<RunDetails> => {
  const [run] = await store.find('agentRuns', { userId, id: runId });
  if (!run) throw errors.notFound();
  const { threadId } = run;
  const [agents, calls, events] = await Promise.all([
    store.find('agentAgents', { userId, runId }, { isLenient: true, orderBy: 'createdAt' }),
    store.find('agentToolCalls', { userId, runId }, { isLenient: true }),
    store.find('agentEvents', { userId, threadId }, { isLenient: true, orderBy: 'seq' }),
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
    events: events
      .filter(({ event }) => event.runId === runId)
      .slice(-maxEvents)
      .map(({ seq, event }) => ({ seq, event })),
  };
};

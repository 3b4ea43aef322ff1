import type { CallSummary } from '@drawbridge/contracts/calls';
import type { ThreadView, ViewRun } from '@drawbridge/contracts/agent/threads';
import { undoableTools } from '@drawbridge/contracts/machines/undo-change';
import type { Api } from '../../../api/index.ts';

const pageSize = 100;

/** The calls of a chat on machines, in the time of a run. */
const callsDuring = async (api: Api, threadId: string, run: ViewRun): Promise<CallSummary[]> => {
  const found: CallSummary[] = [];
  const filter = {
    by: `thread:${threadId}`,
    from: new Date(run.startedAt).toISOString(),
    ...(run.endedAt !== null && { to: new Date(run.endedAt + 1).toISOString() }),
    limit: pageSize,
  };
  let cursor: string | null = null;
  do {
    const page: { calls: CallSummary[]; nextCursor: string | null } = await api.calls.list.query({
      ...filter,
      ...(cursor !== null && { cursor }),
    });
    found.push(...page.calls);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found;
};

/** Whether a call of a run that is shown has changed something that its machine may have kept. */
export const hasChanges = (view: ThreadView, runId: string): boolean =>
  Object.values(view.calls).some(
    ({ agentId, toolName, outcome }) =>
      outcome === 'ok' && undoableTools.includes(toolName) && view.agents[agentId]?.runId === runId,
  );

/**
 * The ids of the calls with which a run changed files, by machine. The server knows them all, the chat may
 * have loaded some; calls that are shown as those of another run, such as background work, are left out.
 */
export const changesOf = async (
  api: Api,
  view: ThreadView,
  { threadId, run }: { threadId: string; run: ViewRun },
): Promise<Map<string, string[]>> => {
  const others = new Set(
    Object.values(view.calls).flatMap(({ agentId, requestId }) =>
      view.agents[agentId]?.runId === run.id ? [] : (requestId ?? []),
    ),
  );
  const byMachine = new Map<string, string[]>();
  for (const { requestId, machineId, tool, state } of await callsDuring(api, threadId, run)) {
    if (state !== 'succeeded' || !undoableTools.includes(tool) || others.has(requestId)) continue;
    byMachine.set(machineId, [...(byMachine.get(machineId) ?? []), requestId]);
  }
  return byMachine;
};

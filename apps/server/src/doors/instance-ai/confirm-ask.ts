import type { Agent } from '@drawbridge/agent';
import { askAnswer } from '@drawbridge/contracts/agent/asks';

/** Answers a question of the agent; the daemons' door, which has the address, passes the body as it came. */
export const createConfirmAsk =
  (agent: Pick<Agent, 'confirm'>) =>
  async (userId: string, requestId: string, body: unknown): Promise<object> => {
    const { runId } = await agent.confirm(userId, requestId, askAnswer.parse(body));
    return { ok: true, ...(runId !== null && { runId }) };
  };

import {
  agentConfirmationsParams,
  agentConfirmationsResult as result,
} from '@drawbridge/contracts/rpc/agent';
import { agentQuestion, machineQuestion, maySee } from '../../agent/questions.ts';
import { requireSession } from '../../agent/session.ts';
import { method } from '../../method.ts';

/** The open questions of machines and of the agent; a token sees those of its own calls and sessions. */
export const agentConfirmations = method({
  name: 'agent.confirmations',
  who: 'any',
  params: agentConfirmationsParams,
  result,
}).handle(async (ctx, { connection, params: { sessionId } }) => {
  const { identity } = connection;
  const { userId } = identity;
  const session = sessionId === undefined ? null : await requireSession(ctx, connection, sessionId);
  const isAskedFor = (threadId: string | null) => session === null || session.threadId === threadId;

  const ofMachines = await Promise.all(
    (await ctx.gateway.confirmations.list(userId))
      .filter(({ via }) => isAskedFor(via?.kind === 'thread' ? via.id : null))
      .map(async (one) => ((await maySee(ctx, identity, one)) ? machineQuestion(ctx, identity, one) : [])),
  );
  const asks = (await ctx.agent?.agent.openAsks(userId)) ?? [];
  const ofAgent = await Promise.all(
    asks
      .filter(({ threadId }) => isAskedFor(threadId))
      .map(async ({ threadId, ...ask }) => {
        const via = { kind: 'thread' as const, id: threadId, name: '' };
        return (await maySee(ctx, identity, { via })) ? agentQuestion(ctx, { identity, threadId }, ask) : [];
      }),
  );
  return { confirmations: [...ofMachines.flat(), ...ofAgent.flat()] };
});

import {
  agentConfirmationsParams,
  agentConfirmationsResult as result,
} from '@drawbridge/contracts/rpc/agent';
import { machineQuestion, maySee } from '../../agent/questions.ts';
import { requireSession } from '../../agent/session.ts';
import { method } from '../../method.ts';

/** The open questions of machines; a token sees those about its own calls. */
export const agentConfirmations = method({
  name: 'agent.confirmations',
  who: 'any',
  params: agentConfirmationsParams,
  result,
}).handle(async (ctx, { connection, params: { sessionId } }) => {
  const { identity } = connection;
  const session = sessionId === undefined ? null : await requireSession(ctx, connection, sessionId);
  const open = await ctx.gateway.confirmations.list(identity.userId);
  const shown = open.filter(
    (one) =>
      maySee(identity, one) &&
      (session === null || (one.via?.kind === 'thread' && one.via.id === session.threadId)),
  );
  return { confirmations: shown.map((one) => machineQuestion(ctx, identity, one)) };
});

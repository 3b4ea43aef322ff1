import { askAnswer } from '@drawbridge/contracts/agent/asks';
import type { Confirmation, ConfirmationAnswer } from '@drawbridge/contracts/confirmation';
import { type Decision, isDenial } from '@drawbridge/contracts/groups';
import {
  agentConfirmParams,
  agentConfirmResult,
  agentConfirmationsParams,
  agentConfirmationsResult,
} from '@drawbridge/contracts/rpc/agent';
import { hasCode } from '@drawbridge/kit';
import { errors } from '../../../errors.ts';
import { agentQuestion, isAsk, machineQuestion, maySee } from '../agent/questions.ts';
import { requireAgent, requireSession } from '../agent/session.ts';
import type { RpcContext } from '../context.ts';
import { FailedWith } from '../failed-with.ts';
import { method } from '../method.ts';
import { failureOf } from '../protocol/error.ts';

const answerOf = (decision: Decision | 'deny', reach: string | undefined): ConfirmationAnswer =>
  decision === 'deny'
    ? { approved: false }
    : { approved: !isDenial(decision), resourceDecision: decision, ...(reach !== undefined && { reach }) };

const decided = ({ id, decision, approved, decidedBy }: Confirmation, alreadyResolved: boolean) => ({
  confirmId: id,
  decision: decision ?? (approved === false ? ('deny' as const) : null),
  decidedBy,
  alreadyResolved,
});

/** The question that another answer came first to. Throws what says how it was closed. */
const winner = async (
  { gateway }: RpcContext,
  { userId, confirmId }: { userId: string; confirmId: string },
  error: unknown,
) => {
  if (!hasCode(error, 'ALREADY_DECIDED') && !hasCode(error, 'CONFIRMATION_CLOSED')) throw error;
  const now = await gateway.confirmations.get(userId, confirmId);
  if (now.state === 'decided') return decided(now, true);
  throw new FailedWith(failureOf(errors.confirmationClosed(), { state: now.state }));
};

/** Answers a question. The first answer counts; a later one gets it, with `alreadyResolved`. */
export const agentConfirm = method('agent.confirm', 'person', {
  params: agentConfirmParams,
  result: agentConfirmResult,
}).handle(async (ctx, { connection: { identity }, isNotification, params }) => {
  const { confirmId, decision, reach, answer } = params;
  const { userId } = identity;
  // Who cannot be told of the outcome does not answer.
  if (isNotification) throw errors.badRequest();
  if (isAsk(confirmId)) {
    await requireAgent(ctx).confirm(userId, confirmId, askAnswer.parse(answer));
    return { confirmId, decision: null, decidedBy: userId, alreadyResolved: false };
  }
  if (decision === undefined) throw errors.badRequest({ message: 'decision is missing' });
  try {
    await ctx.gateway.confirmations.decide(userId, { confirmationId: confirmId }, answerOf(decision, reach));
  } catch (error) {
    return winner(ctx, { userId, confirmId }, error);
  }
  return decided(await ctx.gateway.confirmations.get(userId, confirmId), false);
});

/** The open questions of machines and of the agent; a token sees those of its own calls and sessions. */
export const agentConfirmations = method('agent.confirmations', 'any', {
  params: agentConfirmationsParams,
  result: agentConfirmationsResult,
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

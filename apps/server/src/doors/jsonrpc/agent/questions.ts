import type { AskPayload } from '@drawbridge/contracts/agent/asks';
import type { Confirmation } from '@drawbridge/contracts/confirmation';
import { isOwn } from '../../../callers/index.ts';
import type { RpcContext } from '../context.ts';
import type { Identity } from '../identity.ts';
import type { RpcEvent } from '../protocol/reply.ts';
import { sessionUserOf } from './session.ts';

/** The panel's page of a confirmation of a machine. */
export const questionUrl = ({ url }: Pick<RpcContext, 'url'>, confirmId: string): string =>
  `${url()}/confirmations/${encodeURIComponent(confirmId)}`;

/** Who is signed in may answer; a token only sees. */
export const canAnswer = ({ kind }: Identity): boolean => kind === 'person';

/** Whether that is the id of a question of the agent itself. */
export const isAsk = (confirmId: string): boolean => confirmId.startsWith('ask_');

/** A question of a machine, whole. */
export const machineQuestion = (ctx: RpcContext, identity: Identity, confirmation: Confirmation) => ({
  ...confirmation,
  confirmId: confirmation.id,
  kind: 'resource-decision' as const,
  url: questionUrl(ctx, confirmation.id),
  canAnswer: canAnswer(identity),
});

/** The event of a question of a machine: the question while it is open, then how it was closed. */
export const confirmEvent = (ctx: RpcContext, identity: Identity, confirmation: Confirmation): RpcEvent => {
  const { id: confirmId, state, decision, decidedBy } = confirmation;
  return state === 'open'
    ? { event: 'confirm_request', data: machineQuestion(ctx, identity, confirmation) }
    : { event: 'confirm_resolved', data: { confirmId, state, decision, decidedBy } };
};

/** A question of the agent itself, whole. */
export const agentQuestion = <Payload extends AskPayload>(
  { url }: Pick<RpcContext, 'url'>,
  { identity, threadId }: { identity: Identity; threadId: string },
  { requestId, inputType, ...rest }: Payload,
) => ({
  ...rest,
  confirmId: requestId,
  kind: inputType,
  url: `${url()}/chat/${encodeURIComponent(threadId)}`,
  canAnswer: canAnswer(identity),
});

/** A question of the agent, or of a machine about a call of the agent. */
export const askQuestion = async (
  ctx: RpcContext,
  { identity, threadId }: { identity: Identity; threadId: string },
  payload: AskPayload,
): Promise<{ confirmId: string; url: string }> => {
  if (!payload.resourceDecision) return agentQuestion(ctx, { identity, threadId }, payload);
  const { confirmationId } = payload.resourceDecision;
  return machineQuestion(ctx, identity, await ctx.gateway.confirmations.get(identity.userId, confirmationId));
};

/**
 * Whether a connection may see a question about a call: a person all of theirs, a token those of its own
 * calls and of its own sessions.
 */
export const maySee = async (
  { sessions }: Pick<RpcContext, 'sessions'>,
  identity: Identity,
  { via }: Pick<Confirmation, 'via'>,
): Promise<boolean> => {
  if (isOwn(identity.caller, { via })) return true;
  return via?.kind === 'thread' && (await sessions.nameOf(sessionUserOf(identity), via.id)) !== null;
};

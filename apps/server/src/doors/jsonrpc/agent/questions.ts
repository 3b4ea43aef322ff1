import type { AskPayload } from '@drawbridge/contracts/agent/asks';
import type { Confirmation } from '@drawbridge/contracts/confirmation';
import { isOwn } from '../../../callers/index.ts';
import type { RpcContext } from '../context.ts';
import type { Identity } from '../identity.ts';

/** The panel's page of a confirmation of a machine. */
export const questionUrl = ({ url }: Pick<RpcContext, 'url'>, confirmId: string): string =>
  `${url()}/confirmations/${encodeURIComponent(confirmId)}`;

/** Who is signed in may answer; a token only sees. */
export const canAnswer = ({ kind }: Identity): boolean => kind === 'person';

/** A question of a machine, whole. */
export const machineQuestion = (ctx: RpcContext, identity: Identity, confirmation: Confirmation) => ({
  ...confirmation,
  confirmId: confirmation.id,
  kind: 'resource-decision' as const,
  url: questionUrl(ctx, confirmation.id),
  canAnswer: canAnswer(identity),
});

/** A question of the agent, or of a machine about a call of the agent. */
export const askQuestion = async (
  ctx: RpcContext,
  { identity, threadId }: { identity: Identity; threadId: string },
  payload: AskPayload,
): Promise<{ confirmId: string; url: string }> => {
  if (payload.resourceDecision) {
    const { confirmationId } = payload.resourceDecision;
    return machineQuestion(
      ctx,
      identity,
      await ctx.gateway.confirmations.get(identity.userId, confirmationId),
    );
  }
  const { requestId, inputType, ...rest } = payload;
  const question = {
    ...rest,
    confirmId: requestId,
    kind: inputType,
    url: `${ctx.url()}/chat/${encodeURIComponent(threadId)}`,
    canAnswer: canAnswer(identity),
  };
  return question;
};

/** Whether a connection may see a question about a call: a person all of theirs, a token its own. */
export const maySee = ({ caller }: Identity, confirmation: Pick<Confirmation, 'via'>): boolean =>
  isOwn(caller, confirmation);

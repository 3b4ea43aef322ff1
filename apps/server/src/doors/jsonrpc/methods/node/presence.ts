import { presenceList as result, presenceParams } from '@drawbridge/contracts/rpc/nodes';
import { reachOf, type Caller } from '../../../../callers/index.ts';
import { errors } from '../../../../errors.ts';
import type { KnownSender } from '../../../../nodes/index.ts';
import type { RpcContext } from '../../context.ts';
import { mayOperate } from '../../identity.ts';
import { method } from '../../method.ts';

/** Machines, and tokens that were used before the server started. */
const knownSenders = async ({ gateway, tokens }: RpcContext, caller: Caller): Promise<KnownSender[]> => {
  const refs = await reachOf(gateway, caller);
  const machines = await Promise.all(
    refs.map(async (ref): Promise<KnownSender> => {
      const { machineId: senderId } = ref;
      const [{ name: senderName, status }, { lastSeenAt }] = await Promise.all([
        gateway.machines.view(ref),
        gateway.machines.known(ref),
      ]);
      const { connected: isOpen, connectedAt } = status();
      const seen = Date.parse(lastSeenAt ?? connectedAt ?? '') || 0;
      return { channel: 'machine', senderId, senderName, firstSeenAt: seen, lastSeenAt: seen, isOpen };
    }),
  );
  const used = (await tokens.list(caller.userId)).flatMap(
    ({ id: senderId, name: senderName, createdAt, lastUsedAt }): KnownSender[] =>
      lastUsedAt === null
        ? []
        : [
            {
              channel: 'token',
              senderId,
              senderName,
              firstSeenAt: Date.parse(createdAt),
              lastSeenAt: Date.parse(lastUsedAt),
              isOpen: false,
            },
          ],
  );
  return [...machines, ...used];
};

/** Who was seen when, the newest first: the user's own senders, or with `all` everybody's, for the owner. */
export const systemPresence = method({
  name: 'system.presence',
  who: 'any',
  params: presenceParams,
  result,
}).handle(async (ctx, { connection: { identity }, params }) => {
  if (!params.all) {
    const known = await knownSenders(ctx, identity.caller);
    return ctx.presence.ofUser(identity.userId, known, params);
  }
  if (!mayOperate(identity))
    throw errors.forbidden({
      message: 'Only the owner of the server may do this',
      fix: 'Use the scope operate.',
    });
  return ctx.presence.ofAll(params);
});

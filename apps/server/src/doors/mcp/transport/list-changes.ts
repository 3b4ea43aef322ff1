import type { Clock } from '@drawbridge/kit';
import type { ServerEventBus } from '@modelcontextprotocol/server';
import type { FastifyReply } from 'fastify';
import type { Gateway } from '../../../gateway/index.ts';
import { createSseStream } from '../../../http/index.ts';

const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };

/**
 * Notifies one `subscriptions/listen` when the user's machine connects, leaves or changes (revision
 * 2026-07-28).
 */
export const machineBus = (gateway: Gateway, userId: string): ServerEventBus => ({
  publish: () => {},
  subscribe: (listen) => gateway.machines.onChanged(userId, () => listen({ kind: 'tools_list_changed' })),
});

/** The same as the stream that a client of revision 2025-11-25 opens with GET. */
export const streamMachine = (
  reply: FastifyReply,
  { gateway, userId, clock }: { gateway: Gateway; userId: string; clock: Clock },
): FastifyReply => {
  const stream = createSseStream(reply, { clock, slowReader: 'close' });
  const unsubscribe = gateway.machines.onChanged(
    userId,
    () => void stream.send({ event: 'message', data: changed }),
  );
  reply.raw.once('close', unsubscribe);
  stream.open();
  return reply;
};

import type { ServerEventBus } from '@modelcontextprotocol/server';
import type { FastifyReply } from 'fastify';
import { watchMachine, type Caller, type CallerContext } from '../../../callers/index.ts';
import { atClose, createSseStream } from '../../../http/index.ts';

const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };

/**
 * Notifies one `subscriptions/listen` when the caller's machine connects, leaves or changes (revision
 * 2026-07-28).
 */
export const machineBus = (
  ctx: Pick<CallerContext, 'gateway' | 'onError'>,
  caller: Caller,
): ServerEventBus => ({
  publish: () => {},
  subscribe: (listen) => watchMachine(ctx, caller, () => listen({ kind: 'tools_list_changed' })),
});

/** The same as the stream that a client of revision 2025-11-25 opens with GET. */
export const streamMachine = (reply: FastifyReply, ctx: CallerContext, caller: Caller): FastifyReply => {
  const stream = createSseStream(reply, { clock: ctx.clock, slowReader: 'close' });
  const send = () => void stream.send({ event: 'message', data: changed });
  atClose(reply, watchMachine(ctx, caller, send));
  stream.open();
  return reply;
};

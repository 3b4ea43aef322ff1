import type { ServerEventBus } from '@modelcontextprotocol/server';
import type { FastifyReply } from 'fastify';
import type { Caller, CallerContext } from '../../../callers/index.ts';
import { createSseStream, disconnectSignal } from '../../../http/index.ts';
import { subscribe } from '../../../readers/index.ts';

const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };

type Context = Pick<CallerContext, 'gateway' | 'onError'>;

/** Calls `listener` when the caller's machine connects, leaves or changes, until the signal aborts. */
const watchMachine = async (
  ctx: Context,
  { user, signal }: { user: Caller; signal: AbortSignal },
  listener: () => void,
): Promise<void> => {
  try {
    for await (const _event of subscribe(ctx, { user, topics: ['machine-changes'], signal })) listener();
  } catch (error) {
    ctx.onError(error);
  }
};

/**
 * Notifies one `subscriptions/listen` when the caller's machine connects, leaves or changes (revision
 * 2026-07-28).
 */
export const machineBus = (ctx: Context, user: Caller): ServerEventBus => ({
  publish: () => {},
  subscribe: (listen) => {
    const leaving = new AbortController();
    const { signal } = leaving;
    void watchMachine(ctx, { user, signal }, () => listen({ kind: 'tools_list_changed' }));
    return () => leaving.abort();
  },
});

/** The same as the stream that a client of revision 2025-11-25 opens with GET. */
export const streamMachine = (reply: FastifyReply, ctx: CallerContext, caller: Caller): FastifyReply => {
  const stream = createSseStream(reply, { clock: ctx.clock, slowReader: 'close' });
  const send = () => void stream.send({ event: 'message', data: changed });
  void watchMachine(ctx, { user: caller, signal: disconnectSignal(reply) }, send);
  stream.open();
  return reply;
};

import type { ThreadFrame } from '@drawbridge/contracts/agent/threads';
import { CodedError } from '@drawbridge/kit';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { subscribe } from '../../readers/index.ts';
import { atClose, createSseStream, disconnectSignal } from '../../http/index.ts';
import { idOf, route, type Exchange, type RouteContext } from './route.ts';

const eventNumber = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number);
const query = z.object({ lastEventId: eventNumber.optional() });

/** The header wins: a browser's reader repeats the address that it opened first. */
const lastEventIdOf = (request: FastifyRequest): number => {
  const header = eventNumber.safeParse(request.headers['last-event-id']);
  return header.success ? header.data : (query.parse(request.query).lastEventId ?? 0);
};

const sseFrame = (frame: ThreadFrame) => {
  switch (frame.type) {
    case 'event':
      return { id: frame.id, data: frame.event };
    case 'live':
      return { data: frame.event };
    case 'run-sync':
      return { event: 'run-sync', data: frame.now };
    case 'reset':
      return { event: 'reset', data: { nextEventId: frame.nextEventId } };
    default:
      return frame satisfies never;
  }
};

const streamThread = async (
  { module, gateway, clock, onError }: RouteContext,
  { userId, request, reply }: Exchange,
) => {
  const stream = createSseStream(reply, { clock, slowReader: 'close' });
  const signal = disconnectSignal(reply);
  const since = String(lastEventIdOf(request));
  const topics = [{ thread: idOf(request, 'threadId') }];
  const ctx = { gateway, agent: module.agent, onError };
  try {
    for await (const { topic, event } of subscribe(ctx, { user: { userId }, topics, since, signal })) {
      stream.open();
      if (topic === 'thread' && !stream.send(sseFrame(event))) break;
      await stream.ready();
    }
  } catch (error) {
    // Before the first byte the reply is a plain error.
    if (!stream.isOpen()) throw error;
    if (!(error instanceof CodedError)) onError(error);
  }
  // A reader that comes back learns why, such as that the thread is gone.
  reply.raw.destroy();
  return reply;
};

/** `GET /events/:threadId`: the events of a thread as server-sent events. */
export const eventsRoute = route('GET /events/:threadId', 'chat', async (ctx, exchange) => {
  atClose(exchange.reply, ctx.streams.acquire(exchange.userId));
  return streamThread(ctx, exchange);
});

import { restLimits, restMachineQuery } from '@drawbridge/contracts/rest';
import { z } from 'zod';
import { machineStatus, type CallerContext } from '../../callers/index.ts';
import { atClose, createQuota, createSseStream, disconnectSignal, type SseFrame } from '../../http/index.ts';
import { subscribe, type ReaderEvent, type Topic } from '../../readers/index.ts';
import { failures, onMachine, type Exchange, type Route } from './route.ts';

const { replayedCalls, streamsPerToken } = restLimits;

/** `event` of the topics of the stream is the name of the frame. */
const frameOf = ({ id, topic, event }: ReaderEvent): SseFrame | undefined => {
  if (topic === 'machine') return { id: id ?? '', event: 'status', data: event.payload };
  return topic === 'calls' ? { id: id ?? '', event: event.type, data: event } : undefined;
};

const keyOf = ({ caller: { via } }: Exchange) => `${via.kind} ${via.id}`;

/** Streams until the client leaves. */
const streamEvents = async (ctx: CallerContext, { caller: user, request, reply }: Exchange) => {
  const stream = createSseStream(reply, { clock: ctx.clock, slowReader: 'close' });
  const since = request.headers['last-event-id']?.toString();
  const signal = disconnectSignal(reply);
  const topics: Topic[] = ['machine', 'calls'];
  const reader = { user, topics, since, replayedCalls, signal };
  try {
    for await (const event of subscribe(ctx, reader)) {
      const frame = frameOf(event);
      stream.open();
      if (frame && !stream.send(frame)) break;
    }
  } catch (error) {
    // Before the first byte the reply is a plain error.
    if (!stream.isOpen()) throw error;
    ctx.onError(error);
    reply.raw.destroy();
  }
  return reply;
};

/** Over all tokens and clients of a person. */
const streamsPerPerson = 60;

/** `GET /events`: what happens to the caller's calls and to the machine. */
export const createEventsRoute = (): Route => {
  const streams = createQuota(streamsPerToken);
  const ofPerson = createQuota(streamsPerPerson);
  return {
    method: 'get',
    path: '/events',
    operation: {
      operationId: 'streamEvents',
      summary: 'What happens, as server-sent events',
      description: [
        'Frames are named `status` (the machine, as `GET /status`), `call` and `progress` (as `CallEvent`), each with an id.',
        'The first is the status as it is now.',
        `A reader that reconnects with \`Last-Event-ID\` gets the newest ${replayedCalls} calls of its token in their present state, oldest first, and the latest output of open ones. For older calls, list the calls.`,
        `One token may have ${streamsPerToken} streams open, and all of a person ${streamsPerPerson}. A comment every 15 s keeps a stream alive; it ends with its token.`,
      ].join(' '),
      requestParams: {
        header: z.object({
          'Last-Event-ID': z.string().max(64).optional().meta({ description: 'The id of the last frame.' }),
        }),
        query: restMachineQuery,
      },
      responses: {
        '200': {
          description: 'Events, until the client leaves.',
          content: { 'text/event-stream': { schema: z.string() } },
        },
        ...failures('notFound'),
      },
    },
    handle: async (ctx, exchange) => {
      const caller = onMachine(exchange.caller, restMachineQuery.parse(exchange.request.query));
      await machineStatus(ctx.gateway, caller);
      const release = streams.acquire(keyOf(exchange));
      atClose(exchange.reply, release);
      atClose(exchange.reply, ofPerson.acquire(caller.userId));
      return streamEvents(ctx, { ...exchange, caller });
    },
  };
};

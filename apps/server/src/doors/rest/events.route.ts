import { restLimits, type CallEvent, type CallSummary } from '@drawbridge/contracts';
import type { Clock } from '@drawbridge/kit';
import { z } from 'zod';
import type { Gateway } from '../../gateway/index.ts';
import type { Places } from '../../http/index.ts';
import { isOwn, type Caller } from './caller.ts';
import { createEventStream, type RestEvent } from './event-stream.ts';
import { isOpen } from './own-call.ts';
import { failures } from './replies.ts';
import type { Route } from './route.ts';

const pingEveryMs = 15_000;
const { replayedCalls, streamsPerToken } = restLimits;

interface Needs {
  gateway: Gateway;
  clock: Clock;
  streams: Places;
  /** Hears what was thrown inside, for the log. */
  onError(error: unknown): void;
}

/** Which calls' events a caller hears: its own. Progress names only the call, so the open ones are kept by their ids. */
const createOwnEvents = (caller: Caller) => {
  const open = new Set<string>();
  const know = (call: CallSummary) => {
    if (isOpen(call)) open.add(call.requestId);
    else open.delete(call.requestId);
  };
  return {
    know,
    isHeard: (event: CallEvent): boolean => {
      if (event.type === 'progress') return open.has(event.requestId);
      if (!isOwn(caller, event.call)) return false;
      know(event.call);
      return true;
    },
  };
};

const callEventOf = (data: CallEvent): RestEvent => ({ event: data.type, data });

/** `GET /events`: what happens to the caller's calls and to the machine. */
export const eventsRoute = ({ gateway, clock, streams, onError }: Needs): Route => ({
  method: 'get',
  path: '/events',
  operation: {
    operationId: 'streamEvents',
    summary: 'What happens, as server-sent events',
    description: [
      'Frames are named `status` (the machine, as `GET /status`), `call` and `progress` (as `CallEvent`), each with an id.',
      'The first is the status as it is now.',
      `A reader that comes back with \`Last-Event-ID\` hears the newest ${replayedCalls} calls of its token again as they are now, oldest first, and what open ones printed last; to look further back, list the calls.`,
      `One token may have ${streamsPerToken} streams open. A comment every 15 s keeps a stream alive; it ends when the token does.`,
    ].join(' '),
    requestParams: {
      header: z.object({
        'Last-Event-ID': z.string().max(64).optional().meta({ description: 'The id of the last frame.' }),
      }),
    },
    responses: {
      '200': {
        description: 'Events, until the client leaves.',
        content: { 'text/event-stream': { schema: z.string() } },
      },
      ...failures(),
    },
  },
  handle: async ({ caller, request, reply }) => {
    const leavePlace = streams.take(`${caller.via.kind} ${caller.via.id}`);
    const stream = createEventStream();
    const own = createOwnEvents(caller);
    const early: RestEvent[] = [];
    let isCaughtUp = false;

    const hear = (event: RestEvent) => void (isCaughtUp ? stream.write(event) : early.push(event));

    const stops = [
      leavePlace,
      gateway.onStateChanged(caller.userId, ({ payload }) => hear({ event: 'status', data: payload })),
      gateway.onCallChanged(caller.userId, (event) => {
        if (own.isHeard(event)) hear(callEventOf(event));
      }),
      clock.every(pingEveryMs, stream.ping),
    ];
    stream.readable.once('close', () => {
      for (const stop of stops) stop();
    });
    reply.raw.once('close', stream.close);

    const catchUp = async () => {
      const { calls } = await gateway.listCalls(caller.userId, { limit: replayedCalls }, caller.via);
      for (const call of calls) own.know(call);
      stream.write({ event: 'status', data: await gateway.status(caller.userId) });
      if (request.headers['last-event-id'] !== undefined)
        for (const call of calls.reverse()) stream.write(callEventOf({ type: 'call', call }));
      for (const event of gateway.liveOutputs(caller.userId))
        if (own.isHeard(event)) stream.write(callEventOf(event));
      isCaughtUp = true;
      for (const event of early.splice(0)) stream.write(event);
    };
    catchUp().catch((error: unknown) => {
      onError(error);
      stream.close();
    });

    return reply
      .header('content-type', 'text/event-stream')
      .header('x-accel-buffering', 'no')
      .send(stream.readable);
  },
});

import type { CallEvent, CallSummary } from '@drawbridge/contracts/calls';
import type { GatewayStatus } from '@drawbridge/contracts/gateway';
import { restLimits, restMachineQuery } from '@drawbridge/contracts/rest';
import { nanoid } from 'nanoid';
import { z } from 'zod';
import {
  isOpen,
  isOwn,
  machineStatus,
  watchMachine,
  type Caller,
  type CallerContext,
} from '../../callers/index.ts';
import { atClose, createQuota, createSseStream } from '../../http/index.ts';
import { failures, onMachine, type Exchange, type Route } from './route.ts';

const { replayedCalls, streamsPerToken } = restLimits;

/** What a stream of events carries; `event` is the name of the frame. */
type RestEvent = { event: 'status'; data: GatewayStatus } | { event: CallEvent['type']; data: CallEvent };

/**
 * Selects the events of a caller's own calls. Progress has only a call id, so ids of open calls are stored.
 */
const createOwnEvents = (caller: Caller) => {
  const open = new Set<string>();
  const know = (call: CallSummary) => {
    if (isOpen(call)) open.add(call.requestId);
    else open.delete(call.requestId);
  };
  return {
    know,
    includes: (event: CallEvent): boolean => {
      if (event.type === 'progress') return open.has(event.requestId);
      if (!isOwn(caller, event.call)) return false;
      know(event.call);
      return true;
    },
  };
};

const callEventOf = (data: CallEvent): RestEvent => ({ event: data.type, data });

const keyOf = ({ caller: { via } }: Exchange) => `${via.kind} ${via.id}`;

/** Streams until the client leaves; then `release` is called. */
const streamEvents = async (
  ctx: CallerContext,
  { caller, request, reply }: Exchange,
  release: () => void,
) => {
  const { gateway, clock } = ctx;
  const stream = createSseStream(reply, { clock, slowReader: 'close' });
  const own = createOwnEvents(caller);
  const early: RestEvent[] = [];
  let isCaughtUp = false;

  const write = (event: RestEvent) => void stream.send({ id: nanoid(12), ...event });
  const publish = (event: RestEvent) => void (isCaughtUp ? write(event) : early.push(event));

  const cancels = [
    release,
    watchMachine(ctx, caller, ({ payload }) => publish({ event: 'status', data: payload })),
    gateway.calls.onChanged(caller.userId, (event) => {
      if (own.includes(event)) publish(callEventOf(event));
    }).stop,
  ];
  atClose(reply, () => {
    for (const cancel of cancels) cancel();
  });

  const { calls } = await gateway.calls.list(caller.userId, { limit: replayedCalls }, caller.via);
  for (const call of calls) own.know(call);
  const status = await machineStatus(gateway, caller);
  stream.open();
  write({ event: 'status', data: status });
  if (request.headers['last-event-id'] !== undefined)
    for (const call of calls.reverse()) write(callEventOf({ type: 'call', call }));
  for (const event of gateway.calls.liveOutputs(caller.userId))
    if (own.includes(event)) write(callEventOf(event));
  isCaughtUp = true;
  for (const event of early.splice(0)) write(event);
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
      return streamEvents(ctx, { ...exchange, caller }, ofPerson.acquire(caller.userId));
    },
  };
};

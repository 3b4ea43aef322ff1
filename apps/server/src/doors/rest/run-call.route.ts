import type { Call } from '@drawbridge/contracts/calls';
import { restBase, restLimits, restSchemas } from '@drawbridge/contracts/rest';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { AccessControl } from '../../auth/index.ts';
import {
  followOwnCall,
  idempotencyKey,
  isOpen,
  scopeTool,
  startCall,
  startCallOnce,
  type CallerContext,
  type NewCall,
} from '../../callers/index.ts';
import { disconnectSignal } from '../../http/index.ts';
import { preferHeader, waitMsOf } from './prefer.ts';
import { failures, json, onMachine, ownView, type Exchange, type Route } from './route.ts';

const { waitSeconds, mostWaitSeconds } = restLimits;
const keyHeader = 'Idempotency-Key';

/** The header by which a script names its call, as the document describes it. */
const idempotencyHeader = z.object({
  [keyHeader]: idempotencyKey.optional().meta({
    description: 'Identifies the call: an equal call with the same key runs once within 24 h.',
    examples: ['9b2c8f8e-6c0e-4f0a-9a43-0f6d5a1f7f31'],
  }),
});

/** The key of a request; undefined if it has none. Throws a `ZodError` for a malformed one. */
const idempotencyKeyOf = ({ headers }: FastifyRequest): string | undefined =>
  idempotencyHeader.parse({ [keyHeader]: headers[keyHeader.toLowerCase()] })[keyHeader];

/** Makes a call that has a key, or follows the one that it repeats. */
const runOnce = async (
  ctx: CallerContext,
  request: NewCall & { waitMs: number },
  { key, exchange: { caller, reply } }: { key: string; exchange: Exchange },
): Promise<Call> => {
  const started = await startCallOnce(ctx, request, key);
  if (started.kind === 'new') return started.call;
  void reply.header('idempotent-replayed', 'true');
  return followOwnCall(
    ctx,
    { caller, requestId: started.first },
    { waitMs: request.waitMs, signal: disconnectSignal(reply) },
  );
};

/** `POST /calls`: runs a tool. */
export const runCallRoute = (access: AccessControl): Route => ({
  method: 'post',
  path: '/calls',
  operation: {
    operationId: 'runCall',
    summary: 'Run a tool on the machine',
    description: [
      `The answer waits for the end of the call, at most ${waitSeconds} s; \`Prefer: wait=<seconds>\` sets another time, at most ${mostWaitSeconds} s.`,
      'After that, or at once with `Prefer: respond-async`, the answer is 202 and the call continues: `Location` is its address.',
      'A client that disconnects before the answer cancels its call, unless the call has an idempotency key.',
      'An equal call with the same key runs once: a repeat gets the first outcome, with `Idempotent-Replayed: true`.',
      'The person answers questions of the machine, in the panel or at the machine, never through this API: meanwhile the call is in state `awaiting-confirmation`.',
    ].join(' '),
    requestParams: { header: preferHeader.extend(idempotencyHeader.shape) },
    requestBody: { required: true, content: { 'application/json': { schema: restSchemas.NewCall } } },
    responses: {
      '200': json(
        restSchemas.Call,
        'The call has ended: see `state`. Failed and denied calls also return 200.',
      ),
      '202': {
        ...json(restSchemas.Call, 'The call goes on.'),
        headers: {
          Location: { description: 'The address of the call.', schema: { type: 'string' }, required: true },
        },
      },
      ...failures(
        'unknownTool',
        'notFound',
        'notConnected',
        'machinePaused',
        'gatewayDisabled',
        'tooManyCalls',
        'tooLarge',
        'tooDeep',
        'idempotencyKeyReused',
        'unsupportedMediaType',
        'storeUnavailable',
        'shuttingDown',
      ),
    },
  },
  handle: async (ctx, exchange) => {
    const { caller, request, reply } = exchange;
    const { name, arguments: args, machine } = restSchemas.NewCall.parse(request.body);
    const tool = await scopeTool(ctx.gateway, onMachine(caller, { machine }), name);
    const key = idempotencyKeyOf(request);
    const call = {
      tool,
      arguments: args,
      door: 'rest',
      until: 'ended',
      waitMs: waitMsOf(request, waitSeconds),
    } as const;
    const answer = (answered: Call) => {
      if (isOpen(answered))
        void reply.code(202).header('location', `${restBase}/calls/${answered.requestId}`);
      return ownView(answered);
    };
    if (key === undefined) return answer(await startCall(ctx, { ...call, signal: disconnectSignal(reply) }));
    // A client that has named its call can ask again: its leaving cancels nothing, the end of its token does.
    const ended = new AbortController();
    const unsubscribe = access.onRevoked(caller.access, () => ended.abort());
    try {
      return answer(await runOnce(ctx, { ...call, signal: ended.signal }, { key, exchange }));
    } finally {
      unsubscribe();
    }
  },
});

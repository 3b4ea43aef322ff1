import { restBase, restLimits, restSchemas, type Call } from '@drawbridge/contracts';
import type { AccessControl } from '../../auth/index.ts';
import type { Gateway } from '../../gateway/index.ts';
import type { Follow } from './follow.ts';
import { idempotencyHeader, idempotencyKeyOf } from './idempotency.ts';
import { leavingOf } from './leaving.ts';
import { isOpen } from './own-call.ts';
import { requireTool } from './own-tools.ts';
import { preferHeader, waitMsOf } from './prefer.ts';
import { failures, json } from './replies.ts';
import type { Route } from './route.ts';
import { watchRevoked } from './revoked.ts';
import type { Run } from './run.ts';

interface Needs {
  gateway: Gateway;
  access: AccessControl;
  follow: Follow;
  run: Run;
}

const { waitSeconds, mostWaitSeconds } = restLimits;

/** `POST /calls`: runs a tool. */
export const runCallRoute = ({ gateway, access, follow, run }: Needs): Route => ({
  method: 'post',
  path: '/calls',
  operation: {
    operationId: 'runCall',
    summary: 'Run a tool on the machine',
    description: [
      `The answer waits for the end of the call, at most ${waitSeconds} s; \`Prefer: wait=<seconds>\` sets another time, at most ${mostWaitSeconds} s.`,
      'After that, or at once with `Prefer: respond-async`, it is 202, and the call goes on: `Location` says where to look.',
      'A client that leaves before it is answered cancels its call, unless it has named it with an idempotency key.',
      'The same call with the same key is run once: its repeat is answered as the first, with `Idempotent-Replayed: true`.',
      'A question that the machine asks is answered by the person, in the panel or at the machine, and never here: the call waits meanwhile, in state `awaiting-confirmation`.',
    ].join(' '),
    requestParams: { header: preferHeader.extend(idempotencyHeader.shape) },
    requestBody: { required: true, content: { 'application/json': { schema: restSchemas.NewCall } } },
    responses: {
      '200': json(
        restSchemas.Call,
        'The call has ended: `state` says how. Also a call that failed or was denied is answered with 200.',
      ),
      '202': {
        ...json(restSchemas.Call, 'The call goes on.'),
        headers: {
          Location: { description: 'Where to get the call.', schema: { type: 'string' }, required: true },
        },
      },
      ...failures(
        'unknownTool',
        'notConnected',
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
  handle: async ({ caller, request, reply }) => {
    const call = restSchemas.NewCall.parse(request.body);
    await requireTool(gateway, caller, call.name);
    const key = idempotencyKeyOf(request);
    const waitMs = waitMsOf(request, waitSeconds);
    const leaving = leavingOf(reply);
    const answer = (answered: Call) => {
      if (isOpen(answered))
        void reply.code(202).header('location', `${restBase}/calls/${answered.requestId}`);
      return answered;
    };
    if (key === undefined) return answer(await run({ caller, call, signal: leaving }, waitMs));
    // A client that has named its call can ask again: its leaving takes nothing back, its token's end does.
    const revoked = watchRevoked(access, caller);
    try {
      const claim = await gateway.repeats.claim(caller.userId, call, { via: caller.via, key });
      if (claim.kind === 'new')
        return answer(await run({ caller, call, signal: revoked.signal, claim }, waitMs));
      void reply.header('idempotent-replayed', 'true');
      return answer(await follow(caller, claim.first, { waitMs, leaving }));
    } finally {
      revoked.stop();
    }
  },
});

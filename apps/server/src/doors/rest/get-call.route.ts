import { restCallParams, restLimits, restSchemas } from '@drawbridge/contracts';
import type { Clock } from '@drawbridge/kit';
import type { Gateway } from '../../gateway/index.ts';
import { leavingOf } from './leaving.ts';
import { isOpen, ownCall, requestIdOf } from './own-call.ts';
import { preferHeader, waitMsOf } from './prefer.ts';
import { failures, json } from './replies.ts';
import type { Route } from './route.ts';
import { callChange, delay } from './waits.ts';

/** `GET /calls/{requestId}`: one call, at once or when it has ended. */
export const getCallRoute = ({ gateway, clock }: { gateway: Gateway; clock: Clock }): Route => ({
  method: 'get',
  path: '/calls/{requestId}',
  operation: {
    operationId: 'getCall',
    summary: 'One call, with its result',
    description: `A call that was made with this token. \`Prefer: wait=<seconds>\` waits for its end, at most ${restLimits.mostWaitSeconds} s.`,
    requestParams: { path: restCallParams, header: preferHeader },
    responses: {
      '200': json(restSchemas.Call, 'The call as it is now; `state` tells whether it has ended.'),
      ...failures('notFound'),
    },
  },
  handle: async ({ caller, request, reply }) => {
    const requestId = requestIdOf(request);
    const waitMs = waitMsOf(request, 0);
    const change = callChange(
      gateway,
      caller.userId,
      (call) => call.requestId === requestId && !isOpen(call),
    );
    const time = delay(clock, waitMs);
    try {
      const call = await ownCall(gateway, caller, requestId);
      if (waitMs === 0 || !isOpen(call)) return call;
      const left = new Promise<void>((resolve) => {
        leavingOf(reply).addEventListener('abort', () => resolve(), { once: true });
      });
      await Promise.race([change.done, time.done, left]);
      return await ownCall(gateway, caller, requestId);
    } finally {
      change.stop();
      time.stop();
    }
  },
});

import { restCallParams, restLimits, restSchemas } from '@drawbridge/contracts/rest';
import { followOwnCall } from '../../callers/index.ts';
import { disconnectSignal } from '../../http/index.ts';
import { preferHeader, waitMsOf } from './prefer.ts';
import { failures, json, requestIdOf, type Route } from './route.ts';

/** `GET /calls/{requestId}`: one call, at once or when it has ended. */
export const getCallRoute: Route = {
  method: 'get',
  path: '/calls/{requestId}',
  operation: {
    operationId: 'getCall',
    summary: 'One call, with its result',
    description: `A call that was made with this token. \`Prefer: wait=<seconds>\` waits for its end, at most ${restLimits.mostWaitSeconds} s.`,
    requestParams: { path: restCallParams, header: preferHeader },
    responses: {
      '200': json(restSchemas.Call, 'The present state of the call; `state` shows whether it has ended.'),
      ...failures('notFound'),
    },
  },
  handle: (ctx, { caller, request, reply }) =>
    followOwnCall(
      ctx,
      { caller, requestId: requestIdOf(request) },
      { waitMs: waitMsOf(request, 0), signal: disconnectSignal(reply) },
    ),
};

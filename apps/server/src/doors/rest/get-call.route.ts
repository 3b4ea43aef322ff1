import { restCallParams, restLimits, restSchemas } from '@drawbridge/contracts';
import type { Follow } from './follow.ts';
import { leavingOf } from './leaving.ts';
import { requestIdOf } from './own-call.ts';
import { preferHeader, waitMsOf } from './prefer.ts';
import { failures, json } from './replies.ts';
import type { Route } from './route.ts';

/** `GET /calls/{requestId}`: one call, at once or when it has ended. */
export const getCallRoute = ({ follow }: { follow: Follow }): Route => ({
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
  handle: ({ caller, request, reply }) =>
    follow(caller, requestIdOf(request), { waitMs: waitMsOf(request, 0), leaving: leavingOf(reply) }),
});

import { restCallParams, restSchemas } from '@drawbridge/contracts';
import type { Gateway } from '../../gateway/index.ts';
import { ownCall, requestIdOf } from './own-call.ts';
import { failures, json } from './replies.ts';
import type { Route } from './route.ts';

/** `POST /calls/{requestId}/cancel`: stops an open call. */
export const cancelCallRoute = ({ gateway }: { gateway: Gateway }): Route => ({
  method: 'post',
  path: '/calls/{requestId}/cancel',
  operation: {
    operationId: 'cancelCall',
    summary: 'Stop a call',
    description:
      'A call that was made with this token. One that has ended stays as it is. `started` tells whether the tool had begun.',
    requestParams: { path: restCallParams },
    responses: { '200': json(restSchemas.Call, 'The call as it then is.'), ...failures('notFound') },
  },
  handle: async ({ caller, request }) => {
    const { requestId } = await ownCall(gateway, caller, requestIdOf(request));
    return gateway.cancelCall(caller.userId, requestId);
  },
});

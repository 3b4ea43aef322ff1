import { restCallParams, restSchemas } from '@drawbridge/contracts/rest';
import { cancelOwnCall } from '../../callers/index.ts';
import { failures, json, requestIdOf, type Route } from './route.ts';

/** `POST /calls/{requestId}/cancel`: stops an open call. */
export const cancelCallRoute: Route = {
  method: 'post',
  path: '/calls/{requestId}/cancel',
  operation: {
    operationId: 'cancelCall',
    summary: 'Stop a call',
    description:
      'A call that was made with this token. A call that has ended stays unchanged. `started` is whether the tool had started.',
    requestParams: { path: restCallParams },
    responses: { '200': json(restSchemas.Call, 'The call as it then is.'), ...failures('notFound') },
  },
  handle: (ctx, { caller, request }) => cancelOwnCall(ctx, caller, requestIdOf(request)),
};

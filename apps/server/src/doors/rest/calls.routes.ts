import { restCallParams, restLimits, restListQuery, restSchemas } from '@drawbridge/contracts/rest';
import { cancelOwnCall, followOwnCall } from '../../callers/index.ts';
import { disconnectSignal, requestIdOf } from '../../http/index.ts';
import { preferHeader, waitMsOf } from './prefer.ts';
import { failures, json, ownView, type Route } from './route.ts';

/** `GET /calls`: the caller's calls, newest first. */
export const listCallsRoute: Route = {
  method: 'get',
  path: '/calls',
  operation: {
    operationId: 'listCalls',
    summary: 'The calls that were made with this token, newest first',
    description:
      'Without arguments and results: get a call to see them. A page of a filter may hold fewer calls than `limit`, also none: only `nextCursor` tells whether there are more.',
    requestParams: { query: restListQuery },
    responses: {
      '200': json(restSchemas.CallPage, 'A page; `nextCursor` is null on the last one.'),
      ...failures(),
    },
  },
  handle: ({ gateway }, { caller, request }) =>
    gateway.calls.list(caller.userId, restListQuery.parse(request.query), caller.via),
};

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
  handle: async (ctx, { caller, request, reply }) => {
    const waiting = { waitMs: waitMsOf(request, 0), signal: disconnectSignal(reply) };
    return ownView(await followOwnCall(ctx, { caller, requestId: requestIdOf(request.params) }, waiting));
  },
};

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
  handle: async (ctx, { caller, request }) =>
    ownView(await cancelOwnCall(ctx, caller, requestIdOf(request.params))),
};

import { restListQuery, restSchemas } from '@drawbridge/contracts/rest';
import { failures, json, type Route } from './route.ts';

/** `GET /calls`: the caller's calls, newest first. */
export const listCallsRoute: Route = {
  method: 'get',
  path: '/calls',
  operation: {
    operationId: 'listCalls',
    summary: 'The calls that were made with this token, newest first',
    description: 'Without arguments and results: get a call to see them.',
    requestParams: { query: restListQuery },
    responses: {
      '200': json(restSchemas.CallPage, 'A page; `nextCursor` is null on the last one.'),
      ...failures(),
    },
  },
  handle: ({ gateway }, { caller, request }) =>
    gateway.calls.list(caller.userId, restListQuery.parse(request.query), caller.via),
};

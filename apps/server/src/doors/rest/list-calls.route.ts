import { restListQuery, restSchemas } from '@drawbridge/contracts';
import type { Gateway } from '../../gateway/index.ts';
import { failures, json } from './replies.ts';
import type { Route } from './route.ts';

/** `GET /calls`: the caller's calls, newest first. */
export const listCallsRoute = ({ gateway }: { gateway: Gateway }): Route => ({
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
  handle: ({ caller, request }) =>
    gateway.listCalls(caller.userId, restListQuery.parse(request.query), caller.via),
});

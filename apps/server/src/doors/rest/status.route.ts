import { restSchemas } from '@drawbridge/contracts';
import type { Gateway } from '../../gateway/index.ts';
import { failures, json } from './replies.ts';
import type { Route } from './route.ts';

/** `GET /status`: whether the machine is there, and what it offers. */
export const statusRoute = ({ gateway }: { gateway: Gateway }): Route => ({
  method: 'get',
  path: '/status',
  operation: {
    operationId: 'getStatus',
    summary: 'Whether the machine is connected',
    responses: { '200': json(restSchemas.Status, 'The machine as it is now.'), ...failures() },
  },
  handle: ({ caller }) => gateway.status(caller.userId),
});

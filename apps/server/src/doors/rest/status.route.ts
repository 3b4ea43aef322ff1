import { restSchemas } from '@drawbridge/contracts/rest';
import { machineStatus } from '../../callers/index.ts';
import { failures, json, type Route } from './route.ts';

/** `GET /status`: whether the machine is there, and what it offers. */
export const statusRoute: Route = {
  method: 'get',
  path: '/status',
  operation: {
    operationId: 'getStatus',
    summary: 'Whether the machine is connected',
    responses: { '200': json(restSchemas.Status, 'The machine as it is now.'), ...failures() },
  },
  handle: ({ gateway }, { caller }) => machineStatus(gateway, caller),
};

import { restSchemas } from '@drawbridge/contracts/rest';
import { machineOf, machineStatus, toolsInScope } from '../../callers/index.ts';
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

/** `GET /tools`: what the caller may call. */
export const toolsRoute: Route = {
  method: 'get',
  path: '/tools',
  operation: {
    operationId: 'listTools',
    summary: 'The tools that the token may call',
    description: 'While the machine is offline, the last known tools.',
    responses: {
      '200': json(restSchemas.Tools, "The machine's tools in the groups of the token."),
      ...failures(),
    },
  },
  handle: async ({ gateway }, { caller }) => ({
    tools: toolsInScope(await machineOf(gateway, caller), caller),
  }),
};

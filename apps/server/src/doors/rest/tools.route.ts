import { restSchemas } from '@drawbridge/contracts/rest';
import { machineOf, toolsInScope } from '../../callers/index.ts';
import { failures, json, type Route } from './route.ts';

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

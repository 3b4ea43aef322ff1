import { restSchemas } from '@drawbridge/contracts';
import type { Gateway } from '../../gateway/index.ts';
import { ownTools } from './own-tools.ts';
import { failures, json } from './replies.ts';
import type { Route } from './route.ts';

/** `GET /tools`: what the caller may call. */
export const toolsRoute = ({ gateway }: { gateway: Gateway }): Route => ({
  method: 'get',
  path: '/tools',
  operation: {
    operationId: 'listTools',
    summary: 'The tools that the token may call',
    description: 'Empty while no machine is connected.',
    responses: {
      '200': json(restSchemas.Tools, "The machine's tools in the groups of the token."),
      ...failures(),
    },
  },
  handle: async ({ caller }) => ({ tools: await ownTools(gateway, caller) }),
});

import { restMachineQuery, restSchemas } from '@drawbridge/contracts/rest';
import { machineChoices, machineOf, machineStatus, toolsInScope } from '../../callers/index.ts';
import { failures, json, onMachine, type Route } from './route.ts';

/** `GET /machines`: what the token may use. */
export const machinesRoute: Route = {
  method: 'get',
  path: '/machines',
  operation: {
    operationId: 'listMachines',
    summary: 'The machines that the token may use',
    responses: {
      '200': json(restSchemas.Machines, 'Oldest first, also those that are away.'),
      ...failures(),
    },
  },
  handle: async ({ gateway }, { caller }) => ({ machines: await machineChoices(gateway, caller) }),
};

/** `GET /status`: whether the machine is there, and what it offers. */
export const statusRoute: Route = {
  method: 'get',
  path: '/status',
  operation: {
    operationId: 'getStatus',
    summary: 'Whether the machine is connected',
    requestParams: { query: restMachineQuery },
    responses: { '200': json(restSchemas.Status, 'The machine as it is now.'), ...failures('notFound') },
  },
  handle: ({ gateway }, { caller, request }) =>
    machineStatus(gateway, onMachine(caller, restMachineQuery.parse(request.query))),
};

/** `GET /tools`: what the caller may call. */
export const toolsRoute: Route = {
  method: 'get',
  path: '/tools',
  operation: {
    operationId: 'listTools',
    summary: 'The tools that the token may call',
    description: 'While the machine is offline, the last known tools.',
    requestParams: { query: restMachineQuery },
    responses: {
      '200': json(restSchemas.Tools, "The machine's tools in the groups of the token."),
      ...failures('notFound'),
    },
  },
  handle: async ({ gateway }, { caller, request }) => {
    const meant = onMachine(caller, restMachineQuery.parse(request.query));
    return { tools: toolsInScope(await machineOf(gateway, meant), caller) };
  },
};

import { z } from 'zod';
import { callEvent, callPage, call, listCallsInput } from './calls.ts';
import { errorBody } from './errors.ts';
import { gatewayStatus, machineChoice, stateChanged } from './gateway.ts';
import { requestId } from './ids.ts';
import { toolCall } from './tool-call.ts';
import { tool, toolList } from './tool.ts';

/** The path prefix of the REST API. */
export const restBase = '/api/v1';

/** Limits of the REST API. */
export const restLimits = {
  /** The default wait of a request for the end of its call, and the maximum, in seconds. */
  waitSeconds: 50,
  mostWaitSeconds: 300,
  /** The newest calls that a reconnecting reader gets. */
  replayedCalls: 100,
  /** Open event streams per token. */
  streamsPerToken: 10,
} as const;

/** The machine of a request. */
const restMachine = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/)
  .meta({
    description:
      'A machine by its name or id, as `GET /machines` lists them. Without it: the only one that the token may use, else the default.',
  });
export const restMachineQuery = z.strictObject({ machine: restMachine.optional() });

/** The schemas of the REST API, by their names in its OpenAPI document. */
export const restSchemas = {
  Machine: machineChoice,
  Machines: z.object({ machines: z.array(machineChoice) }),
  Status: gatewayStatus,
  Tool: tool,
  Tools: toolList,
  NewCall: z.strictObject({
    name: toolCall.shape.name.meta({ description: 'The name of a tool, as in the list of tools.' }),
    arguments: toolCall.shape.arguments
      .default({})
      .meta({ description: "What the tool's `inputSchema` asks for." }),
    machine: restMachine.optional(),
  }),
  Call: call,
  CallPage: callPage,
  CallEvent: callEvent,
  StatusEvent: stateChanged,
  Error: errorBody,
} as const;

export const restCallParams = z.object({
  requestId: requestId.meta({ description: 'The id of the call: `requestId` of its answer.' }),
});

const { machine, tool: toolName, state, ruling, q, from, to } = listCallsInput.shape;

export const restListQuery = z.strictObject({
  machine: machine.meta({ description: 'The id of a machine.' }),
  tool: toolName.meta({ description: 'The name of a tool.' }),
  state: state.meta({ description: 'The state of the call.' }),
  ruling: ruling.meta({
    description: 'What decided the call: `asked` for a question, else `rule` or `mode`.',
  }),
  q: q.meta({ description: 'A part of `subject`, in any case.' }),
  from: from.meta({ description: 'Made at this time or later.' }),
  to: to.meta({ description: 'Made before this time.' }),
  cursor: z
    .string()
    .max(200)
    .optional()
    .meta({ description: '`nextCursor` of the page before. Without it: the newest.' }),
  limit: z.coerce.number().int().min(1).max(100).default(50).meta({ description: 'Calls on a page.' }),
});

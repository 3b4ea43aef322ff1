import { z } from 'zod';
import { callEvent, callPage, call, listCallsInput } from './calls.ts';
import { errorBody } from './errors.ts';
import { gatewayStatus, stateChanged } from './gateway.ts';
import { requestId } from './ids.ts';
import { toolCall } from './tool-call.ts';
import { tool } from './tool.ts';

/** Where the REST surface begins. */
export const restBase = '/api/v1';

/** Numbers of the REST surface. */
export const restLimits = {
  /** How long a request for a call waits for its end, and how long it may ask to, in seconds. */
  waitSeconds: 50,
  mostWaitSeconds: 300,
  /** Calls that a reader who comes back hears of again: the newest. */
  replayedCalls: 100,
  /** Streams of events that one token may have open. */
  streamsPerToken: 10,
} as const;

/** What the REST surface takes and gives, by the names that its document uses. */
export const restSchemas = {
  Status: gatewayStatus,
  Tool: tool,
  Tools: z.object({ tools: z.array(tool) }),
  NewCall: z.strictObject({
    name: toolCall.shape.name.meta({ description: 'The name of a tool, as in the list of tools.' }),
    arguments: toolCall.shape.arguments
      .default({})
      .meta({ description: "What the tool's `inputSchema` asks for." }),
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

/** A page of calls, from the text of a query. */
export const restListQuery = listCallsInput.extend({
  cursor: z
    .string()
    .max(200)
    .optional()
    .meta({ description: '`nextCursor` of the page before. Without it: the newest.' }),
  limit: z.coerce.number().int().min(1).max(100).default(50).meta({ description: 'Calls on a page.' }),
});

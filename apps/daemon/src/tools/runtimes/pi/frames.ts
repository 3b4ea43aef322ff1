import { z } from 'zod';

const text = z.string();
const usage = z.object({
  input: z.number().catch(0),
  cacheRead: z.number().catch(0),
  cacheWrite: z.number().catch(0),
});

const message = z.object({
  role: text,
  stopReason: text.optional(),
  errorMessage: text.optional(),
  usage: usage.optional().catch(undefined),
});
export type Message = z.infer<typeof message>;

/** What is needed of the records of Pi (`--mode rpc`); all else is left out. */
export const frame = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('response'),
    command: text,
    success: z.boolean(),
    error: text.optional(),
    data: z.object({ messageCount: z.number().optional() }).optional().catch(undefined),
  }),
  z.object({
    type: z.literal('extension_ui_request'),
    id: text,
    method: text,
    title: text.optional(),
    placeholder: text.optional(),
    statusKey: text.optional(),
  }),
  z.object({ type: z.literal('extension_error'), error: text }),
  z.object({
    type: z.literal('message_update'),
    assistantMessageEvent: z.object({ type: text, delta: text.optional() }),
  }),
  z.object({ type: z.literal('message_end'), message }),
  z.object({
    type: z.literal('tool_execution_start'),
    toolCallId: text,
    toolName: text,
    args: z.unknown(),
  }),
  z.object({
    type: z.literal('tool_execution_end'),
    toolCallId: text,
    result: z.object({
      content: z.array(z.object({ text: text.optional() })).catch([]),
    }),
    isError: z.boolean(),
  }),
  z.object({ type: z.literal('auto_retry_start'), delayMs: z.number() }),
  z.object({ type: z.literal('agent_settled') }),
]);
export type Frame = z.infer<typeof frame>;

/** What its gate asks. */
export const toolRequest = z.object({
  toolCallId: text,
  toolName: text,
  input: z.record(text, z.unknown()),
});
export type ToolRequest = z.infer<typeof toolRequest>;

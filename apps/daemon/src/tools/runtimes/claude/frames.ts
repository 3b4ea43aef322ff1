import { z } from 'zod';

const usage = z.object({
  input_tokens: z.number().catch(0),
  cache_read_input_tokens: z.number().nullish(),
  cache_creation_input_tokens: z.number().nullish(),
});

const block = z.object({
  type: z.string(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.unknown().optional(),
  tool_use_id: z.string().optional(),
  content: z.unknown().optional(),
  is_error: z.boolean().nullish(),
});
export type Block = z.infer<typeof block>;

const message = z.object({
  content: z.union([z.string().transform((): Block[] => []), z.array(block)]).catch([]),
});
const parent = { parent_tool_use_id: z.string().nullish() };

export const toolRequest = z.object({
  subtype: z.literal('can_use_tool'),
  tool_name: z.string(),
  input: z.record(z.string(), z.unknown()),
  tool_use_id: z.string(),
});
export type ToolRequest = z.infer<typeof toolRequest>;

/** What is needed of the stream of Claude Code (`--output-format stream-json`); all else is left out. */
export const frame = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('system'),
    subtype: z.string(),
    permissionMode: z.string().nullish(),
    retry_delay_ms: z.number().optional(),
  }),
  z.object({
    type: z.literal('stream_event'),
    ...parent,
    event: z.object({
      type: z.string(),
      message: z.object({ usage: usage.nullish() }).optional(),
      delta: z.object({ text: z.string().optional(), thinking: z.string().optional() }).optional(),
    }),
  }),
  z.object({ type: z.literal('assistant'), message }),
  z.object({ type: z.literal('user'), message }),
  z.object({ type: z.literal('control_request'), request_id: z.string(), request: z.unknown() }),
  z.object({ type: z.literal('control_cancel_request'), request_id: z.string() }),
  z.object({
    type: z.literal('control_response'),
    response: z.object({ request_id: z.string(), subtype: z.string(), error: z.string().optional() }),
  }),
  z.object({
    type: z.literal('result'),
    subtype: z.string(),
    is_error: z.boolean().optional(),
    result: z.string().optional(),
    errors: z.array(z.string()).optional().catch(undefined),
    stop_reason: z.string().nullish(),
  }),
]);
export type Frame = z.infer<typeof frame>;

export const tokensOf = ({
  input_tokens,
  cache_read_input_tokens,
  cache_creation_input_tokens,
}: z.infer<typeof usage>): number =>
  input_tokens + (cache_read_input_tokens ?? 0) + (cache_creation_input_tokens ?? 0);

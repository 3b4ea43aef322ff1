import { z } from 'zod';

/** Limits on what a daemon may announce. */
export const toolLimits = {
  maxTools: 200,
  maxNameLength: 64,
  maxDescriptionLength: 20_000,
  maxSchemaDepth: 32,
  maxSchemaNodes: 1_000,
} as const;

const jsonObject = z.record(z.string(), z.unknown());

/** Hints about a tool, MCP's words plus the group that the published daemons add. Untrusted: for showing only. */
export const toolAnnotations = z.looseObject({
  title: z.string().max(200).optional(),
  readOnlyHint: z.boolean().optional(),
  destructiveHint: z.boolean().optional(),
  idempotentHint: z.boolean().optional(),
  openWorldHint: z.boolean().optional(),
  category: z.string().max(64).optional(),
});

/** A tool as MCP describes it (`tools/list`). */
export const tool = z.object({
  name: z
    .string()
    .regex(/^[A-Za-z0-9_.-]+$/)
    .max(toolLimits.maxNameLength),
  title: z.string().max(200).optional(),
  description: z.string().max(toolLimits.maxDescriptionLength).optional(),
  inputSchema: jsonObject,
  outputSchema: jsonObject.optional(),
  annotations: toolAnnotations.optional(),
});
export type Tool = z.infer<typeof tool>;

/** What any block may say of itself. */
const ofBlock = { annotations: jsonObject.optional(), _meta: jsonObject.optional() };
const textContent = z.object({ type: z.literal('text'), text: z.string(), ...ofBlock });
const imageContent = z.object({
  type: z.literal('image'),
  data: z.base64(),
  mimeType: z.string().max(100),
  ...ofBlock,
});
const audioContent = z.object({
  type: z.literal('audio'),
  data: z.base64(),
  mimeType: z.string().max(100),
  ...ofBlock,
});
const resourceContent = z.object({
  type: z.literal('resource'),
  ...ofBlock,
  resource: z.looseObject({
    uri: z.string(),
    mimeType: z.string().max(100).optional(),
    text: z.string().optional(),
    blob: z.base64().optional(),
  }),
});
const resourceLink = z.looseObject({ type: z.literal('resource_link'), uri: z.string(), name: z.string() });

/** One block of a result, as in MCP's `tools/call`. */
export const content = z.discriminatedUnion('type', [
  textContent,
  imageContent,
  audioContent,
  resourceContent,
  resourceLink,
]);
export type Content = z.infer<typeof content>;

/**
 * What only our own daemon says about how a call ended, in the result's `_meta`.
 * `outcome` names an end that the text alone would leave to guessing; `started` tells whether the tool had begun.
 */
export const resultMeta = z.looseObject({
  'drawbridge/outcome': z.enum(['denied', 'cancelled', 'lost']).optional(),
  'drawbridge/started': z.boolean().optional(),
});

/** A tool's result, as in MCP's `tools/call`. */
export const toolResult = z.object({
  content: z.array(content),
  structuredContent: jsonObject.optional(),
  isError: z.boolean().optional(),
  _meta: resultMeta.optional(),
});
export type ToolResult = z.infer<typeof toolResult>;

/** A tool's name and its arguments, as the wire carries them. */
export const toolCall = z.object({
  name: z.string().min(1).max(toolLimits.maxNameLength),
  arguments: jsonObject,
});
export type ToolCall = z.infer<typeof toolCall>;

/** The argument that carries a decision on the wire. From a caller it is removed at the gateway's door. */
export const confirmationArgument = '_confirmation';

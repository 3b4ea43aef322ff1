import { z } from 'zod';
import { callRulings } from './names/calls.ts';
import { preview } from './preview.ts';
import { jsonObject } from './tool-call.ts';

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

/** A file that `export_file` gives. */
export const exportedFileBytes = 8 * 1024 * 1024;

export const changedRunFilesLimits = { paths: 20, pathLength: 4_096 } as const;

/** Files that other programs run and a command changed: some paths from the shared folder, of `count`. */
const changedRunFiles = z.object({
  paths: z.array(z.string().max(changedRunFilesLimits.pathLength)).max(changedRunFilesLimits.paths),
  count: z.int().positive(),
});
export type ChangedRunFiles = z.infer<typeof changedRunFiles>;

export const allowedLimits = { rules: 20, labelLength: 4_096 } as const;

/**
 * Why a call ran without a question: the rules that allow it, or with none of them its groups' modes.
 * `covers` identifies a rule in the list of rules. `preview`: what the call changed.
 */
const allowed = z.object({
  rules: z
    .array(z.object({ label: z.string().max(allowedLimits.labelLength), covers: z.string().max(64) }))
    .max(allowedLimits.rules),
  preview: preview.optional(),
});
export type Allowed = z.infer<typeof allowed>;

/**
 * The end of a call in the `_meta` of our own daemon's results. `started`: whether the tool had started.
 * `ruling`: what refused it, or let it run until it failed; see `rulings` of `daemonFeatures`.
 */
export const resultMeta = z.looseObject({
  'drawbridge/outcome': z.enum(['denied', 'cancelled', 'lost']).optional(),
  'drawbridge/started': z.boolean().optional(),
  'drawbridge/ruling': z.enum(callRulings).exclude(['asked']).optional(),
  'drawbridge/changedRunFiles': changedRunFiles.optional(),
  'drawbridge/allowed': allowed.optional(),
});

/** A tool's result, as in MCP's `tools/call`. */
export const toolResult = z.object({
  content: z.array(content),
  structuredContent: jsonObject.optional(),
  isError: z.boolean().optional(),
  _meta: resultMeta.optional(),
});
export type ToolResult = z.infer<typeof toolResult>;

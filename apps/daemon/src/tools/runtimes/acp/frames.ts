import { z } from 'zod';

/** What is needed of the Agent Client Protocol, version 1 (agentclientprotocol.com); all else is left out. */
export const initialized = z.object({
  protocolVersion: z.number(),
  agentCapabilities: z
    .object({
      loadSession: z.boolean().optional(),
      promptCapabilities: z.object({ image: z.boolean().optional() }).nullish(),
    })
    .nullish(),
});

const modeState = z.object({
  currentModeId: z.string(),
  availableModes: z.array(z.object({ id: z.string() })),
});
export type ModeState = z.infer<typeof modeState>;

export const newSession = z.object({ sessionId: z.string(), modes: modeState.nullish() });
export const loadedSession = z.object({ modes: modeState.nullish() }).nullish();
export const ended = z.object({ stopReason: z.string() });
export const nothing = z.unknown().optional();

const contentBlock = z.object({ type: z.string(), text: z.string().optional() });

const toolContent = z.object({
  type: z.string(),
  path: z.string().optional(),
  oldText: z.string().nullish(),
  newText: z.string().optional(),
  content: contentBlock.optional().catch(undefined),
});

const toolCall = z.object({
  toolCallId: z.string(),
  title: z.string().nullish(),
  kind: z.string().nullish(),
  status: z.string().nullish(),
  content: z.array(toolContent).nullish(),
  locations: z.array(z.object({ path: z.string() })).nullish(),
  rawInput: z.unknown().optional(),
});
export type ToolCall = z.infer<typeof toolCall>;

const of = <Name extends string>(name: Name) => ({ sessionUpdate: z.literal(name) });

export const sessionUpdate = z.object({
  sessionId: z.string(),
  update: z.discriminatedUnion('sessionUpdate', [
    z.object({ ...of('agent_message_chunk'), content: contentBlock }),
    z.object({ ...of('agent_thought_chunk'), content: contentBlock }),
    toolCall.extend(of('tool_call')),
    toolCall.extend(of('tool_call_update')),
    z.object({
      ...of('plan'),
      entries: z.array(z.object({ content: z.string(), status: z.string() })),
    }),
    z.object({ ...of('current_mode_update'), currentModeId: z.string() }),
    z.object({ ...of('usage_update'), used: z.int().nonnegative() }),
  ]),
});
export type SessionUpdate = z.infer<typeof sessionUpdate>['update'];

export const permissionRequest = z.object({
  sessionId: z.string(),
  toolCall,
  options: z.array(z.object({ optionId: z.string(), kind: z.string() })),
});
const option = z.object({ const: z.string(), title: z.string().nullish() });
const named = { title: z.string().nullish(), description: z.string().nullish() };

/** One field of a form. What is of another type, or wants more than is known here, is declined. */
const field = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('string'),
    ...named,
    format: z.enum(['email', 'uri', 'date', 'date-time']).nullish(),
    enum: z.array(z.string()).nullish(),
    oneOf: z.array(option).nullish(),
  }),
  z.object({ type: z.literal('boolean'), ...named }),
  z.object({ type: z.enum(['number', 'integer']), ...named }),
  z.object({
    type: z.literal('array'),
    ...named,
    items: z.object({ enum: z.array(z.string()).nullish(), anyOf: z.array(option).nullish() }),
  }),
]);
export type Field = z.infer<typeof field>;

export const formRequest = z.object({
  sessionId: z.string(),
  mode: z.literal('form'),
  message: z.string(),
  requestedSchema: z.object({
    properties: z.record(z.string(), field),
    required: z.array(z.string()).nullish(),
  }),
});
export type FormRequest = z.infer<typeof formRequest>;

export type PermissionRequest = z.infer<typeof permissionRequest>;

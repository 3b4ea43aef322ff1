import { z } from 'zod';
import { httpUrl } from '../input/invalid-input.ts';

export const agentActions = [
  'fetchUrl',
  'webSearch',
  'executeMcpTool',
  'remember',
  'delegate',
  'background',
  'domainWrite',
  'workspace',
  'sendFile',
] as const;
export const agentAction = z.enum(agentActions);
export type AgentAction = z.infer<typeof agentAction>;
export const agentPolicy = z.enum(['require_approval', 'always_allow', 'blocked']);
export type AgentPolicy = z.infer<typeof agentPolicy>;

/** Without a row of the owner. */
export const defaultPolicies = {
  fetchUrl: 'require_approval',
  webSearch: 'always_allow',
  executeMcpTool: 'require_approval',
  remember: 'always_allow',
  delegate: 'always_allow',
  background: 'always_allow',
  domainWrite: 'require_approval',
  workspace: 'always_allow',
  sendFile: 'require_approval',
} as const satisfies Record<AgentAction, AgentPolicy>;

/** A secret is written, never read: `null` removes it, left out keeps it. */
const secret = z.string().min(1).max(500).nullable().optional();
const price = z.number().min(0).max(10_000);

export const mcpServer = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]{1,32}$/),
  url: httpUrl,
});

/** `local`: each chat has a folder on the server, with file tools and a shell. */
export const workspaceKinds = ['none', 'local'] as const;
const workspaceKind = z.enum(workspaceKinds);

/** What the owner may change; it wins over the environment. */
export const agentSettingsInput = z.strictObject({
  /** `anthropic/…`, `openai/…`, `google/…`, or a bare name with a URL. Null: as in the environment. */
  model: z.string().trim().min(1).max(200).nullable().optional(),
  modelUrl: httpUrl.nullable().optional(),
  modelKey: secret,
  helperModel: z.string().trim().min(1).max(200).nullable().optional(),
  contextTokens: z.number().int().min(2_000).max(10_000_000).nullable().optional(),
  /** Per million tokens, in the owner's currency. */
  prices: z.strictObject({ input: price, cached: price, output: price }).nullable().optional(),
  tokensPerDay: z.number().int().min(1_000).nullable().optional(),
  costPerDay: z.number().min(0).nullable().optional(),
  policy: z.partialRecord(agentAction, agentPolicy).optional(),
  mcpServers: z.array(mcpServer).max(20).nullable().optional(),
  searxngUrl: httpUrl.nullable().optional(),
  braveKey: secret,
  n8nUrl: httpUrl.nullable().optional(),
  workspaces: workspaceKind.nullable().optional(),
});
export type AgentSettingsInput = z.infer<typeof agentSettingsInput>;

/** Settings that are tested before they are saved. What is left out is as saved. */
export const settingsDraft = agentSettingsInput.pick({
  model: true,
  modelUrl: true,
  modelKey: true,
  mcpServers: true,
  searxngUrl: true,
  braveKey: true,
  n8nUrl: true,
});
export type SettingsDraft = z.infer<typeof settingsDraft>;

/** Whether a secret is set, with its last four characters. */
const secretView = z.object({ lastFour: z.string() }).nullable();

/** Keys of one person. `n8nUrl` is where the key is sent; null while the owner has set none. */
export const userKeys = z.object({ n8nUrl: z.string().nullable(), n8n: secretView });
export type UserKeys = z.infer<typeof userKeys>;
export const userKeysInput = z.strictObject({ n8n: secret });
export type UserKeysInput = z.infer<typeof userKeysInput>;

export const agentSettings = z.object({
  model: z.string().nullable(),
  modelUrl: z.string().nullable(),
  modelKey: secretView,
  helperModel: z.string().nullable(),
  contextTokens: z.number().nullable(),
  prices: z.object({ input: z.number(), cached: z.number(), output: z.number() }).nullable(),
  tokensPerDay: z.number().nullable(),
  costPerDay: z.number().nullable(),
  policy: z.record(agentAction, agentPolicy),
  mcpServers: z.array(mcpServer),
  searxngUrl: z.string().nullable(),
  braveKey: secretView,
  n8nUrl: z.string().nullable(),
  workspaces: workspaceKind,
  /** Whether chats have workspaces; `problem` is why not, in a sentence, where they are wanted. */
  workspace: z.object({ isOn: z.boolean(), problem: z.string().nullable() }),
  /** The settings that come from the environment. */
  fromEnvironment: z.array(z.string()),
});
export type AgentSettings = z.infer<typeof agentSettings>;

/** `enabled`: a model is chosen. `module`: false where `DISABLED_MODULES` names the agent. */
export const agentStatus = z.object({
  module: z.boolean(),
  enabled: z.boolean(),
  model: z.string().nullable(),
});
export type AgentStatus = z.infer<typeof agentStatus>;

export const verifyTargets = ['model', 'search', 'mcp', 'domain'] as const;
export const verifyTarget = z.enum(verifyTargets);
export type VerifyTarget = z.infer<typeof verifyTarget>;
/** One line of a test: what was tried, and where it failed what to do. */
export const checkLine = z.object({
  name: z.string(),
  state: z.enum(['ok', 'failed', 'skipped']),
  text: z.string(),
});
export type CheckLine = z.infer<typeof checkLine>;
export const verifyReply = z.object({ lines: z.array(checkLine) });
export type VerifyReply = z.infer<typeof verifyReply>;

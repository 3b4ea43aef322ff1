import { mcpServer, workspaceKinds } from '@drawbridge/contracts/agent/settings';
import { runtimeId } from '@drawbridge/contracts/machines/runtimes';
import { z } from 'zod';
import { apiKey, httpUrl, onOff, setting, whole } from '../program/setting.ts';

const dayMs = 24 * 60 * 60 * 1_000;
const million = 1_000_000;

const modelName = z.string().trim().min(1).max(200);

/** `name=url,…`. */
const mcpServers = z
  .string()
  .transform((text) =>
    text.split(',').map((entry) => {
      const [name = '', ...url] = entry.trim().split('=');
      return { name, url: url.join('=') };
    }),
  )
  .pipe(z.array(mcpServer, { error: 'must be a list of name=url, separated by commas' }).max(20));

/** Modules that can be left out of the server. */
const modules = z.string().transform((text) =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean),
);

/** `native`, and names of coding agents. */
const backends = z
  .string()
  .transform((text) => text.split(',').map((name) => name.trim()))
  .pipe(z.array(z.union([z.literal('native'), runtimeId])).max(17));

const money = z
  .stringFormat('amount', /^\d{1,9}(\.\d{1,6})?$/, { error: 'must be an amount such as 2.50' })
  .transform(Number);

const vendorKey = (variable: string, vendor: string) =>
  setting(
    variable,
    `The API key for models of ${vendor}, where \`AGENT_MODEL_API_KEY\` is not set.`,
    apiKey.optional(),
  );

export const agentConfig = z.object({
  disabledModules: setting(
    'DISABLED_MODULES',
    'Modules that are left out, separated by commas: `instance-ai` is the built-in agent. Also read as `N8N_DISABLED_MODULES`.',
    modules.default([]),
  ),
  agentModel: setting(
    'AGENT_MODEL',
    'The model of the agent: `anthropic/…`, `openai/…`, `google/…`, or the name of a model at `AGENT_MODEL_URL`. A name there that begins with a vendor is written `compatible/<name>`. Unset: the agent is off. Also read as `N8N_INSTANCE_AI_MODEL`.',
    modelName.optional(),
  ),
  runtimeBackends: setting(
    'RUNTIME_BACKENDS',
    'What answers a chat that has no choice of its own, separated by commas: the first that can. `native` is the built-in agent, the others are coding agents that machines offer, such as `gemini,native`.',
    backends.prefault('native'),
  ),
  agentModelUrl: setting(
    'AGENT_MODEL_URL',
    "The base URL of the model's API, such as `http://127.0.0.1:11434/v1`. Default: the vendor's. Also read as `N8N_INSTANCE_AI_MODEL_URL`.",
    httpUrl.optional(),
  ),
  agentModelKey: setting(
    'AGENT_MODEL_API_KEY',
    'The API key for the model. Also read as `N8N_INSTANCE_AI_MODEL_API_KEY`.',
    apiKey.optional(),
  ),
  anthropicKey: vendorKey('ANTHROPIC_API_KEY', 'Anthropic'),
  openaiKey: vendorKey('OPENAI_API_KEY', 'OpenAI'),
  googleKey: vendorKey('GOOGLE_GENERATIVE_AI_API_KEY', 'Google'),
  agentHelperModel: setting(
    'AGENT_HELPER_MODEL',
    'The model for titles, notes and summaries. Default: `AGENT_MODEL`.',
    modelName.optional(),
  ),
  agentContextTokens: setting(
    'AGENT_CONTEXT_TOKENS',
    'The context of the model, in tokens. Default: known for common models, else 32000.',
    whole(2_000, 10 * million).optional(),
  ),
  agentMaxOutputTokens: setting(
    'AGENT_MAX_OUTPUT_TOKENS',
    'The longest answer of the model, in tokens.',
    whole(256, million).prefault('8192'),
  ),
  agentMcpServers: setting(
    'AGENT_MCP_SERVERS',
    'MCP servers whose tools the agent may use, as `name=url`, separated by commas. Also read as `N8N_INSTANCE_AI_MCP_SERVERS`.',
    mcpServers.optional(),
  ),
  agentSearxngUrl: setting(
    'AGENT_SEARXNG_URL',
    'The URL of a SearXNG that the agent searches with. Also read as `N8N_INSTANCE_AI_SEARXNG_URL`.',
    httpUrl.optional(),
  ),
  agentBraveKey: setting(
    'AGENT_BRAVE_KEY',
    'The API key of Brave Search, which is used before SearXNG. Also read as `INSTANCE_AI_BRAVE_SEARCH_API_KEY`.',
    apiKey.optional(),
  ),
  agentObserverTokens: setting(
    'AGENT_OBSERVER_TOKENS',
    'Tokens of messages after which the agent replaces older ones by notes. Also read as `N8N_INSTANCE_AI_OBSERVER_MESSAGE_TOKENS`.',
    whole(1_000, 10 * million).prefault('30000'),
  ),
  agentReflectorTokens: setting(
    'AGENT_REFLECTOR_TOKENS',
    'Tokens of notes after which the agent condenses them. Also read as `N8N_INSTANCE_AI_REFLECTOR_OBSERVATION_TOKENS`.',
    whole(1_000, 10 * million).prefault('40000'),
  ),
  /** Null: no run knows the memory. */
  agentMemoryNamespace: setting(
    'AGENT_MEMORY_NAMESPACE',
    "The first part of the names under which the agent reads a person's memory, `user/profile` and `user/working`. `none`: no run reads or changes it.",
    z
      .string()
      .regex(/^[a-z0-9-]{1,32}$/, 'must be letters, digits and hyphens')
      .transform((name) => (name === 'none' ? null : name))
      .prefault('user'),
  ),
  agentAskTtlMs: setting(
    'AGENT_ASK_TTL_MS',
    'How long a question of the agent waits for its answer, in milliseconds; then it is denied. Also read as `N8N_INSTANCE_AI_CONFIRMATION_TIMEOUT`.',
    whole(1_000, 30 * dayMs).prefault(String(dayMs)),
  ),
  /** Null: forever. */
  keepThreadsMs: setting(
    'KEEP_THREADS_DAYS',
    'Days after its last message after which a chat is deleted; 0 keeps chats forever. Also read as `N8N_INSTANCE_AI_THREAD_TTL_DAYS`.',
    whole(0, 36_500)
      .transform((days) => (days === 0 ? null : days * dayMs))
      .prefault('90'),
  ),
  agentMaxRuns: setting(
    'AGENT_MAX_RUNS',
    'Runs of the agent that may work at once; a run that waits for its user does not count. Further messages wait.',
    whole(1, 10_000).prefault('32'),
  ),
  agentMaxRunsPerUser: setting(
    'AGENT_MAX_RUNS_PER_USER',
    'Runs of one user that may work at once.',
    whole(1, 1_000).prefault('8'),
  ),
  agentTokensPerDay: setting(
    'AGENT_TOKENS_PER_DAY',
    'Tokens that the agent may use for one user in a day.',
    whole(1_000, 1_000_000 * million).prefault('10000000'),
  ),
  agentCostPerDay: setting(
    'AGENT_COST_PER_DAY',
    'What the agent may cost for one user in a day, in the currency of the prices in Settings. Default: no limit.',
    money.optional(),
  ),
  agentDeferredTools: setting(
    'AGENT_DEFERRED_TOOLS',
    'Whether the model searches for tools and loads them, instead of seeing all of them.',
    onOff.prefault('true'),
  ),
  agentMaskSecrets: setting(
    'AGENT_MASK_SECRETS',
    'Whether secrets of known forms are left out of what the model reads.',
    onOff.prefault('true'),
  ),
  agentWorkspace: setting(
    'AGENT_WORKSPACE',
    '`local` gives each chat a folder on the server with file tools and a shell, in a container of bubblewrap (Linux). `none`: no chat has one. The owner can change it in Settings.',
    z.enum(workspaceKinds).prefault('none'),
  ),
  otlpEndpoint: setting(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    "The base URL of an OpenTelemetry receiver (OTLP over HTTP), such as `http://127.0.0.1:4318`. Traces of the agent's work are sent to it. Unset: nothing is traced. `OTEL_EXPORTER_OTLP_HEADERS` is sent with them.",
    httpUrl.optional(),
  ),
  agentTraceContent: setting(
    'AGENT_TRACE_CONTENT',
    'Whether traces hold messages and results, without keys.',
    onOff.prefault('false'),
  ),
  agentRecord: setting(
    'AGENT_RECORD',
    'A folder into which each exchange with the model is written, for tests that replay it: at most 1,000 after a start, without keys and secrets of known forms. They hold whole conversations. Unset: nothing is written.',
    z.string().trim().min(1).optional(),
  ),
});

export type AgentEnvironment = z.output<typeof agentConfig>;

/** The keys that the environment has, for the log's scrubber. */
export const agentKeysOf = (given: AgentEnvironment): (string | undefined)[] => [
  given.agentModelKey,
  given.anthropicKey,
  given.openaiKey,
  given.googleKey,
  given.agentBraveKey,
];

/** Other names of these variables. */
export const agentAliases = {
  DISABLED_MODULES: 'N8N_DISABLED_MODULES',
  AGENT_MODEL: 'N8N_INSTANCE_AI_MODEL',
  AGENT_MODEL_URL: 'N8N_INSTANCE_AI_MODEL_URL',
  AGENT_MODEL_API_KEY: 'N8N_INSTANCE_AI_MODEL_API_KEY',
  AGENT_MCP_SERVERS: 'N8N_INSTANCE_AI_MCP_SERVERS',
  AGENT_SEARXNG_URL: 'N8N_INSTANCE_AI_SEARXNG_URL',
  AGENT_BRAVE_KEY: 'INSTANCE_AI_BRAVE_SEARCH_API_KEY',
  AGENT_OBSERVER_TOKENS: 'N8N_INSTANCE_AI_OBSERVER_MESSAGE_TOKENS',
  AGENT_REFLECTOR_TOKENS: 'N8N_INSTANCE_AI_REFLECTOR_OBSERVATION_TOKENS',
  AGENT_ASK_TTL_MS: 'N8N_INSTANCE_AI_CONFIRMATION_TIMEOUT',
  KEEP_THREADS_DAYS: 'N8N_INSTANCE_AI_THREAD_TTL_DAYS',
} as const;

import { z } from 'zod';

export const sessionAnalyticsParams = z.object({
  days: z.number().int().min(1).max(365).default(30),
  topLimit: z.number().int().min(1).max(50).default(10),
});
export type SessionAnalyticsParams = z.infer<typeof sessionAnalyticsParams>;

export const serviceActions = ['start', 'restart', 'stop', 'update'] as const;
export const serviceAction = z.enum(serviceActions);
export type ServiceAction = z.infer<typeof serviceAction>;

const id = z.string().min(1).max(200);

export const localBackendControlParams = z.object({ backend: id, action: serviceAction });
export const dockerDependencyControlParams = z.object({ dependency: id, action: serviceAction });

export const seriesParams = z.object({
  windowMinutes: z.number().int().min(1).max(240).default(60),
  bucketSeconds: z.number().int().min(15).max(3_600).default(30),
  sourceIds: z.array(id).max(20).optional(),
});
export type SeriesParams = z.infer<typeof seriesParams>;

export const serviceLogsParams = z.object({
  sourceId: id,
  lines: z.number().int().min(1).max(1_000).default(200),
  sinceSeconds: z.number().int().min(1).max(86_400).default(900),
});
export type ServiceLogsParams = z.infer<typeof serviceLogsParams>;

const count = z.number().int().nonnegative();

/** `day` in UTC, `lastActivity` in seconds since 1970. */
export const sessionAnalytics = z.object({
  daily: z.array(z.object({ day: z.string(), sessions: count, messages: count })),
  topSessions: z.array(z.object({ sessionId: z.string(), messages: count, lastActivity: z.number() })),
  topTools: z.array(z.object({ toolName: z.string(), executions: count })),
  topTopics: z.array(z.object({ topic: z.string(), occurrences: count })),
  averageMessagesPerSession: z.number(),
  totalSessions: count,
  totalMessages: count,
});

export const contextBudget = z.object({
  estimatedTokens: count,
  contextWindow: count,
  remainingTokens: count,
  usagePct: z.number(),
  thresholdPct: z.number(),
  thresholdTokens: count,
  shouldCompact: z.boolean(),
});
export type ContextBudget = z.infer<typeof contextBudget>;
export const contextUsage = z.object({
  sessions: z.array(z.object({ sessionId: z.string(), budget: contextBudget })),
});

/** Latencies in milliseconds, `uptime` in seconds, `errorRate` between 0 and 1. */
export const systemMetrics = z.object({
  messagesProcessed: count,
  errors: count,
  activeRequests: count,
  uptime: count,
  modelCalls: z.object({
    total: count,
    avgLatency: z.number(),
    errorRate: z.number(),
    recentCalls: z.array(
      z.object({
        model: z.string(),
        timestamp: z.number(),
        latencyMs: z.number(),
        error: z.string().nullable(),
      }),
    ),
  }),
  runStates: z.object({
    start: count,
    complete: count,
    cancel_requested: count,
    cancelled: count,
    error: count,
  }),
  cancelLatencyMs: z.object({ sampleCount: count, samples: z.array(z.number()) }),
  /** What rules of channels have done, once for each message, mail and emoji. */
  reactions: z.object({ matched: count, skipped: count, skipReasons: z.record(z.string(), count) }),
  queueDepth: count,
  lanes: z.record(z.string(), z.number()).optional(),
  /** Channels that are on, and speech servers in their order: of the server alone. */
  channels: z
    .record(
      z.string(),
      z.object({ isUp: z.boolean(), waiting: count, received: count, sent: count, failed: count }),
    )
    .optional(),
  voice: z
    .object({
      speech: z.array(z.object({ name: z.string(), isReady: z.boolean(), problem: z.string().nullable() })),
    })
    .optional(),
});

export const systemHealth = z.object({
  status: z.literal('ok'),
  version: z.string(),
  uptime: count,
  sessions: count,
  tools: count,
  connections: count,
  machine: z.object({ state: z.string(), name: z.string().nullable() }),
});

const listing = { available: z.boolean(), reason: z.string().optional() };

export const localBackend = z.object({
  id: z.string(),
  provider: z.string(),
  name: z.string(),
  unit: z.string(),
  configured: z.boolean(),
  loadState: z.string(),
  activeState: z.string(),
  subState: z.string(),
  unitFileState: z.string(),
  description: z.string(),
  pid: z.number().int().nullable(),
  result: z.string(),
  statusText: z.string(),
  availableActions: z.array(serviceAction),
});
export type LocalBackend = z.infer<typeof localBackend>;
export const localBackends = z.object({ backends: z.array(localBackend), ...listing });
export const localBackendControlled = z.object({
  backend: z.string(),
  action: serviceAction,
  status: localBackend,
});

export const dockerDependency = z.object({
  id: z.string(),
  name: z.string(),
  service: z.string(),
  configured: z.literal(true),
  state: z.string(),
  health: z.string(),
  statusText: z.string(),
  containerName: z.string(),
  availableActions: z.array(serviceAction),
});
export type DockerDependency = z.infer<typeof dockerDependency>;
export const dockerDependencies = z.object({ dependencies: z.array(dockerDependency), ...listing });
export const dockerDependencyControlled = z.object({
  dependency: z.string(),
  action: serviceAction,
  status: dockerDependency,
  message: z.string(),
});

export const observabilitySource = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.string(),
  runtime: z.string(),
  status: z.string(),
  graphCapable: z.boolean(),
  logCapable: z.boolean(),
});
export type ObservabilitySource = z.infer<typeof observabilitySource>;
export const observabilitySources = z.object({ sources: z.array(observabilitySource) });

/** State: 0 unknown, 1 stopped, 2 starting, 3 running; health: 0 unknown, 1 bad, 2 good. */
export const seriesPoint = z.object({
  ts: z.number(),
  stateCode: z.number().int(),
  healthCode: z.number().int(),
  errorCount: count,
  restartCount: count,
});
export type SeriesPoint = z.infer<typeof seriesPoint>;
export const observabilitySeries = z.object({
  generatedAt: z.number(),
  windowMinutes: count,
  bucketSeconds: count,
  series: z.array(z.object({ sourceId: z.string(), points: z.array(seriesPoint) })),
});

/** `ts` in milliseconds since 1970. */
export const serviceLogLine = z.object({
  ts: z.number(),
  level: z.enum(['debug', 'info', 'warn', 'error']),
  text: z.string(),
});
export type ServiceLogLine = z.infer<typeof serviceLogLine>;
export const serviceLogs = z.object({
  sourceId: z.string(),
  fetchedAt: z.number(),
  redacted: z.boolean(),
  truncated: z.boolean(),
  lines: z.array(serviceLogLine),
});

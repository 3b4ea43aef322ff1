import type { Call } from '@drawbridge/contracts/calls';
import type { Confirmation } from '@drawbridge/contracts/confirmation';
import type { GatewayStatus } from '@drawbridge/contracts/gateway';
import type { MachineSummary } from '@drawbridge/contracts/machines/summary';
import type { Tool } from '@drawbridge/contracts/tool';
import { agentWorldOf } from './fixture-agent.ts';
import type { World } from './fixture-server.ts';

export const offline: GatewayStatus = {
  connected: false,
  connectedAt: null,
  directory: null,
  hostIdentifier: null,
  toolCategories: [],
  state: 'offline',
};

export const online: GatewayStatus = {
  connected: true,
  connectedAt: '2026-01-01T00:00:00.000Z',
  directory: '/home/ada/notes',
  hostIdentifier: 'ada-laptop',
  toolCategories: [
    { name: 'filesystemRead', enabled: true },
    { name: 'filesystemWrite', enabled: true },
    { name: 'shell', enabled: false, reason: 'Set to deny' },
  ],
  state: 'online',
};

export const machineOf = (change: Partial<MachineSummary> = {}): MachineSummary => ({
  id: 'm1',
  name: 'ada-laptop',
  isDefault: true,
  state: 'online',
  isPaired: true,
  pausedAt: null,
  hostIdentifier: 'ada@ada-laptop',
  folder: '/home/ada/notes',
  version: '0.1.0',
  lastSeenAt: null,
  connectedAt: '2026-01-01T00:00:00.000Z',
  modes: { filesystemRead: 'allow', filesystemWrite: 'ask', shell: 'deny' },
  reconnect: 'drawbridge connect --dir /home/ada/notes',
  toolCategories: online.toolCategories,
  toolCount: 2,
  latencyMs: 12,
  ...change,
});

export const readFile: Tool = {
  name: 'read_file',
  title: 'Read a file',
  description: 'Gives the lines of a text file, or a picture.',
  inputSchema: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'Relative to the folder' },
      maxLines: { type: 'integer', minimum: 1, maximum: 2000, default: 200 },
    },
    required: ['path'],
  },
  annotations: { category: 'filesystem', readOnlyHint: true },
};

const writeFile: Tool = {
  name: 'write_file',
  title: 'Write a file',
  description: 'Makes a file or replaces it.',
  inputSchema: {
    type: 'object',
    properties: { path: { type: 'string' }, content: { type: 'string' } },
    required: ['path', 'content'],
  },
  annotations: { category: 'filesystem' },
};

export const callOf = (change: Partial<Call> = {}): Call => ({
  requestId: 'r1',
  machineId: 'm1',
  tool: 'read_file',
  subject: 'a.txt',
  arguments: { path: 'a.txt' },
  door: 'trpc',
  state: 'succeeded',
  result: { content: [{ type: 'text', text: 'hello' }] },
  error: null,
  started: true,
  ruling: null,
  decision: null,
  decidedBy: null,
  denialReason: null,
  confirmationId: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  deliveredAt: '2026-01-01T00:00:00.010Z',
  endedAt: '2026-01-01T00:00:00.020Z',
  durationMs: 20,
  rev: 0,
  ...change,
});

export const confirmationOf = (change: Partial<Confirmation> = {}): Confirmation => ({
  id: 'c1',
  requestId: 'r1',
  machineId: 'm1',
  tool: 'write_file',
  title: null,
  arguments: { path: 'a.txt', content: 'hi' },
  toolGroup: 'filesystemWrite',
  resource: '/home/ada/notes/a.txt',
  description: 'Write a.txt',
  resources: [
    { toolGroup: 'filesystemWrite', resource: '/home/ada/notes/a.txt', description: 'Write a.txt' },
  ],
  options: ['allowOnce', 'allowForSession', 'alwaysAllow', 'denyOnce', 'alwaysDeny'],
  preview: null,
  reaches: [],
  why: [],
  state: 'open',
  approved: null,
  decision: null,
  reach: null,
  decidedBy: null,
  decidedVia: null,
  settledBy: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  expiresAt: '2026-01-02T00:00:00.000Z',
  decidedAt: null,
  ...change,
});

export const worldOf = (change: Partial<World> = {}): World => ({
  user: { id: 'u1', name: 'Ada', email: 'ada@example.com', isOwner: true },
  status: online,
  machines: [machineOf()],
  tools: [readFile, writeFile],
  calls: [],
  confirmations: [],
  recap: () => null,
  repeated: [],
  rules: () => ({ rules: [], total: 0, remoteRules: false }),
  removed: [],
  processes: { processes: [] },
  numbers: [],
  runtimes: { runtimes: [] },
  stopped: [],
  added: [],
  settings: {
    enabled: false,
    localGateway: false,
    localGatewayDisabled: false,
    localGatewayFallbackDirectory: null,
    disabledByOwner: false,
    disabledByUser: false,
    isOwner: true,
    canShareFolder: false,
  },
  invitations: [],
  tokens: [],
  command: {
    token: 'gw_x',
    command: 'npx --yes http://127.0.0.1:5820/daemon.tgz http://127.0.0.1:5820 gw_x',
    expiresAt: null,
    ttlSeconds: null,
  },
  setupNeeded: false,
  run: async ({ requestId = 'r1' }) => callOf({ requestId }),
  decide: ({ confirmationId, approved, resourceDecision }) => ({
    confirmationId,
    state: 'decided',
    approved,
    decision: resourceDecision ?? null,
  }),
  agent: agentWorldOf({ status: { module: true, enabled: false, model: null } }),
  ...change,
});

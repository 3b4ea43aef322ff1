import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { configFrom, configRows, readConfig } from './config.ts';

const key = 'k'.repeat(32);

describe('configuration', () => {
  it('has a default for all that it needs', () => {
    expect(configFrom({ XDG_DATA_HOME: '/home/ann/data' })).toEqual({
      host: '127.0.0.1',
      port: 5820,
      publicUrl: undefined,
      dataDir: '/home/ann/data/drawbridge',
      databaseUrl: undefined,
      redisUrl: undefined,
      gatewayApiKey: undefined,
      allowQueryKey: true,
      fallbackDirectory: null,
      secret: undefined,
      setupToken: undefined,
      daemonCommand: 'npx --yes {daemon} {url} {token} {flags}',
      drainSeconds: 30,
      daemonFile: undefined,
      sessionKeyIdleMs: 2_592_000_000,
      streamsPerAddress: 10_000,
      streamsPerUser: 60,
      machinesPerUser: 20,
      localGatewayDir: null,
      keepCallsMs: 7_776_000_000,
      callMaxMs: 600_000,
      rpc: true,
      rpcFrameMaxBytes: 16_777_216,
      mcpWaitMs: 50_000,
      tailscaleAddress: '127.0.0.1',
      tailscaleUsers: new Map(),
      tailscaleScopes: ['agent', 'filesystemRead'],
      telegramMode: 'poll',
      telegramApiUrl: 'https://api.telegram.org',
      googleChatMode: 'poll',
      gmailMode: 'poll',
      transcriptionModel: 'whisper-1',
      speechModels: ['tts-1'],
      speechVoices: ['alloy'],
      teamsServices: ['smba.trafficmanager.net', '*.botframework.com'],
      tailscaleSocket: '/var/run/tailscale/tailscaled.sock',
      disabledModules: [],
      agentMaxOutputTokens: 8_192,
      agentMemoryNamespace: 'user',
      agentObserverTokens: 30_000,
      agentReflectorTokens: 40_000,
      apnsUrl: 'https://api.push.apple.com',
      agentAskTtlMs: 86_400_000,
      keepThreadsMs: 7_776_000_000,
      agentMaxRuns: 32,
      agentMaxRunsPerUser: 8,
      agentTokensPerDay: 10_000_000,
      agentDeferredTools: true,
      agentMaskSecrets: true,
      agentWorkspace: 'none',
      runtimeBackends: ['native'],
      agentTraceContent: false,
      resultMaxBytes: 16_777_216,
      signInPerMinute: 20,
      setupPerMinute: 10,
      pairingPerMinute: 30,
      notFoundPerMinute: 120,
      tokenPerMinute: 1_200,
      storedBytesPerDay: 2 * 1024 ** 3,
      diskFloorBytes: 256 * 1024 * 1024,
      unreadPerUserBytes: 128 * 1024 * 1024,
      unreadBytes: 512 * 1024 * 1024,
      trustProxy: [],
      opsControl: false,
      metricsToken: undefined,
      opsUnits: [],
      programEnvironment: { LC_ALL: 'C' },
      composeFolders: ['/home/ann/data', process.cwd()],
      logLevel: 'info',
      logFormat: 'json',
    });
  });

  it.each([
    ['on a terminal', {}, true, ['text', 'warn']],
    ['elsewhere', {}, false, ['json', 'info']],
    ['as JSON on a terminal', { LOG_FORMAT: 'json' }, true, ['json', 'info']],
    ['as text in a file', { LOG_FORMAT: 'text' }, false, ['text', 'warn']],
    ['with a level on a terminal', { LOG_LEVEL: 'debug' }, true, ['text', 'debug']],
  ])('writes the log %s', (_, environment, terminal, expected) => {
    const { logFormat, logLevel } = configFrom(environment, { terminal });
    expect([logFormat, logLevel]).toEqual(expected);
  });

  it.each([
    ['a port', { PORT: '80' }, { port: 80 }],
    [
      'an origin, with or without its slash',
      { PUBLIC_URL: 'https://Bridge.example.org/' },
      { publicUrl: 'https://bridge.example.org' },
    ],
    ['the fixed key', { GATEWAY_API_KEY: key }, { gatewayApiKey: key }],
    ['the fixed key by its other name', { N8N_INSTANCE_AI_GATEWAY_API_KEY: key }, { gatewayApiKey: key }],
    ['calls that are kept forever', { KEEP_CALLS_DAYS: '0' }, { keepCallsMs: null }],
    ['calls that are kept for a day', { KEEP_CALLS_DAYS: '1' }, { keepCallsMs: 86_400_000 }],
    ['no query key', { GATEWAY_ALLOW_QUERY_KEY: 'false' }, { allowQueryKey: false }],
    [
      'users of the tailnet',
      { TAILSCALE_USERS: 'Ann@GitHub=ann@example.org, b@x=b@x' },
      {
        tailscaleUsers: new Map([
          ['ann@github', 'ann@example.org'],
          ['b@x', 'b@x'],
        ]),
      },
    ],
    ['proxies', { TRUST_PROXY: '10.0.0.1, fd00::/8' }, { trustProxy: ['10.0.0.1', 'fd00::/8'] }],
    [
      'the model by its other name',
      { N8N_INSTANCE_AI_MODEL: 'openai/gpt-5' },
      { agentModel: 'openai/gpt-5' },
    ],
    [
      'a variable before its other name',
      { AGENT_MODEL: 'stub', N8N_INSTANCE_AI_MODEL: 'openai/gpt-5' },
      { agentModel: 'stub' },
    ],
    [
      'MCP servers of the agent',
      { AGENT_MCP_SERVERS: 'docs=https://docs.example.org/mcp?a=b, notes=http://127.0.0.1:9/' },
      {
        agentMcpServers: [
          { name: 'docs', url: 'https://docs.example.org/mcp?a=b' },
          { name: 'notes', url: 'http://127.0.0.1:9/' },
        ],
      },
    ],
    [
      'modules that are left out',
      { N8N_DISABLED_MODULES: 'a, instance-ai' },
      { disabledModules: ['a', 'instance-ai'] },
    ],
    ['chats that are kept forever', { KEEP_THREADS_DAYS: '0' }, { keepThreadsMs: null }],
    ['an empty value as unset', { PORT: '', PUBLIC_URL: '' }, { port: 5820, publicUrl: undefined }],
  ])('reads %s', (_, environment, expected) => {
    expect(configFrom(environment)).toMatchObject(expected);
  });

  it('wants what several servers need beside REDIS_URL', () => {
    const redis = { REDIS_URL: 'rediss://:pass@cache:6379/0' };
    const postgres = { DATABASE_URL: 'postgres://u:p@db/drawbridge' };
    expect(readConfig({ ...redis, SECRET: key })).toEqual({
      problem: 'REDIS_URL: connects several servers, which need DATABASE_URL with postgres://',
    });
    expect(readConfig({ ...redis, ...postgres })).toEqual({
      problem: 'REDIS_URL: several servers need the same SECRET',
    });
    expect(readConfig({ ...redis, ...postgres, SECRET: key })).toMatchObject({
      config: { redisUrl: redis.REDIS_URL },
    });
  });

  it('reads a setting from the first line of a file, unless it is given itself', () => {
    const folder = mkdtempSync(join(tmpdir(), 'drawbridge-config-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'secret');
    writeFileSync(file, `${key}\r\nanother line\n`);
    expect(configFrom({ SECRET_FILE: file }).secret).toBe(key);
    expect(configFrom({ SECRET_FILE: file, SECRET: 's'.repeat(32) }).secret).toBe('s'.repeat(32));
    expect(readConfig({ SECRET_FILE: join(folder, 'none') })).toEqual({
      problem: 'SECRET_FILE: the file cannot be read (ENOENT)',
    });
    writeFileSync(file, 'short-secret');
    expect(JSON.stringify(readConfig({ SECRET_FILE: file }))).not.toContain('short-secret');
  });

  it.each([
    ['PORT', '70000'],
    ['SECRET', 'secret-word'],
    ['REDIS_URL', 'http://user:secret-word@localhost'],
    ['PORT', '5820x'],
    ['PORT', '-1'],
    ['KEEP_CALLS_DAYS', '-1'],
    ['KEEP_CALLS_DAYS', 'for ever'],
    ['KEEP_CALLS_DAYS', '36501'],
    ['PUBLIC_URL', 'bridge.example.org'],
    ['PUBLIC_URL', 'javascript:alert(1)'],
    ['PUBLIC_URL', 'https://example.org/panel'],
    ['PUBLIC_URL', 'https://user:secret-word@example.org'],
    ['GATEWAY_API_KEY', 'secret-word'],
    ['N8N_INSTANCE_AI_GATEWAY_API_KEY', 'secret-word'],
    ['SETUP_TOKEN', 'secret-word'],
    ['GATEWAY_ALLOW_QUERY_KEY', 'no'],
    ['DAEMON_COMMAND', 'npx drawbridge {url}'],
    ['TAILSCALE_ADDRESS', '0.0.0.0'],
    ['TAILSCALE_ADDRESS', '192.168.1.2'],
    ['TAILSCALE_USERS', 'ann@example.org'],
    ['TAILSCALE_SCOPES', 'agent,operate'],
    ['TRUST_PROXY', 'true'],
    ['TRUST_PROXY', '0.0.0.0/0'],
    ['AGENT_MODEL_URL', 'ftp://secret-word.example.org'],
    ['AGENT_MODEL_API_KEY', 'secret-word with blanks'],
    ['AGENT_MCP_SERVERS', 'secret-word'],
    ['AGENT_COST_PER_DAY', 'secret-word'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['LOG_LEVEL', 'loud'],
  ])('refuses %s=%s in a sentence that names it and does not hold it', (name, value) => {
    const result = readConfig({ [name]: value });
    const problem = 'problem' in result ? result.problem : 'none';
    expect(problem).toContain(name.replace('N8N_INSTANCE_AI_', ''));
    expect(problem).not.toContain('secret-word');
  });

  it('is what docs/configuration.md says', () => {
    const page = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8');
    const rows = configRows().map(
      ({ name, fallback, about }) =>
        `| \`${name}\` | ${fallback === null ? '' : `\`${fallback}\``} | ${about} |`,
    );
    expect(page.split('\n').filter((line) => line.startsWith('| `'))).toEqual(rows);
  });
});

const outsideHosts = [
  ...['api.example', 'nas.lan', '8.8.8.8', '100.63.0.1', '172.32.0.1', '[2001:4860:4860::8888]'],
  // An IPv4 address in another form, and names that only begin as private ones do.
  ...['[::ffff:8.8.8.8]', '[2002:808:808::1]', '127.0.0.1.example', 'localhost.example', '168.63.129.16'],
];
const ownHosts = [
  ...[
    'localhost',
    '127.0.0.1',
    '127.9.9.9',
    '[::1]',
    '10.0.0.5',
    '172.16.0.1',
    '192.168.1.10',
    '169.254.7.7',
  ],
  ...[
    '100.100.1.1',
    '[fd00::5]',
    '[fe80::1]',
    '[::ffff:10.0.0.1]',
    'whisper',
    'mac.local',
    'host.docker.internal',
  ],
];
const addresses = [
  ...['SPEECH_URL', 'TRANSCRIPTION_URL', 'TELEGRAM_API_URL', 'BLUEBUBBLES_URL', 'GOOGLE_API_URL'],
  ...['MICROSOFT_URL', 'TEAMS_SERVICES'],
];
it.each(addresses)('CH-41 %s is http on loopback and private addresses alone', (name) => {
  for (const host of outsideHosts) {
    const read = readConfig({ [name]: `http://${host}:8000` }, { terminal: false });
    const problem = 'problem' in read ? read.problem : `${host} was read`;
    expect(problem).toMatch(new RegExp(`^${name}: http would show .* Use https`));
    expect(problem).not.toContain(host);
    expect(readConfig({ [name]: `https://${host}:8000` }, { terminal: false })).toHaveProperty('config');
  }
  for (const host of ownHosts)
    expect(readConfig({ [name]: `http://${host}:8000` }, { terminal: false }), host).toHaveProperty('config');
});
it('CH-41 one of several addresses is enough', () => {
  const SPEECH_URL = 'http://127.0.0.1:8000,http://api.example';
  expect(readConfig({ SPEECH_URL }, { terminal: false })).toHaveProperty('problem');
});

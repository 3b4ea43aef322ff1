import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { standInPrograms } from '../../../../test/programs.ts';
import { newToken, openPerson, openRpc } from '../../../../test/rpc.ts';
import { online } from '../../../../test/rest.ts';

const file = '/srv/compose.yaml';

const world = async (environment: Record<string, string> = {}) => {
  const programs = standInPrograms();
  const { server, cookie, ...rest } = await online({ PATH: programs.path, ...environment });
  const { token } = await newToken(server, cookie, ['operate', 'agent']);
  return { ...rest, server, cookie, programs, rpc: await openRpc(server, token) };
};

const unit = (active: string, sub: string, more = '') =>
  `LoadState=loaded\nActiveState=${active}\nSubState=${sub}\nUnitFileState=enabled\nDescription=Ollama Service\nMainPID=12345\nResult=success\nNRestarts=2\n${more}`;
const absent = 'LoadState=not-found\nActiveState=inactive\n';
const show = '--no-pager';
const properties =
  '--property=LoadState,ActiveState,SubState,UnitFileState,Description,MainPID,Result,NRestarts';

const compose = (...args: string[]) => ['compose', '--file', file, '--profile', '*', ...args];
const composeConfig = JSON.stringify({
  services: {
    whisper: { image: 'ghcr.io/x/whisper.cpp:1', environment: { KEY: 'canary' } },
    server: { image: 'ghcr.io/x/drawbridge:2' },
    searxng: { image: 'searxng/searxng', labels: { 'drawbridge.name': 'Search' } },
  },
});
const containers = [
  { Service: 'whisper', Name: 'w-1', State: 'running', Health: 'healthy', Status: 'Up 4 minutes (healthy)' },
]
  .map((one) => JSON.stringify(one))
  .join('\n');

describe('without the programs', () => {
  it('lists are empty and say why, and the server itself is there', async () => {
    const { rpc } = await world({ OPS_COMPOSE_FILE: file, OPS_UNITS: 'nginx.service' });
    expect((await rpc.call('system.localBackends')).result).toEqual({
      backends: [],
      available: false,
      reason: 'systemd is not running here, and no local model server answers',
    });
    expect((await rpc.call('system.dockerDependencies')).result).toEqual({
      dependencies: [],
      available: false,
      reason: 'There is no docker program on this machine',
    });
    expect((await rpc.call('system.observabilitySources')).result).toMatchObject({
      sources: [
        { id: 'process:server', status: 'running', graphCapable: true, logCapable: true },
        { id: expect.stringMatching(/^daemon:/), status: 'running', logCapable: false },
        { id: 'systemd:nginx.service', status: 'unknown', graphCapable: false, logCapable: false },
      ],
    });
    const logs = await rpc.call('system.serviceLogs', { sourceId: 'systemd:nginx.service' });
    expect(logs.error).toMatchObject({ code: 17 });
  });

  it('docker without its parts says which; its file is the one beside the data', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'compose-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const found = join(folder, 'compose.yaml');
    writeFileSync(found, '');
    const { rpc, programs } = await world({ DATA_DIR: join(folder, 'data') });
    const sayings = [
      ["docker: 'compose' is not a docker command.", 'Docker has no compose plugin'],
      ['Cannot connect to the Docker daemon at unix:///var/run/docker.sock.', 'Docker is not running'],
      ['yaml: /srv/canary: no such file', 'Docker Compose cannot read the Compose file'],
    ] as const;
    for (const [err, reason] of sayings) {
      programs.put('docker', [{ when: '', err, code: 1 }]);
      const { result } = await rpc.call('system.dockerDependencies');
      expect(result).toEqual({ dependencies: [], available: false, reason });
    }
    expect(programs.calls()[0]?.args.slice(0, 3)).toEqual(['compose', '--file', found]);
  });

  it('without a Compose file, docker is not asked', async () => {
    const { rpc, programs } = await world({ OPS_COMPOSE_FILE: 'off' });
    programs.put('docker', [{ when: '', out: '{}' }]);
    expect((await rpc.call('system.dockerDependencies')).result).toMatchObject({
      reason: 'There is no Compose file; OPS_COMPOSE_FILE can name one',
    });
    expect(programs.calls()).toEqual([]);
  });
});

describe('with stand-ins', () => {
  it('systemd: the unit of the user, else of the system, with exact arguments and no key of the server', async () => {
    const { rpc, programs } = await world({ GATEWAY_API_KEY: 'k'.repeat(32) });
    programs.put('systemctl', [
      { when: 'show', out: absent },
      { when: 'show ollama.service', out: unit('active', 'running') },
      { when: '--user show ollama.service', out: absent },
    ]);
    expect((await rpc.call('system.localBackends')).result).toEqual({
      available: true,
      backends: [
        {
          id: 'ollama',
          provider: 'ollama',
          name: 'Ollama',
          unit: 'ollama.service',
          configured: false,
          loadState: 'loaded',
          activeState: 'active',
          subState: 'running',
          unitFileState: 'enabled',
          description: 'Ollama Service',
          pid: 12345,
          result: 'success',
          statusText: 'active (running)',
          availableActions: [],
        },
      ],
    });
    const asked = programs.calls().map(({ name, args }) => [name, ...args]);
    expect(asked).toContainEqual(['systemctl', '--user', 'show', 'ollama.service', show, properties]);
    expect(asked).toContainEqual(['systemctl', 'show', 'llama-server.service', show, properties]);
    for (const { environment } of programs.calls()) expect(environment).toEqual(['LC_ALL', 'PATH']);
  });

  it('docker: the services of the file without our own, with exact arguments', async () => {
    const { rpc, programs } = await world({ OPS_COMPOSE_FILE: file });
    programs.put('docker', [
      { when: 'config', out: composeConfig },
      { when: 'ps', out: containers },
    ]);
    expect((await rpc.call('system.dockerDependencies')).result).toEqual({
      available: true,
      dependencies: [
        {
          id: 'whisper',
          name: 'Whisper (whisper.cpp)',
          service: 'whisper',
          configured: true,
          state: 'running',
          health: 'healthy',
          statusText: 'Up 4 minutes (healthy)',
          containerName: 'w-1',
          availableActions: [],
        },
        expect.objectContaining({
          id: 'searxng',
          name: 'Search',
          state: 'absent',
          statusText: 'No container',
        }),
      ],
    });
    expect(programs.calls().map(({ args }) => args)).toEqual([
      compose('config', '--format', 'json'),
      compose('ps', '--all', '--format', 'json'),
    ]);
    expect(JSON.stringify(rpc.frames)).not.toContain('canary');
  });

  it('logs of units and services, with secrets hidden', async () => {
    const { rpc, programs } = await world({ OPS_COMPOSE_FILE: file, OPS_UNITS: 'nginx.service' });
    const key = `dbt_${'c'.repeat(32)}`;
    programs.put('systemctl', [{ when: 'show', out: unit('active', 'running') }]);
    programs.put('journalctl', [
      {
        when: '',
        out: [
          { __REALTIME_TIMESTAMP: '1739999990000000', PRIORITY: '4', MESSAGE: 'queue depth rising' },
          { __REALTIME_TIMESTAMP: '1739999991000000', PRIORITY: '3', MESSAGE: `password=hunter22 ${key}` },
          { __REALTIME_TIMESTAMP: '1739999992000000', MESSAGE: [104, 105] },
        ]
          .map((line) => JSON.stringify(line))
          .join('\n'),
      },
    ]);
    programs.put('docker', [
      { when: 'config', out: composeConfig },
      { when: 'ps', out: containers },
      { when: 'logs', out: '2026-01-02T03:04:05.678901234Z Error: no model\nnot a line of docker\n' },
    ]);
    const read = (sourceId: string, more = {}) => rpc.call('system.serviceLogs', { sourceId, ...more });
    expect((await read('systemd:nginx.service', { lines: 50, sinceSeconds: 60 })).result).toEqual({
      sourceId: 'systemd:nginx.service',
      fetchedAt: expect.any(Number),
      redacted: true,
      truncated: false,
      lines: [
        { ts: 1739999990000, level: 'warn', text: 'queue depth rising' },
        { ts: 1739999991000, level: 'error', text: 'password=[hidden] dbt_[hidden]' },
        { ts: 1739999992000, level: 'info', text: 'hi' },
      ],
    });
    const journal = programs.calls().filter(({ name }) => name === 'journalctl');
    expect(journal.map(({ args }) => args)).toEqual([
      ['--user-unit=nginx.service', '--output=json', '--lines=50', '--since=-60s', '--no-pager', '--quiet'],
    ]);
    expect((await read('docker:whisper')).result).toMatchObject({
      redacted: false,
      lines: [{ ts: Date.parse('2026-01-02T03:04:05.678Z'), level: 'error', text: 'Error: no model' }],
    });
    expect(programs.calls().at(-1)?.args).toEqual(
      compose(
        'logs',
        '--no-color',
        '--no-log-prefix',
        '--timestamps',
        '--tail=200',
        '--since=900s',
        'whisper',
      ),
    );
    for (const unknown of ['systemd:other.service', 'docker:server', 'process:other', '--help'])
      expect((await read(unknown)).error).toMatchObject({ code: 19 });
    expect((await read('process:server', { lines: 1_001 })).error).toMatchObject({ code: -2 });
  });

  it('the log of a machine stays there; the log of the server is scrubbed and bounded', async () => {
    const { rpc, server } = await world();
    server.app.log.error({ err: new Error('x-gateway-key: hunter22') }, 'a canary');
    for (let at = 0; at < 100; at += 1) server.app.log.warn('y'.repeat(8_000));
    const { result } = await rpc.call('system.observabilitySources');
    const [, daemon] = (result as { sources: { id: string }[] }).sources;
    expect((await rpc.call('system.serviceLogs', { sourceId: daemon?.id })).error).toMatchObject({
      code: 17,
    });
    const few = await rpc.call('system.serviceLogs', { sourceId: 'process:server', lines: 1_000 });
    expect(few.result).toMatchObject({ truncated: true });
    expect(JSON.stringify(few.result).length).toBeLessThan(300 * 1024);
    expect(JSON.stringify(few)).not.toContain('hunter22');
  });
});

describe('controls', () => {
  it('17 until OPS_CONTROL is set, for the owner too', async () => {
    const { server, cookie } = await world();
    const rpc = await openPerson(server, cookie);
    const control = { backend: 'ollama', dependency: 'whisper', action: 'stop' };
    for (const name of ['system.localBackendControl', 'system.dockerDependencyControl'])
      expect((await rpc.call(name, control)).error).toMatchObject({ code: 17 });
  });

  it('then for the signed-in owner alone, and for what is listed, with exact arguments', async () => {
    const { server, cookie, rpc, programs } = await world({ OPS_CONTROL: 'true', OPS_COMPOSE_FILE: file });
    programs.put('systemctl', [
      { when: 'show', out: absent },
      { when: '--user show ollama.service', out: unit('active', 'running') },
      { when: 'restart', out: '' },
    ]);
    programs.put('docker', [
      { when: 'config', out: composeConfig },
      { when: 'ps', out: containers },
      { when: 'restart' },
      { when: 'pull' },
      { when: 'up' },
    ]);
    const owner = await openPerson(server, cookie);
    const control = { backend: 'ollama', dependency: 'whisper', action: 'restart' };
    for (const name of ['system.localBackendControl', 'system.dockerDependencyControl'])
      expect((await rpc.call(name, control)).error).toMatchObject({ code: 15 });
    expect((await owner.call('system.localBackendControl', control)).result).toMatchObject({
      backend: 'ollama',
      action: 'restart',
      status: { id: 'ollama', activeState: 'active', availableActions: ['restart', 'stop', 'update'] },
    });
    expect((await owner.call('system.dockerDependencyControl', control)).result).toMatchObject({
      dependency: 'whisper',
      status: { state: 'running', availableActions: ['restart', 'stop', 'update'] },
      message: 'Restarted whisper container.',
    });
    await owner.call('system.dockerDependencyControl', { ...control, action: 'update' });
    const acted = programs.calls().filter(({ args }) => !/show|config|ps/.test(args.join(' ')));
    expect(acted.map(({ name, args }) => [name, ...args])).toEqual([
      ['systemctl', '--user', 'restart', 'ollama.service'],
      ['docker', ...compose('restart', 'whisper')],
      ['docker', ...compose('pull', 'whisper')],
      ['docker', ...compose('up', '--detach', 'whisper')],
    ]);
    const wrong = [
      ['system.localBackendControl', { backend: 'llamacpp' }, 19],
      ['system.dockerDependencyControl', { dependency: 'server' }, 19],
      ['system.dockerDependencyControl', { dependency: '--file=/x' }, 19],
      ['system.dockerDependencyControl', { action: 'remove' }, -2],
      ['system.localBackendControl', { action: 'update' }, 17],
    ] as const;
    for (const [name, more, code] of wrong)
      expect((await owner.call(name, { ...control, ...more })).error).toMatchObject({ code });
  }, 120_000);
});

it('operate is needed to ask', async () => {
  const { server, cookie } = await world();
  const { token } = await newToken(server, cookie, ['agent']);
  const agent = await openRpc(server, token);
  for (const name of ['localBackends', 'dockerDependencies', 'observabilitySources', 'serviceLogs'])
    expect((await agent.call(`system.${name}`, { sourceId: 'process:server' })).error).toMatchObject({
      code: 15,
      data: { missingScope: 'operate' },
    });
});

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startScriptedModel, type ScriptedModel } from './agent/scripted-model.ts';
import {
  createProcesses,
  newFolder,
  startMachine,
  until,
  type Daemon,
  type Person,
  type Server,
} from './harness/index.ts';
import { compiledEnvironment } from './harness/account-home.ts';
import { daemonEntry, fromRoot, serverEntry } from './harness/paths.ts';
import { describeWith } from './services.ts';

/** The blocks of a page that are for a shell. */
const blocksOf = (page: string): string[] =>
  [...readFileSync(fromRoot(`docs/${page}`), 'utf8').matchAll(/^```sh\n(.*?)^```$/gms)].map(
    ([, block = '']) => block,
  );
/** Lines after `$ `, as the page of the CLI shows them. */
const promptsOf = (page: string): string[] =>
  [...readFileSync(fromRoot(`docs/${page}`), 'utf8').matchAll(/^\$ (drawbridge .*)$/gm)].map(
    ([, line = '']) => line,
  );
const [names = '', ...restBlocks] = blocksOf('rest.md');
const [agentNames = '', ...agentLines] = (blocksOf('agent-http.md')[1] ?? '').split(/\n(?=curl)/);
const isStream = (block: string) => block.includes('curl -f -N');

/** They ask, or need an installation, a service, a new token or a process. `tools/docs-commands.test.ts` parses them. */
const notRun =
  /^drawbridge (?:connect|disconnect|pair|update|install|uninstall|service|tui|https?:|doctor|processes [sot]|runtimes test|undo .)/;

describeWith('curl')('the commands of the documentation, as they are pasted', () => {
  const processes = createProcesses();
  const programs = newFolder('bin');
  const backups = newFolder('backups');
  let model: ScriptedModel;
  let server: Server;
  let ann: Person;
  let daemon: Daemon;
  let env: Record<string, string>;

  /** Programs by the names that the pages use. */
  const addProgram = (name: string, line: string) =>
    writeFileSync(join(programs, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  const sh = async (lines: readonly string[]) => {
    const script = ['set -e', ...lines]
      .join('\n')
      .replaceAll('https://bridge.example.org', server.url)
      .replaceAll('/backups/', `${backups}/`);
    return (await promisify(execFile)('sh', ['-c', script], { env, cwd: fromRoot('.') })).stdout;
  };

  beforeAll(async () => {
    model = await startScriptedModel(() => ({ text: 'A file of notes.' }));
    ({ server, ann, daemon } = await startMachine(processes, {
      flags: ['--name', 'vm'],
      env: { AGENT_MODEL: 'stub', AGENT_MODEL_URL: model.url },
    }));
    addProgram('drawbridge', `exec ${process.execPath} ${daemonEntry} "$@"`);
    addProgram('drawbridge-server', `exec ${process.execPath} ${serverEntry} "$@"`);
    // `npx --yes pnpm@10 …` with the pnpm of this run, so that no registry is asked.
    const own = process.env.npm_execpath ?? '';
    const pnpm = own.includes('pnpm') ? `${process.execPath} ${own}` : 'pnpm';
    addProgram('npx', `shift 2; exec ${pnpm} "$@"`);
    writeFileSync(join(daemon.root, 'notes.txt'), 'a line');
    for (const name of ['notes', 'datasets']) mkdirSync(join(daemon.home, name));
    const { token } = await ann.api.tokens.create.mutate({
      name: 'docs',
      scopes: ['filesystemRead', 'chat'],
    });
    env = {
      ...compiledEnvironment(),
      PATH: programs + delimiter + (process.env.PATH ?? ''),
      HOME: daemon.home,
      DATA_DIR: server.dataDir,
      DRAWBRIDGE_URL: server.url,
      DRAWBRIDGE_TOKEN: token,
    };
  });
  afterAll(async () => {
    await processes.stopAll();
    await model?.close();
  });

  it('rest.md', async () => {
    expect(await sh([names, ...restBlocks.filter((block) => !isStream(block))])).toContain('notes.txt');
    const { calls } = await ann.api.calls.list.query({ limit: 10 });
    expect(calls).toMatchObject([
      { tool: 'list_files', door: 'rest', state: 'succeeded', via: { name: 'docs' } },
      { tool: 'list_files', door: 'rest', state: 'succeeded', via: { name: 'docs' } },
    ]);
  });

  it('agent-http.md', async () => {
    expect(await sh([agentNames, ...agentLines.filter((line) => !isStream(line))])).toContain('runId');
  });

  it.each([
    ['rest.md', () => [names, restBlocks.find(isStream)], /event: status\ndata: .*"state":"online"/],
    ['agent-http.md', () => [agentNames, agentLines.find(isStream)], /"type":"run-finish"/],
  ])('the stream of %s', async (_page, lines, expected) => {
    const [first, last = ''] = lines();
    const reader = spawn('sh', ['-c', [first, `exec ${last.trim()}`].join('\n')], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let text = '';
    for await (const chunk of reader.stdout) {
      text += String(chunk);
      if (expected.test(text)) break;
    }
    reader.kill();
    if (reader.exitCode === null && reader.signalCode === null) await once(reader, 'exit');
    expect(text).toMatch(expected);
  });

  it('webhooks.md', async () => {
    const { secret } = await ann.api.hooks.create.mutate({ name: 'deploys' });
    env['HOOK_SECRET'] = secret;
    expect(await sh(blocksOf('webhooks.md'))).toContain('requestId');
  });

  it('cli.md', async () => {
    const text = await sh(promptsOf('cli.md').filter((line) => !notRun.test(line)));
    expect(text).toContain('connected     http://127.0.0.1');
  });

  it('configuration.md, day-two.md: the command of the server prints its result alone', async () => {
    const lines = [...blocksOf('configuration.md'), ...blocksOf('day-two.md'), ...blocksOf('agent-http.md')]
      .flatMap((block) => block.trim().split('\n'))
      .filter((line) => /^(?:npx --yes pnpm@10 --silent )?drawbridge-server /.test(line))
      // Needs Postgres: `store-on-postgres.test.ts`.
      .filter((line) => !line.includes('store copy'));
    const isLate = (line: string) => /machines (?:disconnect|forget)|restore/.test(line);
    const tokens = lines.filter((line) => line.includes('token create'));
    expect(tokens.length).toBeGreaterThan(2);
    const text = await sh(lines.filter((line) => !isLate(line) && !tokens.includes(line)));
    expect(text).toContain('ann@example.org');
    for (const line of tokens) expect(await sh([line])).toMatch(/^dbt_\S+\n$/);
    const end = lines.filter(isLate);
    await sh(end.filter((line) => line.includes('disconnect')));
    await until(async () => (await ann.api.machines.list.query()).every(({ state }) => state === 'offline'));
    await sh(end.filter((line) => line.includes('forget')));
    await server.end('SIGTERM');
    await sh(end.filter((line) => line.includes('restore')));
  });
});

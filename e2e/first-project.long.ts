import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { gitOutside, makeGitHost } from '../apps/daemon/test/support/git-host-fixture.ts';
import { packageSites } from '../apps/daemon/test/support/package-sites.ts';
import {
  connectDaemon,
  createProcesses,
  postMcp,
  startServer,
  type Person,
  type Server,
} from './harness/index.ts';
import { describeWith } from './services.ts';

const manifest = {
  name: 'app',
  version: '1.0.0',
  private: true,
  scripts: { test: 'node --test', dev: 'node server.js' },
  dependencies: { said: '1.0.0' },
};
const serverText = `require('node:http').createServer((_, answer) => {
  answer.setHeader('content-type', 'text/html');
  answer.end('<h1>' + require('node:fs').readFileSync('file', 'utf8') + '</h1>');
}).listen(5173, '127.0.0.1', () => console.log('Local: http://localhost:5173/'));
`;

/** A project on a git host, and the registry that it installs from, both on one port of this machine. */
const makeProject = async () => {
  const host = makeGitHost();
  const work = join(host.folder, 'app');
  gitOutside(host.folder, 'clone', '-q', join(host.folder, 'open/lib.git'), work);
  const texts = {
    'package.json': JSON.stringify(manifest),
    'a.test.js': `require('node:test').test('one', () => {});\n`,
    'server.js': serverText,
    '.gitignore': 'node_modules\n',
  };
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(work, name), text);
  const { site } = packageSites();
  const server = createServer((request, answer) => {
    if (/\.git\//.test(request.url ?? '')) host.site(request, answer);
    else site(request, answer);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { host, work, server, port: (server.address() as AddressInfo).port };
};

describeWith(
  'bubblewrap',
  'git',
  'chromium',
)('a project, as an agent with an MCP client works on it', () => {
  const programs = createProcesses();
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'project-')));
  let server: Server;
  let ann: Person;
  let token = '';
  const questions: string[] = [];

  beforeAll(async () => {
    server = await startServer(programs);
    ann = await server.createOwner();
    // The permissions of the README, with commands on ask.
    const flags = ['--permission-shell', 'ask'];
    await connectDaemon(programs, { person: ann, url: server.url, root: folder, flags });
    const scopes = ['filesystemRead', 'filesystemWrite', 'shell', 'browser'] as const;
    ({ token } = await ann.api.tokens.create.mutate({ name: 'Agent', scopes: [...scopes] }));
  });
  afterAll(async () => {
    await programs.stopAll();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Answers each question with yes, until the call has its result. */
  const call = async (name: string, args: Record<string, unknown>): Promise<string> => {
    const params = { name, arguments: args };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const state = { isOver: false };
    const answered = postMcp(server.url, { token, body })
      .then((response) => response.text())
      .finally(() => (state.isOver = true));
    while (!state.isOver) {
      for (const { id, title } of await ann.api.confirmations.list.query()) {
        questions.push(title ?? '');
        await ann.api.confirmations.decide.mutate({ confirmationId: id, approved: true });
      }
    }
    const text = await answered;
    const { result } = JSON.parse(text.replace(/^[^]*?data: (?=\{)/, '').trim()) as {
      result: { content: { text?: string }[] };
    };
    return result.content[0]?.text ?? '';
  };

  it('is cloned, installed, tested, served, looked at, changed, committed and pushed with seven questions', async () => {
    const { host, work, server: sites, port } = await makeProject();
    const registry = `http://localhost:${port}`;
    const network = [`localhost:${port}`];
    const inApp = (command: string, more = {}) => call('shell_execute', { command, cwd: 'app', ...more });
    gitOutside(work, 'add', '.');
    gitOutside(work, 'commit', '-qm', 'app');
    gitOutside(work, 'push', '-q', 'origin', 'main');
    expect(
      await call('shell_execute', { command: `git clone ${registry}/open/lib.git app`, network }),
    ).toContain('"exitCode":0');
    const install = `npm install --no-audit --replace-registry-host=always --registry=${registry}`;
    expect(await inApp(install, { network })).toContain('added 1 package');
    expect(await inApp('npm test')).toContain('"exitCode":0');
    const more = { cwd: 'app', ports: [5173], waitFor: ['Local:'], waitMs: 30_000 };
    const started = await call('process_start', { command: 'npm run dev', ...more });
    const { process: id } = JSON.parse(started) as { process: string };
    await call('browser_navigate', { url: `http://${id}.localhost:5173/` });
    expect(await call('browser_snapshot', {})).toContain('heading "hello"');
    await call('edit_file', { filePath: 'app/file', oldString: 'hello', newString: 'hello again' });
    await call('browser_navigate', { url: `http://${id}.localhost:5173/` });
    expect(await call('browser_snapshot', {})).toContain('heading "hello again"');
    const commit =
      'git checkout -qb topic && git config user.name Ada && git config user.email a@b.c && git commit -qam again';
    expect(await inApp(commit)).toContain('"exitCode":0');
    const pushed = await inApp('git push -u origin topic && git status -sb', { network });
    expect(pushed).toContain('## topic...origin/topic');
    await call('process_stop', { process: id });
    expect(host.ref('open/lib', 'topic')).toBe(gitOutside(join(folder, 'app'), 'rev-parse', 'HEAD').trim());
    expect(questions.map((title) => title.split(/ [“"]?(?=git|npm|app)/)[0])).toEqual([
      'Run',
      'Run',
      'Run',
      'Run',
      'Change',
      'Run',
      'Run',
    ]);
    sites.close();
  });
});

import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gitOutside, makeGitHost } from '../apps/daemon/test/support/git-host-fixture.ts';
import { packageSites } from '../apps/daemon/test/support/package-sites.ts';

const run = promisify(execFile);

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

/** One call of a tool, and what its result has. */
export interface Step {
  tool: string;
  /** `process`: the id of the dev server, once it runs. */
  args(process: string): Record<string, unknown>;
  shows: string;
}

/** From the clone to the push. */
const stepsWith = (port: number): Step[] => {
  const registry = `http://localhost:${port}`;
  const network = [`localhost:${port}`];
  const command = (text: string, shows = '"exitCode":0', more: Record<string, unknown> = {}): Step => ({
    tool: 'shell_execute',
    args: () => ({ command: text, cwd: 'app', ...more }),
    shows,
  });
  const look = (heading: string): Step[] => [
    {
      tool: 'browser_navigate',
      args: (process) => ({ url: `http://${process}.localhost:5173/` }),
      shows: '',
    },
    { tool: 'browser_snapshot', args: () => ({}), shows: `heading "${heading}"` },
  ];
  return [
    command(`git clone ${registry}/open/lib.git app`, '"exitCode":0', { cwd: '.', network }),
    command(`npm ci --no-audit --replace-registry-host=always --registry=${registry}`, 'added 1 package', {
      network,
    }),
    command('npm test'),
    {
      tool: 'process_start',
      args: () => ({
        command: 'npm run dev',
        cwd: 'app',
        ports: [5173],
        waitFor: ['Local:'],
        waitMs: 30_000,
      }),
      shows: 'Local:',
    },
    ...look('hello'),
    {
      tool: 'edit_file',
      args: () => ({ filePath: 'app/file', oldString: 'hello', newString: 'hello again' }),
      shows: '',
    },
    ...look('hello again'),
    command(
      'git checkout -qb topic && git config user.name Ada && git config user.email a@b.c && git commit -qam again',
    ),
    command('git push -u origin topic && git status -sb', '## topic...origin/topic', { network }),
    { tool: 'process_stop', args: (process) => ({ process }), shows: 'ended' },
  ];
};

/** A project on a git host, and the registry that it installs from, both on one port of this machine. */
export const makeProject = async () => {
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
  // It listens on a TCP port.
  const { port } = server.address() as AddressInfo;
  const registry = `--registry=http://localhost:${port}`;
  await run(
    'npm',
    ['install', '--package-lock-only', '--no-audit', '--replace-registry-host=always', registry],
    {
      cwd: work,
    },
  );
  gitOutside(work, 'add', '.');
  gitOutside(work, 'commit', '-qm', 'app');
  gitOutside(work, 'push', '-q', 'origin', 'main');
  return { steps: stepsWith(port), pushed: () => host.ref('open/lib', 'topic'), close: () => server.close() };
};

export const headOf = (folder: string): string => gitOutside(folder, 'rev-parse', 'HEAD').trim();

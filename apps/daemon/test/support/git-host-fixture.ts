import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownEnvironment } from '../../src/tools/shell/config.ts';
import { cleanUp } from './clean-up.ts';

const environment = {
  PATH: ownEnvironment()['PATH'] ?? '/usr/bin:/bin',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_COMMITTER_NAME: 'ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
};

/** Runs git outside of any sandbox, without the settings of this machine. */
export const gitOutside = (cwd: string, ...words: string[]): string =>
  execFileSync('git', words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], env: environment });

const answerFromBackend = (request: IncomingMessage, answer: ServerResponse, root: string) => {
  const [path = '', query = ''] = (request.url ?? '').split('?');
  const { headers } = request;
  const named = (name: string) => String(headers[name] ?? '');
  const child = spawn('git', ['http-backend'], {
    env: {
      ...environment,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: path,
      QUERY_STRING: query,
      REQUEST_METHOD: request.method ?? 'GET',
      CONTENT_TYPE: named('content-type'),
      HTTP_CONTENT_ENCODING: named('content-encoding'),
      GIT_PROTOCOL: named('git-protocol'),
      REMOTE_USER: 'ada',
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.on('error', () => undefined);
  request.pipe(child.stdin);
  let head = Buffer.alloc(0);
  child.stdout.on('data', (chunk: Buffer) => {
    if (answer.headersSent) return void answer.write(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end === -1) return;
    const lines = head.toString('latin1', 0, end).split('\r\n');
    const pairs = lines.map((line) => line.split(': ') as [string, string]);
    const status = pairs.find(([name]) => name === 'Status')?.[1];
    answer.writeHead(
      Number.parseInt(status ?? '200', 10),
      pairs.filter(([name]) => name !== 'Status').flat(),
    );
    answer.write(head.subarray(end + 4));
  });
  child.stdout.on('end', () => answer.end());
};

export interface SeenRequest {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingHttpHeaders;
}

/**
 * A git host: `/ada/*` needs the login ada and sesame, `/open/*` none. `ada/demo` has the branch main with
 * `file`; `site` answers like a host over HTTPS by `git http-backend`.
 */
export const makeGitHost = () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'git-host-')));
  cleanUp(() => rmSync(folder, { recursive: true, force: true }));
  const work = join(folder, 'work');
  mkdirSync(work);
  gitOutside(work, 'init', '-q', '-b', 'main');
  writeFileSync(join(work, 'file'), 'hello');
  gitOutside(work, 'add', '.');
  gitOutside(work, 'commit', '-qm', 'first');
  for (const name of ['ada/demo.git', 'ada/secret.git', 'open/lib.git']) {
    gitOutside(folder, 'clone', '-q', '--bare', work, name);
    gitOutside(join(folder, name), 'config', 'http.receivepack', 'true');
  }
  const seen: SeenRequest[] = [];
  const wanted = `Basic ${Buffer.from('ada:sesame').toString('base64')}`;
  const site: RequestListener = (request, answer) => {
    const { method, url, headers } = request;
    seen.push({ method, url, headers });
    if (url?.startsWith('/ada/') && headers.authorization !== wanted)
      answer.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
    else answerFromBackend(request, answer, folder);
  };
  return {
    folder,
    site,
    seen,
    /** Of the host: what a ref is, or an empty text. */
    ref: (repository: string, name: string): string => {
      try {
        return gitOutside(join(folder, `${repository}.git`), 'rev-parse', '--verify', '-q', name).trim();
      } catch {
        return '';
      }
    },
  };
};

export type GitHost = ReturnType<typeof makeGitHost>;

/** A home folder whose git has the login of the host, by a helper that keeps it in a file. */
export const makeHome = (login = 'https://ada:sesame@github.com\n'): string => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'git-home-')));
  const before = ownEnvironment()['HOME'];
  ownEnvironment()['HOME'] = home;
  cleanUp(() => {
    if (before === undefined) delete ownEnvironment()['HOME'];
    else ownEnvironment()['HOME'] = before;
    rmSync(home, { recursive: true, force: true });
  });
  writeFileSync(join(home, 'logins'), login, { mode: 0o600 });
  writeFileSync(
    join(home, '.gitconfig'),
    `[user]\n\tname = ada\n\temail = ada@example.org\n[credential]\n\thelper = store --file=${join(home, 'logins')}\n`,
  );
  return home;
};

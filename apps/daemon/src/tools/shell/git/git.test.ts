import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { shared } from '../../../../test/support/clean-up.ts';
import {
  gitOutside,
  makeGitHost,
  makeHome,
  type GitHost,
} from '../../../../test/support/git-host-fixture.ts';
import { publicAddress } from '../../../../test/support/internet-fixture.ts';
import { openNetwork } from '../../../../test/support/network-fixture.ts';

const demo = (access: 'fetch' | 'push') => ({ git: [{ repository: 'github.com/ada/demo', access }] });
const clone = 'git clone -q https://github.com/ada/demo.git cloned && cd cloned';
const commit = 'echo more >> file && git commit -qam more';

describeWith('bubblewrap', 'git')('git with the login of the person', () => {
  const opened = shared(async () => {
    makeHome();
    const host = makeGitHost();
    const network = await openNetwork({
      names: { 'github.com': [publicAddress], 'other.test': [publicAddress] },
      site: host.site,
    });
    return { ...network, host };
  });
  const world = () => {
    const all = opened();
    all.clear();
    all.host.seen.length = 0;
    return all;
  };
  const refs = ({ ref }: GitHost, ...names: string[]) => names.map((name) => ref('ada/demo', name) !== '');

  it('SU-21 clones and fetches a private repository after one question each, which names it', async () => {
    const { run, questions, host } = world();
    const { stdout, exitCode, network } = await run(`${clone} && cat file`, [], demo('fetch'));
    expect([stdout, exitCode, questions.length]).toEqual(['hello', 0, 1]);
    expect(questions[0]?.title).toMatch(/ with your git login for github\.com\/ada\/demo \(fetch\)\?$/);
    expect(questions[0]?.resources?.map(({ resource, description }) => [resource, description])).toEqual([
      ['git fetch github.com/ada/demo', 'Fetch from github.com/ada/demo with your git login'],
    ]);
    expect(network?.map((one) => one.host)).toEqual(['github.com']);
    expect(host.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /ada/demo.git/info/refs?service=git-upload-pack',
      'POST /ada/demo.git/git-upload-pack',
      'POST /ada/demo.git/git-upload-pack',
    ]);
    expect((await run('cd cloned && git fetch -q && git pull -q --rebase', [], demo('fetch'))).exitCode).toBe(
      0,
    );
  });

  it('SU-22, SU-30 pushes a new branch and a tag after one question, and the result lists them', async () => {
    const { run, questions, host } = world();
    const push = 'git checkout -qb topic && git tag v1 && git push -q origin topic v1';
    const { exitCode, pushed, stderr } = await run(`${clone} && ${commit} && ${push}`, [], demo('push'));
    expect([exitCode, questions.length, stderr]).toEqual([0, 1, '']);
    expect(pushed).toEqual([
      {
        repository: 'github.com/ada/demo',
        created: ['refs/heads/topic', 'refs/tags/v1'],
        updated: [],
      },
    ]);
    expect(refs(host, 'refs/heads/topic', 'refs/tags/v1')).toEqual([true, true]);
    expect(questions[0]?.resources?.[0]?.description).toMatch(
      /may create and overwrite any branch and tag; it cannot delete/,
    );
  });

  it('SU-22 a push of more than git sends in one piece comes in chunks, after a probe', async () => {
    const { run, host } = world();
    const big = 'head -c 3000000 /dev/urandom > big && git add big && git commit -qm big';
    const { exitCode, pushed, stderr } = await run(
      `${clone} && ${big} && git push -q origin HEAD:big`,
      [],
      demo('push'),
    );
    expect([exitCode, pushed?.[0]?.created, stderr]).toEqual([0, ['refs/heads/big'], '']);
    const posts = host.seen.filter(({ url }) => url?.endsWith('git-receive-pack') && !url.includes('?'));
    expect(posts.map(({ headers }) => headers['transfer-encoding'])).toEqual([undefined, 'chunked']);
    expect(host.ref('ada/demo', 'big')).not.toBe('');
  });

  it('SU-27 overwrites a branch with a lease', async () => {
    const { run, host } = world();
    const before = host.ref('ada/demo', 'main');
    const amend = 'git commit -q --amend -m other && git push -q --force-with-lease origin main';
    const { exitCode, pushed } = await run(`${clone} && ${amend}`, [], demo('push'));
    expect([exitCode, pushed?.[0]?.updated]).toEqual([0, ['refs/heads/main']]);
    expect(host.ref('ada/demo', 'main')).not.toBe(before);
  });

  it('SU-32 lists the tags of a remote', async () => {
    const { run } = world();
    const { exitCode } = await run('git ls-remote --tags https://github.com/ada/demo', [], demo('fetch'));
    expect(exitCode).toBe(0);
  });

  it('SU-20, SU-31 a public repository and its submodule need the host only', async () => {
    const { run, questions, host } = world();
    const lib = join(host.folder, 'lib');
    gitOutside(host.folder, 'clone', '-q', join(host.folder, 'open/lib.git'), lib);
    onTestFinished(() => rmSync(lib, { recursive: true }));
    writeFileSync(
      join(lib, '.gitmodules'),
      '[submodule "s"]\n\tpath = s\n\turl = https://github.com/open/lib\n',
    );
    const head = gitOutside(lib, 'rev-parse', 'HEAD').trim();
    gitOutside(lib, 'update-index', '--add', '--cacheinfo', `160000,${head},s`);
    gitOutside(lib, 'add', '.gitmodules');
    gitOutside(lib, 'commit', '-qm', 'with a submodule');
    gitOutside(lib, 'push', '-q', 'origin', 'main');
    const { stdout, stderr } = await run(
      'git clone -q https://github.com/open/lib l && cd l && git pull -q --rebase && git submodule -q update --init && cat s/file',
      ['github.com'],
    );
    expect([stdout, questions.length, stderr]).toEqual(['hello', 1, '']);
  });

  it('without the argument it fails at once, and the note has the argument for the next call', async () => {
    const { run } = world();
    const { exitCode, notes } = await run('git clone -q https://github.com/ada/demo', ['github.com']);
    expect(exitCode).not.toBe(0);
    expect(notes?.join('\n')).toContain('git: [{"repository":"github.com/ada/demo","access":"fetch"}]');
  });

  it('SH-76 push with a permission to fetch, and another repository, are refused with the argument', async () => {
    const { run, host } = world();
    const pushed = await run(`${clone} && ${commit} && git push -q origin HEAD:evil`, [], demo('fetch'));
    expect([pushed.exitCode === 0, ...refs(host, 'refs/heads/evil')]).toEqual([false, false]);
    expect(pushed.notes?.[0]).toContain('git: [{"repository":"github.com/ada/demo","access":"push"}]');
    const other = await run('git clone -q https://github.com/ada/secret', ['github.com'], demo('push'));
    expect(other.exitCode).not.toBe(0);
    const longer = await run('git clone -q https://github.com/ada/demo-other', [], demo('push'));
    expect(longer.notes?.[0]).toContain('github.com/ada/demo-other');
    expect(
      host.seen.filter(({ url, headers }) => headers.authorization && !url?.startsWith('/ada/demo.git/')),
    ).toEqual([]);
  });

  it('SH-81 a push that deletes a branch is refused before anything is sent', async () => {
    const { run, host } = world();
    gitOutside(join(host.folder, 'ada/demo.git'), 'branch', 'kept', 'main');
    host.seen.length = 0;
    const { exitCode, notes } = await run(`${clone} && git push -q origin :kept`, [], demo('push'));
    expect([exitCode === 0, ...refs(host, 'refs/heads/kept')]).toEqual([false, true]);
    expect(notes?.[0]).toBe(
      'Blocked: github.com/ada/demo would delete a branch or a tag, which no command may.',
    );
    expect(host.seen.some(({ url }) => url?.endsWith('/git-receive-pack'))).toBe(false);
  });

  it('SH-82 the login is not in the environment, the processes, the files or the output of a command', async () => {
    const { run, base } = world();
    const { stdout, stderr, notes } = await run(
      [
        `${clone} && GIT_TRACE=1 GIT_TRACE_CURL=1 GIT_CURL_VERBOSE=1 git fetch`,
        'env; git config --list --show-origin; cat ~/.git-credentials ~/logins',
        String.raw`cat /proc/*/environ /proc/*/cmdline | tr "\0" "\n"`,
        String.raw`printf "protocol=https\nhost=github.com\n\n" | git credential fill`,
      ].join('; '),
      [],
      demo('fetch'),
    );
    const all = stdout + stderr + String(notes);
    const token = Buffer.from('ada:sesame').toString('base64');
    expect([all.includes('sesame'), all.includes(token), all.includes('cloned')]).toEqual([
      false,
      false,
      true,
    ]);
    expect(spawnSync('grep', ['-rl', '-e', 'sesame', '-e', token, base], { encoding: 'utf8' }).stdout).toBe(
      '',
    );
  });

  it('SH-83 settings of a repository around the daemon do not reach the git and the ssh of the person', async () => {
    const { run, base } = world();
    // Above the shared folder and the daemon's own.
    gitOutside(base, 'init', '-q');
    onTestFinished(() => rmSync(join(base, '.git'), { recursive: true }));
    const canary = join(base, 'canary');
    for (const [key, value] of [
      // Forgets the helpers of the person.
      ['credential.helper', ''],
      ['credential.helper', `!touch ${canary}; echo username=x; echo password=y; :`],
      ['core.sshCommand', `touch ${canary};`],
      ['core.askPass', `touch ${canary};`],
      ['core.fsmonitor', `touch ${canary};`],
      ['url.https://other.test/.insteadOf', 'https://github.com/'],
      ['http.proxy', 'http://other.test'],
    ] as const)
      gitOutside(base, 'config', '--add', key, value);
    const { exitCode } = await run('git ls-remote https://github.com/ada/demo', [], demo('fetch'));
    expect(exitCode).toBe(0);
    expect(existsSync(canary)).toBe(false);
  });

  it('one answer "always" holds for the repository and the direction, and push includes fetch', async () => {
    const { send, questions, state, settings } = world();
    onTestFinished(() => settings.clearRules());
    state.answer = { decision: 'alwaysAllow', reach: 'exact' };
    await send('git --version', [], demo('push'));
    expect(settings.rules().allow.map(({ toolGroup, resource }) => [toolGroup, resource])).toEqual([
      ['network', 'git push github.com/ada/demo'],
    ]);
    state.answer = { decision: 'denyOnce' };
    const asked = async (...git: [string, 'fetch' | 'push'][]) => {
      questions.length = 0;
      await send('git --version', [], { git: git.map(([repository, access]) => ({ repository, access })) });
      return questions.length;
    };
    expect([
      await asked(['github.com/ada/demo', 'push']),
      await asked(['github.com/ada/demo.git', 'fetch']),
      await asked(['github.com/ada/Demo', 'push']),
      await asked(['github.com/ada/secret', 'fetch']),
      await asked(['github.com:8443/ada/demo', 'push']),
      await asked(['ada@github.com/ada/demo', 'push']),
    ]).toEqual([0, 0, 1, 1, 1, 1]);
    await settings.clearRules();
    await settings.addRules('allow', [{ toolGroup: 'network', resource: 'git fetch github.com/ada/demo' }]);
    expect(await asked(['github.com/ada/demo', 'push'])).toBe(1);
  });

  it('a deny rule for the host, or for fetching, refuses both directions; one for pushing refuses one', async () => {
    const { send, settings } = world();
    onTestFinished(() => settings.clearRules());
    const denied = async (resource: string, access: 'fetch' | 'push') => {
      await settings.clearRules();
      await settings.addRules('deny', [{ toolGroup: 'network', resource }]);
      return (await send('true', [], demo(access))).includes('a rule forbids');
    };
    const [push, fetch] = ['git push github.com/ada/demo', 'git fetch github.com/ada/demo'];
    expect([
      await denied('github.com', 'fetch'),
      await denied(fetch, 'fetch'),
      await denied(fetch, 'push'),
      await denied(push, 'push'),
      await denied(push, 'fetch'),
      await denied('git push github.com/ada/other', 'push'),
    ]).toEqual([true, true, true, true, false, false]);
  });

  it.each([
    ['SH-76 dots', 'github.com/ada/../secret'],
    ['SH-76 an escape', 'github.com/ada/%2e%2e/secret'],
    ['SH-76 a double slash', 'github.com/ada//demo'],
    ['SH-76 a query', 'github.com/ada/demo?x=1'],
    ['SH-80 an option as the host', '-oProxyCommand=x/ada/demo'],
    ['SH-80 an option as the user', '-l@github.com/ada/demo'],
    ['SH-80 a quote', "github.com/ada/demo'; id; '"],
    ['SH-80 a line', 'github.com/ada/demo\nx'],
    ['a host alone', 'github.com'],
    ['a URL', 'https://github.com/ada/demo'],
    ['SH-49 a metadata address', '169.254.169.254/ada/demo'],
  ])('%s in the argument is refused before anything is asked', async (_case, repository) => {
    const { send, questions } = world();
    expect(await send('true', [], { git: [{ repository, access: 'push' }] })).toMatch(/git/);
    expect(questions).toEqual([]);
  });
});

describeWith('bubblewrap')('network on allow', () => {
  it('asks for the login all the same', async () => {
    const { send, questions, state } = await openNetwork({ names: {}, modes: { network: 'allow' } });
    state.answer = { decision: 'denyOnce' };
    await send('true', [], demo('fetch'));
    expect(questions).toHaveLength(1);
  });
});

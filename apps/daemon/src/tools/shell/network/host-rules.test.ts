import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock, type Clock } from '@drawbridge/kit';
import { expect, it, onTestFinished, vi } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { publicAddress } from '../../../../test/support/internet-fixture.ts';
import { openNetwork, sharedNetwork } from '../../../../test/support/network-fixture.ts';
import { ada, ben, sharedProcesses } from '../../../../test/support/process-fixture.ts';

const names = { 'good.test': [publicAddress], 'sub.good.test': [publicAddress], 'bridge.test': ['10.0.0.9'] };
const curl = 'curl -sf https://good.test/';
/** Writes `open` when the connection stands, and says when it is over. */
const hold = `cat > hold.py <<'END'
import socket
link = socket.create_connection(('127.0.0.1', 3128))
link.sendall(b'CONNECT good.test:5432 HTTP/1.1\\r\\n\\r\\n')
got = b''
while b'ready' not in got: got += link.recv(99)
open('open', 'w').close()
try: link.recv(9)
except OSError: pass
print('cut')
END
python3 hold.py`;
const until = (assertion: () => void | Promise<void>) =>
  vi.waitFor(assertion, { timeout: 30_000, interval: 20 });

describeWith('bubblewrap')('rules for hosts', () => {
  const world = sharedNetwork(() => ({
    names,
    ports: { 5432: (link) => void link.write('ready') },
    serverUrl: 'http://bridge.test:5820',
  }));

  it('SU-03, SH-62, SH-85 always covers exactly this command with this host in this folder', async () => {
    const { send, questions, state, root, session, settings } = world();
    onTestFinished(() => settings.clearRules());
    state.answer = { decision: 'alwaysAllow', reach: 'exact' };
    await send('npm ci --help', ['good.test']);
    state.answer = { decision: 'denyOnce' };
    const asked = async (command: string, hosts: string[], more = {}) => {
      questions.length = 0;
      await send(command, hosts, more);
      return questions.length;
    };
    mkdirSync(join(root, 'sub'));
    expect([
      await asked('npm ci --help', ['good.test']),
      await asked('npm ci --help', ['good.test:8443']),
      await asked('npm ci --help', ['sub.good.test']),
      await asked('npm ci --help', ['good.test', 'sub.good.test']),
      await asked('npm ci --help; curl good.test', ['good.test']),
      await asked('npm ci --help', ['good.test'], { cwd: 'sub' }),
    ]).toEqual([0, 1, 1, 1, 1, 1]);
    expect(session.rules()).toEqual([]);
  });

  it('a host for any command of the folder lasts for the session at most, and not elsewhere', async () => {
    const { send, questions, state, session, root } = world();
    onTestFinished(() => session.end());
    await send(curl, ['good.test']);
    const any = questions[0]?.reaches?.filter(({ scope }) => scope === 'host') ?? [];
    expect(any.map(({ decisions, durationMs }) => [decisions, durationMs])).toEqual([
      [['allowForSession'], undefined],
      [['allowForSession'], 900_000],
    ]);
    expect(any[0]?.label).toMatch(/^let any sandboxed command in .* connect to good\.test$/);
    state.answer = { decision: 'allowForSession', reach: 'host' };
    await send(curl, ['good.test']);
    questions.length = 0;
    state.answer = { decision: 'denyOnce' };
    await send('true', ['good.test']);
    expect(questions).toEqual([]);
    mkdirSync(join(root, 'sub'));
    await send('true', ['good.test'], { cwd: 'sub' });
    expect(questions).toHaveLength(1);
  });

  it('SH-63 a deny rule of a parent domain refuses the call, and each connection of a wildcard', async () => {
    const { send, run, settings, dialled } = world();
    onTestFinished(() => settings.clearRules());
    await settings.addRules('deny', [{ toolGroup: 'network', resource: 'good.test', reach: 'subdomains' }]);
    expect(await send('true', ['sub.good.test:22'])).toContain('a rule forbids');
    await settings.clearRules();
    await settings.addRules('deny', [{ toolGroup: 'network', resource: 'sub.good.test' }]);
    const { notes } = await run('curl -s https://sub.good.test/', ['*.good.test']);
    expect([dialled, notes?.[0]]).toEqual([[], expect.stringContaining('forbidden by a rule')]);
  });

  it('SH-53 the server is not reached, by its name, by its address or as a port of this machine', async () => {
    const { run, dialled } = world();
    const commands = ['curl -s http://bridge.test:5820/', 'curl -s http://10.0.0.9:5820/'].join('; ');
    const { notes } = await run(commands, ['local:bridge.test:5820', '10.0.0.9:5820']);
    expect([dialled, notes?.filter((note) => note.includes('is the server of Drawbridge'))]).toEqual([
      [],
      [expect.anything(), expect.anything()],
    ]);
  });

  it('SH-65, SH-66, SH-87 a listener belongs to one command; a deny rule cuts what is open', async () => {
    const { run, settings } = world();
    const holding = run(`touch started; ${hold}`, ['good.test:5432']);
    await until(async () => expect((await run('ls started open 2>/dev/null | wc -l')).stdout).toContain('2'));
    const beside = await run(
      'curl -s --max-time 2 http://127.0.0.1:3128/; python3 -c "import socket; socket.create_connection((\'127.0.0.1\', 3128))" 2>&1 | tail -1',
    );
    expect(beside.stdout).toContain('ConnectionRefused');
    await settings.addRules('deny', [{ toolGroup: 'network', resource: 'good.test' }]);
    onTestFinished(() => settings.clearRules());
    expect((await holding).stdout).toBe('cut\n');
  });

  it('SH-65 a named pipe of the folder joins two commands, as the documentation says', async () => {
    const { run } = world();
    // A pipe that is there at the start of a command is an empty file in it.
    const [, { stdout }] = await Promise.all([
      run('until [ -e go ]; do sleep 0.05; done; mkfifo pipe && cat pipe > sent', ['good.test:5432']),
      run(
        'touch go; until [ -p pipe ]; do sleep 0.05; done; echo passed > pipe; until [ -s sent ]; do sleep 0.05; done; cat sent',
      ),
    ]);
    expect(stdout).toBe('passed\n');
  });
});

describeWith('bubblewrap')('a question beside a process with hosts', () => {
  const world = sharedProcesses({
    modes: { shell: 'ask', network: 'ask' },
    toolsets: { network: { resolve: async () => [] } },
  });

  it('SH-65 names the process, and for another caller its id alone', async () => {
    const { start, stop, callAs, questions } = await world();
    const { process: id } = await start('sleep 1000', { network: ['good.test', 'sub.good.test:22'] });
    const asked = async (caller: typeof ada) => {
      questions.length = 0;
      await callAs(caller, 'shell_execute', { command: 'true' });
      return questions[0]?.resources?.[0]?.description ?? '';
    };
    const end = ' what this command writes into the folder';
    expect(await asked(ada)).toContain(
      `. Meanwhile ${id} (sleep 1000) can send to good.test, sub.good.test:22${end}`,
    );
    const other = await asked(ben);
    expect(other).toContain(`. Meanwhile ${id}, a process of another caller, can send to its hosts${end}`);
    expect(other).not.toMatch(/good\.test|sleep/);
    await stop(id, { signal: 'KILL' });
    expect(await asked(ada)).not.toContain('Meanwhile');
  });
});

describeWith('bubblewrap')('permissions that end while a command runs', () => {
  it('SH-86 15 minutes are over: the connection is cut', async () => {
    let ahead = 0;
    const clock: Clock = { ...systemClock, now: () => systemClock.now() + ahead };
    const { run, state } = await openNetwork({
      names,
      clock,
      ports: { 5432: (link) => void link.write('ready') },
    });
    state.answer = { decision: 'allowForSession', reach: 'host-15-minutes' };
    const holding = run(hold, ['good.test:5432']);
    await until(async () => expect((await run('ls open')).stdout).toContain('open'));
    ahead = 15 * 60_000 + 1;
    expect((await holding).stdout).toBe('cut\n');
  });

  it('SH-63 with network on deny the argument is refused with a reason', async () => {
    const { send } = await openNetwork({ names, modes: { network: 'deny' } });
    expect(await send('true', ['good.test'])).toBe('Access denied: network is switched off on this machine');
  });
});

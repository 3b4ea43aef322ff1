import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { shared } from '../../../../test/support/clean-up.ts';
import { gitOutside, makeGitHost, makeHome } from '../../../../test/support/git-host-fixture.ts';
import { publicAddress } from '../../../../test/support/internet-fixture.ts';
import { openNetwork } from '../../../../test/support/network-fixture.ts';
import { openSshHost } from '../../../../test/support/ssh-host-fixture.ts';

describeWith(
  'bubblewrap',
  'git',
  'sshd',
)('git over ssh', () => {
  const opened = shared(async () => {
    const home = makeHome('');
    const host = makeGitHost();
    const ssh = await openSshHost(host.folder);
    const network = await openNetwork({ names: { 'git.test': [publicAddress] }, ports: { 22: ssh.join } });
    const at = (name: string) => `${ssh.user}@${name}`;
    const demo = (access: 'fetch' | 'push', name = 'git.test') => ({
      git: [{ repository: `${at(name)}/ada/demo`, access }],
    });
    return {
      ...network,
      home,
      host,
      ssh,
      demo,
      clone: `git clone -q ${at('git.test')}:ada/demo.git c && cd c`,
    };
  });
  const world = () => {
    const all = opened();
    all.clear();
    all.ssh.clear();
    return all;
  };

  it('SU-25 clones with the key of the person after one question', async () => {
    const { run, questions, demo, clone, ssh, dialled } = world();
    const { stdout, stderr, network } = await run(`${clone} && cat file`, [], demo('fetch'));
    expect([stdout, stderr, questions.length]).toEqual(['hello', '', 1]);
    expect([ssh.commands(), dialled]).toEqual([["git-upload-pack 'ada/demo.git'"], []]);
    expect(ssh.hasRunLocal()).toBe(false);
    expect(network).toEqual([{ host: 'git.test', in: expect.any(Number), out: expect.any(Number) }]);
  });

  it('SU-24 pushes; a URL with ssh:// is the same repository', async () => {
    const { run, demo, clone, host, ssh } = world();
    const push = `git commit -q --allow-empty -m x && git push -q ssh://${ssh.user}@git.test/ada/demo HEAD:by-ssh`;
    // An absolute path is another one for this host, and the gate passes it as it is written.
    const { pushed, notes } = await run(`${clone} && ${push}`, [], demo('push'));
    expect(ssh.commands().at(-1)).toBe("git-receive-pack '/ada/demo'");
    expect([pushed, notes?.[0]]).toEqual([undefined, expect.stringContaining('was not found')]);
    const again = await run('cd c && git push -q origin HEAD:by-ssh', [], demo('push'));
    expect([again.exitCode, again.pushed?.[0]?.created]).toEqual([0, ['refs/heads/by-ssh']]);
    expect(host.ref('ada/demo', 'by-ssh')).not.toBe('');
  });

  it('SU-26 a deploy key in the folder reaches the host without the login', async () => {
    const { run, questions, ssh, root } = world();
    writeFileSync(join(root, 'deploy'), ssh.key, { mode: 0o600 });
    const { stdout, stderr } = await run(
      `export GIT_SSH_COMMAND="$GIT_SSH_COMMAND -i $PWD/deploy -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR"; git clone -q ${ssh.user}@git.test:ada/demo.git c && cat c/file`,
      ['git.test:22'],
    );
    expect([stdout, stderr, questions.length]).toEqual(['hello', '', 1]);
  });

  it('SH-76, SH-80 another repository, user and direction are refused before ssh starts', async () => {
    const { run, demo, clone, ssh, host } = world();
    const { notes } = await run(
      `git ls-remote ${ssh.user}@git.test:ada/secret.git; git ls-remote other@git.test:ada/demo.git; git ls-remote git.test:ada/demo.git; ${clone} && git push -q origin HEAD:evil`,
      [],
      demo('fetch'),
    );
    expect(ssh.commands()).toEqual(["git-upload-pack 'ada/demo.git'"]);
    expect(notes?.slice(0, 4)).toEqual([
      expect.stringContaining(
        `fetch of ${ssh.user}@git.test/ada/secret with the git login was not asked for`,
      ),
      expect.stringContaining('fetch of other@git.test/ada/demo'),
      expect.stringContaining('fetch of git.test/ada/demo'),
      expect.stringContaining(`push of ${ssh.user}@git.test/ada/demo`),
    ]);
    expect(host.ref('ada/demo', 'evil')).toBe('');
  });

  it('SH-81 a push that deletes is refused, and the host gets no change', async () => {
    const { run, demo, clone, host } = world();
    gitOutside(join(host.folder, 'ada/demo.git'), 'branch', '-f', 'kept', 'main');
    const { exitCode, notes } = await run(`${clone} && git push -q origin :kept`, [], demo('push'));
    expect([exitCode === 0, host.ref('ada/demo', 'kept') !== '']).toEqual([false, true]);
    expect(notes?.[0]).toContain('would delete a branch or a tag');
  });

  it('a host whose key is not known is not trusted, and the note says what to do', async () => {
    const { run, demo, ssh } = world();
    const { notes } = await run(
      `git ls-remote ${ssh.user}@new.test:ada/demo.git`,
      [],
      demo('fetch', 'new.test'),
    );
    expect([ssh.commands(), notes?.[0]]).toEqual([
      [],
      expect.stringContaining('ask the user to connect once'),
    ]);
  });

  it('SH-82 keys and the agent of the person are not in the sandbox', async () => {
    const { run, demo, ssh, home } = world();
    mkdirSync(join(home, '.ssh'));
    writeFileSync(join(home, '.ssh/id_ed25519'), ssh.key, { mode: 0o600 });
    process.env['SSH_AUTH_SOCK'] = '/tmp/agent';
    const { stdout } = await run('env; cat ~/.ssh/* 2>&1; cat /proc/*/environ', [], demo('push'));
    delete process.env['SSH_AUTH_SOCK'];
    expect([stdout.includes('SSH_AUTH_SOCK'), stdout.includes(ssh.key.slice(40, 80))]).toEqual([
      false,
      false,
    ]);
  });

  it('SH-81 a push of 2,000 branches passes and 20 are named; with a deletion after them nothing changes', async () => {
    const { run, demo, clone, host } = world();
    const bare = join(host.folder, 'ada/demo.git');
    gitOutside(bare, 'branch', '-f', 'kept', 'main');
    const many = 'seq 2000 | sed "s/.*/create refs\\/heads\\/n& HEAD/" | git update-ref --stdin';
    const push = "git push -q origin 'refs/heads/n*:refs/heads/n*'";
    const refused = await run(`${clone} && ${many} && ${push} :kept`, [], demo('push'));
    expect([refused.exitCode === 0, refused.notes?.[0]]).toEqual([
      false,
      expect.stringContaining('would delete a branch or a tag'),
    ]);
    expect(
      gitOutside(bare, 'for-each-ref', 'refs/heads/n*', 'refs/heads/kept').trim().split('\n'),
    ).toHaveLength(1);
    const passed = await run(`cd c && ${push}`, [], demo('push'));
    expect([passed.exitCode, passed.pushed?.[0]?.created.length]).toEqual([0, 20]);
    expect(gitOutside(bare, 'for-each-ref', 'refs/heads/n*').trim().split('\n')).toHaveLength(2_000);
  });
});

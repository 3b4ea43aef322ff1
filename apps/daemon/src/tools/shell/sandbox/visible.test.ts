import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { shared } from '../../../../test/support/clean-up.ts';
import { openShell } from '../../../../test/support/shell-fixture.ts';
import { makeFolders, textOf } from '../../../../test/support/tool-fixture.ts';
import { setVariables } from '../../../../test/support/home/config.ts';
import { words } from '../../../text/words.ts';

const secret = 'sesame';

const put = (path: string, text = secret, mode = 0o644): string => {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text, { mode });
  return path;
};

/** What people, agents, clouds and editors keep in the home folder; most of it no list knew. */
const inHome = words(`
  .ssh/id_ed25519 .gnupg/private-keys-v1.d/a.key .aws/credentials .kube/config .docker/config.json .netrc
  .npmrc .git-credentials .config/gh/hosts.yml .cargo/credentials.toml .m2/settings.xml .bash_history
  .claude.json .codex/auth.json .gemini/oauth_creds.json .config/goose/config.yaml
  .openclaw/openclaw.json .qwen/oauth_creds.json .config/opencode/auth.json .local/share/opencode/auth.json
  .openai/key .cloudflared/cert.pem .ollama/id_ed25519 .config/argocd/config .local/share/atuin/key
  .config/Slack/Cookies .local/share/TelegramDesktop/tdata/key_datas .config/discord/Cookies
  .step/secrets/root_ca_key .minikube/client.key .lein/credentials.clj .sbt/1.0/credentials .hex/hex.config
  .config/nushell/history.txt .config/xonsh/rc.xsh .irssi/config .weechat/sec.conf .config/neomutt/neomuttrc
  .config/aerc/accounts.conf .config/himalaya/config.toml .local/share/keyrings/login.keyring
  .config/google-chrome/Default/Cookies .config/zed/settings.json .config/Code/User/settings.json
  .local/share/zed/keys.json .config/obsidian/obsidian.json .config/spotify/prefs .config/rclone/rclone.conf
  .local/share/drawbridge/auth-secret .local/share/drawbridge/drawbridge.db .config/mise/config.toml
  .config/environment.d/keys.conf .profile .zshenv .config/fish/config.fish .local/share/fish/fish_history
  .bitcoin/wallet.dat .config/solana/id.json .foundry/keystores/main .near-credentials/mainnet/a.json
  .cache/huggingface/token .config/wandb/settings .kaggle/kaggle.json .dbt/profiles.yml .snowsql/config
  Documents/passwords.txt Desktop/notes.txt projects/other/.env mail/inbox work/plan.txt
`);

describeWith('bubblewrap')('what a command can read', () => {
  const world = shared(async () => {
    const folders = makeFolders();
    const home = join(folders.base, 'home');
    const elsewhere = join(folders.base, 'elsewhere');
    for (const path of inHome) put(join(home, path));
    setVariables({
      HOME: home,
      XDG_CONFIG_HOME: join(elsewhere, 'config'),
      XDG_DATA_HOME: join(elsewhere, 'data'),
      GNUPGHOME: join(elsewhere, 'gnupg'),
      CLAUDE_CONFIG_DIR: join(elsewhere, 'claude'),
      AWS_SHARED_CREDENTIALS_FILE: join(elsewhere, 'aws'),
      KUBECONFIG: join(elsewhere, 'kube'),
      NPM_CONFIG_USERCONFIG: join(elsewhere, 'npmrc'),
    });
    return { home, elsewhere, ...(await openShell(folders)) };
  });
  /** What `cat` gives of these: behind a file that it must give, so that it has run. */
  const read = async (paths: readonly string[]): Promise<string> => {
    const { root, run } = world();
    put(join(root, 'word'), 'ran\n');
    const { stdout } = await run(`cat word ${paths.map((path) => `'${path}'`).join(' ')}; true`);
    expect(stdout.slice(0, 4)).toBe('ran\n');
    return stdout.slice(4);
  };

  it(`NG-05, HN-06: reads none of ${inHome.length} files of the home folder, and cannot list it`, async () => {
    const { home, run } = world();
    expect(await read(inHome.map((path) => join(home, path)))).toBe('');
    const listed = await run(
      `ls -d /; ls -A "$HOME" "$HOME/.." | grep -v '^$'; ls -A "$HOME/.config" "$HOME/.local" 2> /dev/null`,
    );
    expect(listed.stdout.split('\n')[0]).toBe('/');
    for (const name of ['.ssh', 'Documents', 'projects', 'gh', 'elsewhere', 'outside'])
      expect(listed.stdout.split('\n')).not.toContain(name);
  });

  it('NG-05: reads no store of a server at its default place', async () => {
    const { home } = world();
    const store = ['auth-secret', 'drawbridge.db'].map((name) => join(home, '.local/share/drawbridge', name));
    expect(await read(store)).toBe('');
  });

  it.each([
    ['XDG_CONFIG_HOME', 'config/gh/hosts.yml'],
    ['XDG_DATA_HOME', 'data/drawbridge/auth-secret'],
    ['GNUPGHOME', 'gnupg/private-keys-v1.d/a.key'],
    ['CLAUDE_CONFIG_DIR', 'claude/.credentials.json'],
    ['AWS_SHARED_CREDENTIALS_FILE', 'aws'],
    ['KUBECONFIG', 'kube'],
    ['NPM_CONFIG_USERCONFIG', 'npmrc'],
  ])('NG-07: does not read what %s names', async (_variable, path) => {
    expect(await read([put(join(world().elsewhere, path))])).toBe('');
  });

  it.each([
    ['/var/tmp', '/var/tmp'],
    ['another folder for temporary files', '/tmp'],
    ['shared memory of other programs', '/dev/shm'],
  ])('NG-05: reads nothing of other programs in %s', async (_case, parent) => {
    const folder = realpathSync(mkdtempSync(join(parent, 'drawbridge-other-')));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    expect(await read([put(join(folder, 'secret.txt'))])).toBe('');
  });

  it('NG-05: sees nothing of /run, /var, /srv, /mnt, /media, /boot and /sys', async () => {
    const { run } = world();
    const { stdout } = await run(
      'ls -d /; ls -A /run /var /srv /mnt /media /boot /sys 2> /dev/null | grep -v :$; true',
    );
    expect(stdout.trim()).toBe('/');
  });

  it('NG-05: of /etc it reads what programs need, and no passwords and keys of the system', async () => {
    const { run } = world();
    const files = words('shadow shadow- gshadow sudoers environment machine-id ssh/ssh_host_ed25519_key');
    const folders = words('NetworkManager letsencrypt ssl/private ssh apt cron.d systemd');
    const { stdout, exitCode } = await run(
      `cd /etc; cat hosts > /dev/null && echo ran; cat ${files.join(' ')} 2> /dev/null; ls ${folders.join(' ')} 2> /dev/null; id -un > /dev/null && ls ssl/certs > /dev/null`,
    );
    expect([stdout, exitCode]).toEqual(['ran\n', 0]);
  });

  it('NG-06: cannot hold a lock on the store of a server', async () => {
    const { home, run } = world();
    const shm = put(join(home, '.local/share/drawbridge/drawbridge.db-shm'));
    // A shell ends where it cannot open a file: each try has its own.
    const tries = ['<', '<>'].map((how) => `sh -c "exec 3${how} '${shm}' && echo open"`);
    expect((await run(`echo ran; ${tries.join('; ')}; true`)).stdout).toBe('ran\n');
  });

  /** A program that reads a pipe, both ends of it open, so that no writer waits. */
  const openPipe = async (path: string) => {
    spawnSync('mkfifo', [path]);
    const reader = spawn('/bin/sh', ['-c', `exec 3<> '${path}'; echo ready; exec cat <&3`]);
    onTestFinished(() => void reader.kill('SIGKILL'));
    let told = '';
    reader.stdout.on('data', (chunk: Buffer) => void (told += chunk.toString()));
    await expect.poll(() => told).toContain('ready');
    return () => told;
  };

  it.each([
    ['in the home folder', 'home/ctl'],
    ['in the shared folder', 'root/ctl'],
    ['deep in the shared folder', 'root/a/b/ctl'],
  ])('NG-04: writes nothing into a pipe of another program %s', async (_case, place) => {
    const { base, run } = world();
    const path = join(base, place);
    mkdirSync(join(path, '..'), { recursive: true });
    const told = await openPipe(path);
    const { stdout } = await run(
      `echo ran; timeout 5 sh -c 'echo COMMAND > "${path}"'; timeout 5 sh -c 'mv "${path}" moved && echo COMMAND > moved'; true`,
    );
    expect(stdout).toBe('ran\n');
    // What the command wrote would have come before this line.
    spawnSync('timeout', ['5', '/bin/sh', '-c', `echo ours > '${path}'`]);
    await expect.poll(told).toContain('ours');
    expect(told()).toBe('ready\nours\n');
  });

  it('NG-04: makes and uses pipes of its own', async () => {
    const { run } = world();
    const made = await run(
      'mkfifo own && (echo through > own & cat own); mkfifo "$TMPDIR/own" && (echo too > "$TMPDIR/own" & cat "$TMPDIR/own")',
    );
    expect([made.stdout, made.exitCode]).toEqual(['through\ntoo\n', 0]);
  });

  it('NG-04: with more than 200 pipes a command is refused, and says what to do', async () => {
    const { run, call, root } = await openShell();
    spawnSync('/bin/sh', ['-c', 'seq 1 201 | sed s/^/p/ | xargs mkfifo'], { cwd: root });
    const refused = await call('shell_execute', { command: 'touch ran' });
    expect(textOf(refused)).toMatch(/more than 200 named pipes and sockets.*was not run\. Remove those/);
    expect(existsSync(join(root, 'ran'))).toBe(false);
    rmSync(join(root, 'p1'));
    expect((await run('echo ran')).stdout).toBe('ran\n');
  });

  it('writes nowhere but in the shared folder and its temporary folder', async () => {
    const { run, home } = world();
    const { stdout } = await run(
      `for at in / "$HOME" /etc /usr /run /var /opt /proc; do (echo x > "$at/written") 2> /dev/null && echo "$at"; done; echo x > "$TMPDIR/a" && cat "$TMPDIR/a"`,
    );
    expect(stdout).toBe('x\n');
    expect(existsSync(join(home, 'written'))).toBe(false);
  });
});

describe('the list of this test', () => {
  it('has each place once', () => expect(new Set(inHome).size).toBe(inHome.length));
});

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { postgresFolder } from '../tools/postgres/programs.ts';
import { hasOtherNodes } from './nodes/index.ts';

/** Programs and places outside this repository that some tests need. */
export type Service =
  | 'chromium'
  | 'bubblewrap'
  | 'display'
  | 'tmux'
  | 'curl'
  | 'registry'
  | 'nginx'
  | 'caddy'
  | 'haproxy'
  | 'redis'
  | 'postgresql'
  | 'git'
  | 'sshd'
  | 'make'
  | 'python3'
  | 'script'
  | 'cargo'
  | 'java'
  | 'pnpm'
  | 'yarn'
  | 'venv'
  | 'compiler'
  | 'corepack'
  | 'go'
  | 'bundler'
  | 'composer'
  | 'poetry'
  | 'pytest'
  | 'maven'
  | 'gradle'
  | 'other nodes'
  | 'mount';

interface ServiceEntry {
  isThere(): boolean;
  /** Debian packages that bring it. */
  packages?: readonly string[];
  /** What enables it, where no package does. */
  hint?: string;
  /** A tool of other people's projects, which our own do not need: without it tests are skipped, always. */
  isOptional?: boolean;
}

const runs = (command: string, args: string[]) =>
  spawnSync(command, args, { stdio: 'ignore', timeout: 20_000 }).status === 0;

const optional = (program: string, ...packages: string[]): ServiceEntry => ({
  isThere: () => runs('which', [program]),
  packages,
  isOptional: true,
});

const browsers = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Where the browser is: `CHROMIUM_PATH`, or where Debian puts it. */
export const chromiumPath = process.env.CHROMIUM_PATH ?? browsers.find((path) => existsSync(path));

const headlessShell = '/usr/bin/chromium-headless-shell';

/** The same browser without windows, which starts and draws with less work; without it, the browser itself. */
export const headlessPath =
  process.env.CHROMIUM_PATH ?? (existsSync(headlessShell) ? headlessShell : chromiumPath);

export const services: Record<Service, ServiceEntry> = {
  chromium: {
    isThere: () => chromiumPath !== undefined && existsSync(chromiumPath),
    packages: ['chromium'],
  },
  bubblewrap: { isThere: () => runs('bwrap', ['--ro-bind', '/', '/', 'true']), packages: ['bubblewrap'] },
  display: {
    isThere: () => runs('which', ['Xvfb', 'setxkbmap', 'xdotool']),
    packages: ['xvfb', 'libxtst6', 'x11-xkb-utils', 'xdotool'],
  },
  tmux: { isThere: () => runs('tmux', ['-V']), packages: ['tmux'] },
  curl: { isThere: () => runs('curl', ['--version']), packages: ['curl'] },
  nginx: { isThere: () => runs('nginx', ['-v']), packages: ['nginx'] },
  caddy: { isThere: () => runs('caddy', ['version']), packages: ['caddy'] },
  haproxy: { isThere: () => runs('haproxy', ['-v']), packages: ['haproxy'] },
  redis: { isThere: () => runs('redis-server', ['--version']), packages: ['redis-server'] },
  postgresql: { isThere: () => postgresFolder() !== undefined, packages: ['postgresql'] },
  git: { isThere: () => runs('git', ['--version']), packages: ['git'] },
  sshd: {
    isThere: () => existsSync('/usr/sbin/sshd') && existsSync('/usr/bin/ssh'),
    packages: ['openssh-server', 'openssh-client'],
  },
  make: { isThere: () => runs('make', ['--version']), packages: ['make'] },
  python3: { isThere: () => runs('python3', ['--version']), packages: ['python3'] },
  cargo: { isThere: () => runs('cargo', ['--version']), packages: ['cargo'], isOptional: true },
  java: {
    isThere: () => runs('javac', ['-version']),
    packages: ['default-jdk-headless'],
    isOptional: true,
  },
  pnpm: {
    isThere: () => runs('pnpm', ['--version']),
    hint: 'npm install --global pnpm@10',
    isOptional: true,
  },
  yarn: { isThere: () => runs('yarn', ['--version']), hint: 'npm install --global yarn@1', isOptional: true },
  venv: {
    isThere: () => runs('python3', ['-c', 'import ensurepip, venv']),
    packages: ['python3-venv'],
    isOptional: true,
  },
  compiler: {
    isThere: () =>
      runs('cc', ['--version']) &&
      runs('make', ['--version']) &&
      runs('python3', ['--version']) &&
      existsSync(join(process.execPath, '../../include/node/node_api.h')),
    packages: ['build-essential', 'python3'],
    isOptional: true,
  },
  corepack: {
    isThere: () => runs('corepack', ['--version']),
    hint: 'npm install --global corepack',
    isOptional: true,
  },
  go: optional('go', 'golang-go'),
  bundler: optional('bundle', 'ruby-bundler'),
  composer: optional('composer', 'composer'),
  poetry: optional('poetry', 'python3-poetry'),
  pytest: {
    isThere: () => runs('python3', ['-c', 'import importlib.metadata as m; exit(not m.files("pytest"))']),
    hint: 'python3 -m pip install pytest',
    isOptional: true,
  },
  maven: optional('mvn', 'maven'),
  gradle: optional('gradle', 'gradle'),
  script: {
    isThere: () => runs('script', ['--version']) && runs('stty', ['--version']),
    packages: ['bsdutils'],
  },
  'other nodes': {
    isThere: hasOtherNodes,
    hint: 'run pnpm test:long, which installs the other versions of Node, on Linux on x64',
  },
  registry: {
    isThere: () => runs('npm', ['ping', '--fetch-retries=0', '--fetch-timeout=10000']),
    hint: 'connect to the npm registry',
  },
  mount: {
    isThere: () => runs('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']),
    hint: 'run as root, with the right to mount',
  },
};

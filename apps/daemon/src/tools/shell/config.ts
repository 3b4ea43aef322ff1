import { safePath } from '../../paths/programs.ts';
import { pickEnvironment } from '../../config.ts';

/** The variables that a command gets: enough to find programs and to use the person's language. */
const kept = 'HOME USER LOGNAME LANG LC_ALL LC_CTYPE LC_MESSAGES TERM TZ';

const usualPath = '/usr/local/bin:/usr/bin:/bin';

/** Package tools try a host again for half a minute; where there is no network, once is enough. */
export const withoutRetries = {
  npm_config_fetch_retries: '0',
  YARN_HTTP_RETRY: '0',
  PIP_RETRIES: '0',
  UV_HTTP_RETRIES: '0',
  CARGO_NET_RETRY: '0',
  BUNDLE_RETRY: '0',
} as const;

/** The environment that a command in this root starts with, but for `TMPDIR`. */
export const shellEnvironment = (root: string): Record<string, string> & { PATH: string } => ({
  ...pickEnvironment(kept),
  PATH: safePath(process.env['PATH'] ?? usualPath, root) || usualPath,
});

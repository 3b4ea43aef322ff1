import { gateHosts, gateSettings } from '../git/gate-address.ts';
import type { Repository } from '../git/repositories.ts';
import { proxyPort } from '../ports/sandbox-ports.ts';
import type { HandOut } from './hand-out.ts';

const proxy = `http://127.0.0.1:${proxyPort}`;

/** Variables of a command with network. */
export const networkEnvironment = (
  { node, connect, gitSsh }: HandOut,
  repositories: readonly Repository[],
): Record<string, string> => ({
  ...Object.fromEntries(
    ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [
      [name, proxy],
      [name.toLowerCase(), proxy],
    ]),
  ),
  NO_PROXY: 'localhost,127.0.0.1,::1',
  no_proxy: 'localhost,127.0.0.1,::1',
  NODE_USE_ENV_PROXY: '1',
  JAVA_TOOL_OPTIONS: ['http', 'https']
    .map((scheme) => `-D${scheme}.proxyHost=127.0.0.1 -D${scheme}.proxyPort=${proxyPort}`)
    .join(' '),
  GIT_TERMINAL_PROMPT: '0',
  GIT_SSH_COMMAND:
    repositories.length === 0
      ? `ssh -o ProxyCommand='${node} ${connect} %h %p'`
      : `${node} ${gitSsh} ${gateHosts(repositories)}`,
  GIT_SSH_VARIANT: 'ssh',
  ...(repositories.length > 0 && gateSettings(repositories)),
  npm_config_update_notifier: 'false',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
});

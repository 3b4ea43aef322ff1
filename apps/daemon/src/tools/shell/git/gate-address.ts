import type { Repository } from './repositories.ts';

/** Leads nowhere: git's requests for the repositories of a command are sent to it. */
export const gateHost = 'git.drawbridge.internal';

/** Of the CONNECT that the program in the sandbox sends: what ssh would have been started with. */
export const sshHeader = 'drawbridge-git';

/** Settings of git in a command: these repositories are reached through the gate. */
export const gateSettings = (repositories: readonly Repository[]): Record<string, string> => ({
  GIT_CONFIG_COUNT: String(repositories.length),
  ...Object.fromEntries(
    repositories.flatMap(({ host, path }, at) => [
      [`GIT_CONFIG_KEY_${at}`, `url.http://${gateHost}/${host}/${path}.insteadOf`],
      [`GIT_CONFIG_VALUE_${at}`, `https://${host}/${path}`],
    ]),
  ),
});

/** Hosts whose repositories are asked for, as ssh names them. */
export const gateHosts = (repositories: readonly Repository[]): string =>
  [...new Set(repositories.map(({ place }) => place.hostname))].join(',');

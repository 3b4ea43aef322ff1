import type { Repository } from './repositories.ts';

/** Leads nowhere: git's requests for the repositories of a command are sent to it. */
export const gateHost = 'git.drawbridge.internal';

/** Of the CONNECT that the program in the sandbox sends: what ssh would have been started with. */
export const sshHeader = 'drawbridge-git';

/** Settings of git in a command: these repositories are reached through the gate, and no helper is asked. */
export const gateSettings = (repositories: readonly Repository[]): Record<string, string> => {
  const settings = [
    ['credential.helper', ''],
    ...repositories.map(({ host, path }) => [
      `url.http://${gateHost}/${host}/${path}.insteadOf`,
      `https://${host}/${path}`,
    ]),
  ];
  return Object.fromEntries([
    ['GIT_CONFIG_COUNT', String(settings.length)],
    ...settings.flatMap(([key = '', value = ''], at) => [
      [`GIT_CONFIG_KEY_${at}`, key],
      [`GIT_CONFIG_VALUE_${at}`, value],
    ]),
  ]);
};

/** Hosts whose repositories are asked for, as ssh names them. */
export const gateHosts = (repositories: readonly Repository[]): string =>
  [...new Set(repositories.map(({ place }) => place.hostname))].join(',');

import { visible } from '@drawbridge/kit';
import type { Failure } from '../../common/egress/refusal.ts';
import { parseAuthority } from '../../common/egress/authority.ts';
import type { WebHost } from '../../common/network/host.ts';
import { hostsOfTools, withCompanions } from './companions.ts';
import { maxHosts } from './declared.ts';

/** The argument as the next call has it. */
const argumentOf = (hosts: readonly string[]): string =>
  `network: ${JSON.stringify([...new Set(hosts)].slice(0, maxHosts))}`;

const maxNamed = 10;

const reasons: Record<Exclude<Failure, 'unasked'>, string> = {
  server: 'is the server of Drawbridge or this program, which no command reaches',
  denied: 'is forbidden by a rule of the user, or is allowed no longer',
  never: 'has no address, or one that is never connected',
  local: 'leads to this machine or a private network: ask for it as local:<host>:<port>',
  protocol: 'got something else than TLS for this host, or than SSH on port 22',
  request: 'got a request that is not valid',
  process: 'is a port of a process, which the browser opens',
  unreachable: 'did not answer',
};

/** Refusals of one command, in sentences; `asked`: the hosts that it has. */
export const createBlocked = (asked: readonly string[]) => {
  const seen = new Map<string, { place: WebHost; reason: Failure }>();
  const named = ({ hostname, port }: WebHost) => `${visible(hostname)}:${port}`;
  return {
    add: (place: WebHost, reason: Failure) => {
      if (seen.size < 1_000) seen.set(`${place.hostname}:${place.port} ${reason}`, { place, reason });
    },
    sentences: (): string[] => {
      const all = [...seen.values()];
      const missing = all.filter(({ reason }) => reason === 'unasked').map(({ place }) => place);
      const others = all.flatMap(({ place, reason }) =>
        reason === 'unasked' ? [] : [`Blocked: ${named(place)} ${reasons[reason]}.`],
      );
      if (missing.length === 0) return others.slice(0, maxNamed);
      const hosts = missing.slice(0, maxNamed).flatMap(({ host }) => withCompanions(host));
      const more = missing.length > maxNamed ? ` and ${missing.length - maxNamed} more` : '';
      const verb = missing.length === 1 ? 'was' : 'were';
      return [
        `Blocked: ${missing.slice(0, maxNamed).map(named).join(', ')}${more} ${verb} not asked for. ` +
          `Call again with ${argumentOf([...asked, ...hosts])}.`,
        ...others.slice(0, maxNamed),
      ];
    },
  };
};

const hostsInText =
  /(?:https?:\/\/|git@|could not resolve (?:host(?:name)?|proxy): |(?:ENOTFOUND|EAI_AGAIN) )([a-z0-9.-]+(?::\d+)?)/gi;

/** Hosts that a command without network most likely wanted, by its words and what it printed. */
const wantedHosts = (command: string, output: string): string[] => {
  const named = [...`${command}\n${output}`.matchAll(hostsInText)].flatMap(([, text = '']) => {
    const host = parseAuthority(text, 443)?.host;
    return host === undefined || !host.includes('.') || host === '127.0.0.1' ? [] : [host];
  });
  return [...named, ...hostsOfTools(command)].flatMap(withCompanions);
};

/** That a command ran without network, with the argument that asks for it. */
export const withoutNetworkNote = (command: string, output: string): string => {
  const hosts = wantedHosts(command, output);
  const how =
    hosts.length === 0
      ? 'Call again with the hosts that it needs in the argument `network`'
      : `Call again with ${argumentOf(hosts)}, or the hosts that it needs`;
  return `The command ran without network: it reaches no other host, and can download nothing. ${how}; the user is asked.`;
};

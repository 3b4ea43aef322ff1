import type { Mode } from '@drawbridge/contracts/groups';
import type { RequestCaller } from '@drawbridge/contracts/daemon-event';
import type { Resource } from '../../common/tool.ts';
import { classOf } from '../../common/network/address.ts';
import { isNever, looksLocal, type WebHost } from '../../common/network/host.ts';
import { processIdOf, type ProcessHosts } from '../../common/network/process-hosts.ts';
import type { OwnServer } from '../../common/network/own-server.ts';
import { Refused, type Refusal } from '../../common/egress/refusal.ts';
import { toHostResource } from './host.ts';

export interface HostPolicyNeeds {
  access(resource: Resource, caller?: RequestCaller): Promise<Mode>;
  server: OwnServer;
  own: ReadonlySet<string>;
  /** On which this program listens. */
  ownPorts: ReadonlySet<number>;
  /** Ports of processes, which no address leads to. */
  processes: Pick<ProcessHosts, 'find'>;
  open(): WebHost[];
}

/** What a call was allowed, and who made it. */
export interface Called {
  resources: readonly Resource[];
  caller: RequestCaller | undefined;
}

/** What a mode or a rule allows now was not asked about. */
const answersIn = async (
  { resources, caller }: Called,
  access: HostPolicyNeeds['access'],
): Promise<string[]> => {
  const modes = await Promise.all(resources.map((one) => access(one, caller)));
  return resources.filter((one, at) => one.explicit || modes[at] !== 'allow').map((one) => one.resource);
};

/** What the rules and answers say about hosts at the moment of a request. Null: no objection. */
export const createHostPolicy = (needs: HostPolicyNeeds) => {
  const { server, own, ownPorts, processes, open } = needs;
  let running: Called | undefined;
  /** Between calls the caller is unknown: what one of them may not do is then refused. */
  const access = (resource: Resource) => needs.access(resource, running?.caller);
  let granted: ReadonlySet<string> = new Set();
  /** Said yes to in a question; it holds while the call runs and while a page of it is open. */
  const answered = new Set<string>();

  const isOpen = (host: string) => open().some((place) => place.host === host);

  const isAnswered = (host: string): boolean => {
    if (!answered.has(host)) return false;
    if (granted.has(host) || isOpen(host)) return true;
    answered.delete(host);
    return false;
  };

  const isExplicit = async (place: WebHost): Promise<boolean> =>
    isAnswered(place.host) || (await access({ ...toHostResource(place, ''), explicit: true })) === 'allow';

  const refusedAlways = async (place: WebHost): Promise<Refusal | null> => {
    if (server.isHost(place)) return 'server';
    if (isNever(place)) return 'never';
    return (await access(toHostResource(place, ''))) === 'deny' ? 'denied' : null;
  };

  /** Reached in a call of who started it, and while a page of one of their processes is open. */
  const refusedProcess = (place: WebHost): Refusal | null => {
    const port = processes.find(place);
    if (port === undefined) return 'process';
    const isOfCall = running !== undefined && port.isOf(running.caller);
    const hasPage = open().some((page) => {
      const other = processes.find(page);
      return other !== undefined && other.owner?.id === port.owner?.id;
    });
    return isOfCall || hasPage ? null : 'process';
  };

  return {
    during: async <T>(called: Called, run: () => Promise<T>) => {
      const { resources } = called;
      const hostPolicy = resources.filter((one) => one.toolGroup === 'browser');
      for (const host of await answersIn({ ...called, resources: hostPolicy }, needs.access))
        answered.add(host);
      const mine = new Set(hostPolicy.map((one) => one.resource));
      granted = mine;
      running = called;
      try {
        return await run();
      } finally {
        // A call that was given up may end in the time of the next one.
        if (granted === mine) granted = new Set();
        if (running === called) running = undefined;
      }
    },
    mayVisit: async (place: WebHost) => {
      const refused = await refusedAlways(place);
      if (refused === null && processIdOf(place) !== undefined) return refusedProcess(place);
      if (refused !== null || granted.has(place.host) || isOpen(place.host)) return refused;
      return (await access(toHostResource(place, ''))) === 'allow' ? null : 'unasked';
    },
    /** What a page loads beside itself. `from`: the pages that may have asked for it. */
    mayLoad: async (place: WebHost, from: readonly WebHost[]) => {
      const refused = await refusedAlways(place);
      if (refused !== null || !looksLocal(place)) return refused;
      // A page from elsewhere does not reach into the person's network, not even where they went themselves.
      const isFromOutside = from.some((page) => page.host !== place.host && !looksLocal(page));
      if (isFromOutside) return 'local';
      if (processIdOf(place) !== undefined) return refusedProcess(place);
      return (await isExplicit(place)) ? null : 'local';
    },
    /** What connects to a port of a process; undefined for every other place. Throws `Refused`. */
    into: async (place: WebHost) => {
      if (processIdOf(place) === undefined) return undefined;
      const reason = (await refusedAlways(place)) ?? refusedProcess(place);
      const port = processes.find(place);
      if (reason !== null || port === undefined) throw new Refused(reason ?? 'process');
      return port.connect;
    },
    /** A connection to what a name leads to; all of the addresses. */
    mayConnect: async (place: WebHost, addresses: readonly string[]) => {
      const refused = await refusedAlways(place);
      if (refused !== null) return refused;
      if (addresses.some((address) => server.isAddress(address, place.port))) return 'server';
      const reaches = addresses.map((address) => classOf(address, own));
      if (reaches.length === 0 || reaches.includes('never')) return 'never';
      if (!reaches.includes('local')) return null;
      if (ownPorts.has(place.port)) return 'server';
      return (await isExplicit(place)) ? null : 'local';
    },
  };
};

export type HostPolicy = ReturnType<typeof createHostPolicy>;

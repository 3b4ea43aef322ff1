import type { Server, Socket } from 'node:net';
import type { Mode } from '@drawbridge/contracts/groups';
import type { Clock } from '@drawbridge/kit';
import type { Dial } from '../../common/egress/dial.ts';
import { createEgress } from '../../common/egress/egress.ts';
import type { Failure } from '../../common/egress/refusal.ts';
import { classOf } from '../../common/network/address.ts';
import { isNever, otherNames, type WebHost } from '../../common/network/host.ts';
import { addressesOfThisMachine, findOwnServer } from '../../common/network/own-server.ts';
import type { Resolve } from '../../common/network/resolve.ts';
import type { Resource } from '../../common/tool.ts';
import { createGitGate, type GitGate } from '../git/gate.ts';
import { ownPrograms } from '../git/own-programs.ts';
import type { Repository } from '../git/repositories.ts';
import { declaredFor, type Declared } from './declared.ts';
import { proxyPort } from '../ports/sandbox-ports.ts';
import { createBlocked } from './notes.ts';

/** What the network of commands needs on this machine. */
export interface NetworkNeeds {
  clock: Clock;
  access(resource: Resource): Promise<Mode>;
  /** Of the server that the daemon is connected to; absent where no server is known. */
  serverUrl?: string | undefined;
  /** Ports on which this program listens. */
  ownPorts: Set<number>;
  resolve?: Resolve | undefined;
  dial?: Dial | undefined;
  /** The shared folder and the daemon's own: the person's git and ssh run in neither. */
  territory: { root: string; privateFolder: string };
  /** Certificate authorities for git hosts, instead of those of this machine. */
  authorities?: readonly string[] | undefined;
}

/** A host with what was granted of it. */
export interface Grant {
  declared: Declared;
  resource: Resource;
}

const checkEveryMs = 1_000;

/** As rules for hosts match it. */
const toConnection = (place: WebHost): Resource => ({
  toolGroup: 'network',
  resource: place.host,
  aliases: otherNames(place),
  description: '',
});

/** A repository with what was granted of it. */
export interface GitGrant {
  repository: Repository;
  resource: Resource;
}

/** Whether a grant still holds: one that a rule gave ends with the rule, an answer for this call stays. */
const followResources = async ({ access }: NetworkNeeds, resources: readonly Resource[]) => {
  const byRule = new Set<Resource>();
  for (const resource of resources) if ((await access(resource)) === 'allow') byRule.add(resource);
  return async (resource: Resource): Promise<boolean> => {
    const mode = await access(resource);
    return mode === 'allow' || (mode === 'ask' && !byRule.has(resource));
  };
};

type Holds = Awaited<ReturnType<typeof followResources>>;

/** Null where a connection may stand. */
const createStanding =
  ({ access }: NetworkNeeds, grants: readonly Grant[], holds: Holds) =>
  async (place: WebHost): Promise<Failure | null> => {
    const declared = declaredFor(
      grants.map((one) => one.declared),
      place,
    );
    const grant = grants.find((one) => one.declared === declared);
    if (grant === undefined) return 'unasked';
    const isAllowed = await holds(grant.resource);
    return isAllowed && (await access(toConnection(place))) !== 'deny' ? null : 'denied';
  };

/** What no command reaches, by name and by address. */
const createRefusals = async ({ serverUrl, resolve, ownPorts }: NetworkNeeds) => {
  const own = addressesOfThisMachine();
  const server = serverUrl === undefined ? undefined : await findOwnServer(serverUrl, own, resolve);
  const isOwn = (addresses: readonly string[], port: number): boolean =>
    addresses.some(
      (address) =>
        server?.isAddress(address, port) === true ||
        (ownPorts.has(port) && classOf(address, own) === 'local'),
    );
  return {
    ofName: (place: WebHost): Failure | null => {
      if (server?.isHost(place)) return 'server';
      return isNever(place) ? 'never' : null;
    },
    ofAddresses: (addresses: readonly string[], port: number, mayBeLocal: boolean): Failure | null => {
      if (isOwn(addresses, port)) return 'server';
      const classes = addresses.map((address) => classOf(address, own));
      if (classes.length === 0 || classes.includes('never')) return 'never';
      return classes.includes('local') && !mayBeLocal ? 'local' : null;
    },
  };
};

type Refusals = Awaited<ReturnType<typeof createRefusals>>;

const openGate = (
  needs: NetworkNeeds,
  gitGrants: readonly GitGrant[],
  { holds, refusals }: { holds: Holds; refusals: Refusals },
): GitGate | undefined => {
  if (gitGrants.length === 0) return undefined;
  const { clock, dial, resolve, authorities, territory } = needs;
  const resourceOf = new Map(gitGrants.map(({ repository, resource }) => [repository, resource]));
  return createGitGate({
    clock,
    dial,
    authorities,
    repositories: [...resourceOf.keys()],
    programs: ownPrograms(territory),
    mayUse: async (repository) => {
      const resource = resourceOf.get(repository);
      return resource !== undefined && holds(resource);
    },
    admission: ({ local }) => ({
      resolve,
      mayResolve: async (place) => refusals.ofName(place),
      mayConnect: async (place, addresses) => refusals.ofAddresses(addresses, place.port, local),
    }),
  });
};

/** The way out of one command: serves the listeners that it hands out until `close`. */
export const openCommandEgress = async (
  needs: NetworkNeeds,
  { grants, gitGrants }: { grants: readonly Grant[]; gitGrants: readonly GitGrant[] },
) => {
  const { clock, resolve, dial } = needs;
  const refusals = await createRefusals(needs);
  const holds = await followResources(
    needs,
    [...grants, ...gitGrants].map(({ resource }) => resource),
  );
  const mayStand = createStanding(needs, grants, holds);
  const blocked = createBlocked(grants.map(({ declared }) => declared.text));
  const gate = openGate(needs, gitGrants, { holds, refusals });

  const egress = createEgress({
    clock,
    mayResolve: async (place) => refusals.ofName(place) ?? mayStand(place),
    mayConnect: async (place, addresses) => {
      const declared = declaredFor(
        grants.map((one) => one.declared),
        place,
      );
      return refusals.ofAddresses(addresses, place.port, declared?.local === true);
    },
    refused: blocked.add,
    checksFirstBytes: true,
    service: gate?.service,
    resolve,
    dial,
  });

  const stopCheck = clock.every(checkEveryMs, () => {
    gate?.check();
    for (const place of egress.places())
      void mayStand(place).then(
        (reason) => reason !== null && egress.cut(place),
        () => egress.cut(place),
      );
  });

  const servers: Server[] = [];
  return {
    repositories: gitGrants.map(({ repository }) => repository),
    mirrors: grants.flatMap(({ declared }) => (declared.mirror && declared.port ? [declared.port] : [])),
    /** Takes a listener of the command's network. */
    serve: (port: number, listener: Server) => {
      servers.push(listener);
      // The defaults end both directions at once, and delay small packets.
      Object.assign(listener, { allowHalfOpen: true, noDelay: true });
      const place = { host: `localhost:${port}`, hostname: 'localhost', port };
      listener.on('connection', (client: Socket) =>
        port === proxyPort ? egress.accept(client) : egress.relay(client, place),
      );
    },
    notes: () => [...(gate?.notes() ?? []), ...blocked.sentences()],
    traffic: () => [...egress.traffic(), ...(gate?.traffic() ?? [])],
    pushes: () => gate?.pushes() ?? [],
    close: () => {
      stopCheck();
      gate?.close();
      for (const listener of servers) listener.close();
      egress.close();
    },
  };
};

export type CommandEgress = Awaited<ReturnType<typeof openCommandEgress>>;

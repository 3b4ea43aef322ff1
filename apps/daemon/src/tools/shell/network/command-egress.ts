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
import { declaredFor, type Declared } from './declared.ts';
import { proxyPort } from './hand-out.ts';
import { createBlocked } from './notes.ts';

/** What the network of commands needs on this machine. */
export interface NetworkNeeds {
  clock: Clock;
  access(resource: Resource): Promise<Mode>;
  /** Of the server that the daemon is connected to; absent where no server is known. */
  serverUrl?: string | undefined;
  /** Ports on which this program listens. */
  ownPorts: ReadonlySet<number>;
  resolve?: Resolve | undefined;
  dial?: Dial | undefined;
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

/** Which grants still hold: one that a rule gave ends with the rule, an answer for this call stays. */
const followGrants = async ({ access }: NetworkNeeds, grants: readonly Grant[]) => {
  const byRule = new Set<Declared>();
  for (const { declared, resource } of grants) if ((await access(resource)) === 'allow') byRule.add(declared);
  const holds = async ({ declared, resource }: Grant): Promise<boolean> => {
    const mode = await access(resource);
    return mode === 'allow' || (mode === 'ask' && !byRule.has(declared));
  };
  /** Null where a connection may stand. */
  return async (place: WebHost): Promise<Failure | null> => {
    const declared = declaredFor(
      grants.map((one) => one.declared),
      place,
    );
    const grant = grants.find((one) => one.declared === declared);
    if (grant === undefined) return 'unasked';
    const isAllowed = await holds(grant);
    return isAllowed && (await access(toConnection(place))) !== 'deny' ? null : 'denied';
  };
};

/** The way out of one command: serves the listeners that it hands out until `close`. */
export const openCommandEgress = async (needs: NetworkNeeds, grants: readonly Grant[]) => {
  const { clock, ownPorts, serverUrl, resolve, dial } = needs;
  const own = addressesOfThisMachine();
  const server = serverUrl === undefined ? undefined : await findOwnServer(serverUrl, own, resolve);
  const mayStand = await followGrants(needs, grants);
  const blocked = createBlocked(grants.map(({ declared }) => declared.text));

  const isOwn = (addresses: readonly string[], port: number): boolean =>
    addresses.some(
      (address) =>
        server?.isAddress(address, port) === true ||
        (ownPorts.has(port) && classOf(address, own) === 'local'),
    );

  const mayResolve = async (place: WebHost): Promise<Failure | null> => {
    if (server?.isHost(place)) return 'server';
    if (isNever(place)) return 'never';
    return mayStand(place);
  };

  const mayConnect = async (place: WebHost, addresses: readonly string[]): Promise<Failure | null> => {
    if (isOwn(addresses, place.port)) return 'server';
    const classes = addresses.map((address) => classOf(address, own));
    if (classes.length === 0 || classes.includes('never')) return 'never';
    const declared = declaredFor(
      grants.map((one) => one.declared),
      place,
    );
    return classes.includes('local') && declared?.local !== true ? 'local' : null;
  };

  const egress = createEgress({
    clock,
    mayResolve,
    mayConnect,
    refused: blocked.add,
    checksFirstBytes: true,
    resolve,
    dial,
  });

  const stopCheck = clock.every(checkEveryMs, () => {
    for (const place of egress.places())
      void mayStand(place).then(
        (reason) => reason !== null && egress.cut(place),
        () => egress.cut(place),
      );
  });

  const servers: Server[] = [];
  return {
    mirrors: grants.flatMap(({ declared }) => (declared.mirror && declared.port ? [declared.port] : [])),
    /** Takes a listener of the command's network. */
    serve: (port: number, listener: Server) => {
      servers.push(listener);
      // Set here: a listener that was handed over has the defaults. Else a client could not end one way.
      Object.assign(listener, { allowHalfOpen: true });
      const place = { host: `localhost:${port}`, hostname: 'localhost', port };
      listener.on('connection', (client: Socket) =>
        port === proxyPort ? egress.accept(client) : egress.relay(client, place),
      );
    },
    notes: blocked.sentences,
    traffic: egress.traffic,
    close: () => {
      stopCheck();
      for (const listener of servers) listener.close();
      egress.close();
    },
  };
};

export type CommandEgress = Awaited<ReturnType<typeof openCommandEgress>>;

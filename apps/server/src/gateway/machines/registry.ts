import { createKeyedQueue } from '@drawbridge/kit';
import type { GatewayStatus } from '@drawbridge/contracts/gateway';
import { envGatewayUserId } from '@drawbridge/contracts/ids';
import { compareReleases, release, releaseName, type Release } from '@drawbridge/contracts/release';
import { errors } from '../../errors.ts';
import type { ToolList } from './tool-list.ts';
import type { ConnectionState } from '../connection/connection-state.ts';
import type { MachineInfo, MachinesStore, StoredMachine } from './machines.store.ts';

/** A machine as the gateway holds it. A user may have several; which one a call means is decided in this file alone. */
export interface Machine {
  readonly id: string;
  readonly userId: string;
  info: MachineInfo;
  connection: ConnectionState;
}

export interface Registry {
  /** Takes a machine in, or brings what is known of it up to date. */
  adopt(stored: StoredMachine): Machine;
  /** A machine that has been taken in. */
  held(id: string): Machine | undefined;
  byId(id: string): Promise<Machine | undefined>;
  /** All machines of a user, the one that called `init` last first. */
  ofUser(userId: string): Promise<Machine[]>;
  /** The machine that a daemon with the user's own key speaks for: the last one that called `init`. */
  latest(userId: string): Promise<Machine | undefined>;
  /**
   * The machine that the user's calls go to: their own, or for the owner the environment's while their own is away. With an
   * id that one of theirs, or `notFound`.
   */
  used(userId: string, machineId?: string): Promise<Machine | undefined>;
  /** The same, or `notConnected`. */
  connected(userId: string, machineId?: string): Promise<Machine>;
  all(): Machine[];
  /** Forgets the machines of an account that was removed. */
  drop(userId: string): void;
}

export interface RegistryNeeds {
  store: MachinesStore;
  isOwner(userId: string): Promise<boolean>;
}

export const isConnected = (machine: Machine | undefined): machine is Machine =>
  machine !== undefined && machine.connection.kind !== 'offline';

const offline: GatewayStatus = {
  connected: false,
  connectedAt: null,
  directory: null,
  hostIdentifier: null,
  toolCategories: [],
  state: 'offline',
};

const updateOf = ({ info }: Machine, offered: Release | undefined): GatewayStatus['update'] => {
  const own = release.safeParse(info.daemon);
  if (!own.success || offered === undefined) return undefined;
  const is = compareReleases(own.data, offered);
  return is === 'same' ? undefined : { from: releaseName(own.data), to: releaseName(offered), is };
};

/** What a user sees of a machine; `offered` is the daemon that this server gives. Specification 3. */
export const toStatus = (machine: Machine | undefined, offered?: Release): GatewayStatus => {
  const problem = machine?.info.problem ?? null;
  if (!isConnected(machine)) return problem === null ? offline : { ...offline, problem };
  const { connectedAt, rootPath, hostIdentifier, categories } = machine.info;
  const update = updateOf(machine, offered);
  return {
    connected: true,
    connectedAt: connectedAt === null ? null : new Date(connectedAt).toISOString(),
    directory: rootPath,
    hostIdentifier,
    toolCategories: categories,
    state: machine.connection.kind === 'online' ? 'online' : 'grace',
    ...(update !== undefined && { update }),
  };
};

/** Per-user isolation: all that is known of machines, by user. Specification 5. */
export const createRegistry = ({ store, isOwner }: RegistryNeeds): Registry => {
  const machines = new Map<string, Machine>();
  const users = new Map<string, Machine[]>();
  const lists = new Map<string, { list: ToolList; machines: number }>();
  const queue = createKeyedQueue();

  /** Equal lists are held once. */
  const share = (list: ToolList): ToolList => {
    const shared = lists.get(list.digest) ?? { list, machines: 0 };
    lists.set(list.digest, { list: shared.list, machines: shared.machines + 1 });
    return shared.list;
  };
  const release = ({ digest }: ToolList) => {
    const shared = lists.get(digest);
    if (shared && shared.machines > 1)
      lists.set(digest, { list: shared.list, machines: shared.machines - 1 });
    else lists.delete(digest);
  };

  const adopt = ({ id, userId, info }: StoredMachine): Machine => {
    const known = machines.get(id);
    const toolList = share(info.toolList);
    if (known) release(known.info.toolList);
    const machine: Machine = known ?? { id, userId, info, connection: { kind: 'offline', expiries: 0 } };
    machine.info = { ...info, toolList };
    machines.set(id, machine);
    const others = (users.get(userId) ?? []).filter((other) => other !== machine);
    if (users.has(userId))
      users.set(
        userId,
        [machine, ...others].toSorted((a, b) => b.info.initAt - a.info.initAt),
      );
    return machine;
  };

  const load = async (userId: string): Promise<Machine[]> => {
    const known = users.get(userId);
    if (known) return known;
    const stored = await store.ofUser(userId);
    const loaded = stored.map((one) => machines.get(one.id) ?? adopt(one));
    users.set(userId, loaded);
    return loaded;
  };

  const ofUser = async (userId: string) => users.get(userId) ?? (await queue.run(userId, () => load(userId)));

  const named = async (userId: string, machineId: string): Promise<Machine> => {
    const isTheirs = ({ id }: Machine) => id === machineId;
    const own = (await ofUser(userId)).find(isTheirs);
    const found =
      own ?? ((await isOwner(userId)) ? (await ofUser(envGatewayUserId)).find(isTheirs) : undefined);
    if (!found) throw errors.notFound();
    return found;
  };

  const used = async (userId: string, machineId?: string): Promise<Machine | undefined> => {
    if (machineId !== undefined) return named(userId, machineId);
    const own = await ofUser(userId);
    const connected = own.find(isConnected);
    if (connected || userId === envGatewayUserId || !(await isOwner(userId))) return connected ?? own[0];
    return (await ofUser(envGatewayUserId)).find(isConnected) ?? own[0];
  };

  return {
    adopt,
    held: (id) => machines.get(id),
    byId: async (id) => {
      const held = machines.get(id);
      if (held) return held;
      const stored = await store.byId(id);
      return stored && (machines.get(id) ?? adopt(stored));
    },
    ofUser,
    latest: async (userId) => (await ofUser(userId))[0],
    used,
    connected: async (userId, machineId) => {
      const machine = await used(userId, machineId);
      if (!isConnected(machine)) throw errors.notConnected();
      return machine;
    },
    all: () => [...machines.values()],
    drop: (userId) => {
      for (const machine of machines.values()) {
        if (machine.userId !== userId) continue;
        release(machine.info.toolList);
        machines.delete(machine.id);
      }
      users.delete(userId);
    },
  };
};

import { createKeyedQueue } from '@drawbridge/kit';
import type { GatewayStatus } from '@drawbridge/contracts/gateway';
import { envGatewayUserId } from '@drawbridge/contracts/ids';
import { compareReleases, release, releaseName, type Release } from '@drawbridge/contracts/release';
import { errors } from '../../errors.ts';
import type { ToolList } from './tool-list.ts';
import type { ThisServer } from '../cluster/this-server.ts';
import { storedConnection, type ConnectionState } from './connection-state.ts';
import type { MachinesStore } from './machines.store.ts';
import type { Membership } from './membership.store.ts';
import type { MachineInfo, StoredMachine } from './stored-machine.ts';

/** One machine as one user means it; a ref of a machine that is not theirs answers `notFound`. */
export interface MachineRef {
  userId: string;
  machineId: string;
}

/** A machine in memory. */
export interface Machine {
  readonly id: string;
  readonly userId: string;
  info: MachineInfo;
  connection: ConnectionState;
}

export interface RegistryNeeds {
  store: MachinesStore;
  isOwner(userId: string): Promise<boolean>;
  /** Changes after another process has changed the store. */
  othersChanged(): number;
  server: Pick<ThisServer, 'id' | 'bus'>;
}

export const isConnected = (machine: Machine | undefined): machine is Machine =>
  machine !== undefined && machine.connection.kind !== 'offline';

export const offlineStatus: GatewayStatus = {
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
  if (!isConnected(machine)) return problem === null ? offlineStatus : { ...offlineStatus, problem };
  const { connectedAt, rootPath, hostIdentifier, categories } = machine.info;
  const update = updateOf(machine, offered);
  return {
    connected: true,
    connectedAt: connectedAt === null ? null : new Date(connectedAt).toISOString(),
    directory: rootPath,
    hostIdentifier,
    toolCategories: categories,
    state: machine.connection.kind === 'waiting' ? 'grace' : 'online',
    ...(update !== undefined && { update }),
  };
};

/** Tool lists by digest: equal ones are held once. */
const createSharedLists = () => {
  const lists = new Map<string, { list: ToolList; machines: number }>();
  return {
    acquire: (list: ToolList): ToolList => {
      const shared = lists.get(list.digest) ?? { list, machines: 0 };
      lists.set(list.digest, { list: shared.list, machines: shared.machines + 1 });
      return shared.list;
    },
    release: ({ digest }: ToolList) => {
      const shared = lists.get(digest);
      if (shared && shared.machines > 1)
        lists.set(digest, { list: shared.list, machines: shared.machines - 1 });
      else lists.delete(digest);
    },
  };
};

/**
 * Per-user isolation: what is known of machines, by user. Which machines a user has is in the store.
 * Specification 5.
 */
export const createRegistry = ({ store, isOwner, othersChanged, server }: RegistryNeeds) => {
  const machines = new Map<string, Machine>();
  const lists = createSharedLists();
  const queue = createKeyedQueue();
  const memberships = new Map<string, Membership>();
  let revision = 0;
  let othersSeen = othersChanged();

  /** What another server has stored of it. Alone, `connections` says how it goes on after a start. */
  const firstConnection = (info: MachineInfo): ConnectionState =>
    server.bus.pollMs === null
      ? { kind: 'offline', expiries: 0 }
      : { ...storedConnection(info, server.id()), expiries: 0 };

  /** Adds a machine, or updates what is known of it. */
  const adopt = ({ id, userId, info }: StoredMachine): Machine => {
    const known = machines.get(id);
    const toolList = lists.acquire(info.toolList);
    if (known) lists.release(known.info.toolList);
    const machine: Machine = known ?? { id, userId, info, connection: firstConnection(info) };
    machine.info = { ...info, toolList };
    machines.set(id, machine);
    return machine;
  };

  /** Which machines the user has, and which one is the default, was changed in the store. */
  const refresh = (userId: string) => {
    revision += 1;
    memberships.delete(userId);
  };

  const load = async (userId: string): Promise<Membership> => {
    const loadedAt = revision;
    const membership = await store.membership(userId);
    if (membership.machines.some(({ id }) => !machines.has(id)))
      for (const stored of await store.ofUser(userId)) if (!machines.has(stored.id)) adopt(stored);
    // What was changed meanwhile is read again.
    if (loadedAt !== revision) return load(userId);
    for (const { id, name, pausedAt } of membership.machines) {
      const machine = machines.get(id);
      if (machine) machine.info = { ...machine.info, name, pausedAt };
    }
    memberships.set(userId, membership);
    return membership;
  };

  const membershipOf = async (userId: string): Promise<Membership> => {
    if (othersChanged() !== othersSeen) {
      othersSeen = othersChanged();
      revision += 1;
      memberships.clear();
    }
    return memberships.get(userId) ?? (await queue.run(userId, () => load(userId)));
  };

  /** The machines of a user that are not forgotten, oldest first. */
  const ofUser = async (userId: string): Promise<Machine[]> =>
    (await membershipOf(userId)).machines.flatMap(({ id }) => machines.get(id) ?? []);

  /** Those of the environment, where the user is the owner. */
  const environmentsOf = async (userId: string): Promise<Machine[]> =>
    userId === envGatewayUserId || !(await isOwner(userId)) ? [] : ofUser(envGatewayUserId);

  /** The machine that `GATEWAY_API_KEY` speaks for: the last one that called `init` with it. */
  const ofEnvironment = async (): Promise<Machine | undefined> =>
    (await ofUser(envGatewayUserId)).toSorted((a, b) => b.info.initAt - a.info.initAt)[0];

  /**
   * A machine that the user may use: their own, for the owner the environment's too; by its id or name, or
   * `notFound`.
   */
  const find = async (userId: string, idOrName: string): Promise<Machine> => {
    const named = (usable: Machine[]) =>
      usable.find(({ id }) => id === idOrName) ?? usable.find(({ info }) => info.name === idOrName);
    const machine = named(await ofUser(userId)) ?? named(await environmentsOf(userId));
    if (!machine) throw errors.notFound();
    return machine;
  };

  const isUsableBy = async (machine: Machine, userId: string) =>
    machine.userId === userId || (machine.userId === envGatewayUserId && (await isOwner(userId)));

  /** Names the connected machines of the reach, so that the caller can choose one. */
  const notConnected = async (machine: Machine, userId: string, reach: readonly string[] | undefined) => {
    const usable = [...(await ofUser(userId)), ...(await environmentsOf(userId))];
    const others = usable.filter((other) => isConnected(other) && (reach?.includes(other.id) ?? true));
    if (others.length === 0) return errors.notConnected();
    const names = others.map(({ info }) => info.name).join(', ');
    return errors.notConnected({
      message: `The machine ${machine.info.name} is not connected; connected: ${names}`,
    });
  };

  return {
    adopt,
    /** A machine that is in memory. */
    loaded: (id: string): Machine | undefined => machines.get(id),
    byId: async (id: string): Promise<Machine | undefined> => {
      const loaded = machines.get(id);
      if (loaded) return loaded;
      const stored = await store.byId(id);
      return stored && (machines.get(id) ?? adopt(stored));
    },
    ofUser,
    ofEnvironment,
    find,
    /**
     * The machine for a request without one: the user's choice, else the oldest; for an owner without
     * machines, the environment's. Undefined for a user without machines.
     */
    default: async (userId: string): Promise<Machine | undefined> => {
      const { defaultId } = await membershipOf(userId);
      const isChosen = ({ id }: Machine) => id === defaultId;
      const own = await ofUser(userId);
      const ownDefault = own.find(isChosen);
      if (ownDefault) return ownDefault;
      const environments = await environmentsOf(userId);
      return environments.find(isChosen) ?? own[0] ?? (environments.length > 0 ? ofEnvironment() : undefined);
    },
    /** That machine of the user, or `notConnected`, which names the others of the reach. */
    connected: async ({ userId, machineId }: MachineRef, reach?: readonly string[]): Promise<Machine> => {
      const machine = machines.get(machineId) ?? (await find(userId, machineId));
      if (!(await isUsableBy(machine, userId))) throw errors.notFound();
      if (!isConnected(machine)) throw await notConnected(machine, userId, reach);
      return machine;
    },
    all: (): Machine[] => [...machines.values()],
    refresh,
    /** From now on, and for every read of the store that has begun before. */
    setPaused: (machine: Machine, pausedAt: number | null) => {
      refresh(machine.userId);
      machine.info = { ...machine.info, pausedAt };
    },
    /** Drops the machines of a removed account. */
    drop: (userId: string) => {
      refresh(userId);
      for (const machine of machines.values()) {
        if (machine.userId !== userId) continue;
        lists.release(machine.info.toolList);
        machines.delete(machine.id);
      }
    },
  };
};

export type Registry = ReturnType<typeof createRegistry>;

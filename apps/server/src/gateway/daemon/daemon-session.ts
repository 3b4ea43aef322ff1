import { serverFeatures } from '@drawbridge/contracts/daemon-info';
import type { InitReply, ProgressReply, ToolsReply } from '@drawbridge/contracts/daemon-reply';
import type {
  InitBody,
  ProgressBody,
  ResponseBody,
  SettledBody,
  ToolsBody,
} from '@drawbridge/contracts/daemon-surface';
import type { RulesBody } from '@drawbridge/contracts/rule-list';
import type { Release } from '@drawbridge/contracts/release';
import { createKeyedQueue, hasCode, type Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { errors } from '../../errors.ts';
import { readTools, type AnnouncedTools } from '../machines/tool-list.ts';
import type { AnswerReply, DaemonCalls } from '../calls/daemon-calls.ts';
import type { SettledQuestions } from '../confirmations/confirmations.ts';
import type { Connections } from '../connection/connections.ts';
import type { Flapping } from './flapping.ts';
import type { DaemonStream } from '../connection/streams.ts';
import type { KeyOwner, Keys } from '../pairing/keys.ts';
import type { MachinesStore } from '../machines/machines.store.ts';
import type { MachineInit } from '../machines/stored-machine.ts';
import { isConnected, type Machine, type Registry } from '../machines/registry.ts';
import type { Bus } from '../bus.ts';
import type { GatewayLimits } from '../limits.ts';
import { publishRefused } from './refused.ts';
import type { MachineRules } from '../rules/rules.ts';
import type { GatewaySettings } from '../settings/settings.ts';

/** How a daemon shows who it is: its key, and the epoch of its last init where it knows it. */
export type DaemonCredentials = string | { key: string; epoch: number };

export interface DaemonSessionNeeds {
  clock: Clock;
  limits: Pick<GatewayLimits, 'machinesPerUser'>;
  bus: Bus;
  keys: Keys;
  registry: Registry;
  connections: Connections;
  calls: DaemonCalls;
  rules: MachineRules;
  confirmations: Pick<SettledQuestions, 'settle'>;
  settings: GatewaySettings;
  flapping: Flapping;
  /** The daemon that this server gives. */
  release: Release | undefined;
  store: MachinesStore;
}

interface Init {
  owner: KeyOwner;
  key: string;
  body: InitBody;
  announced: AnnouncedTools;
}

interface Kept {
  machine: Machine;
  replaces: boolean;
  sessionKey?: string;
}

/** A key that holds, the machine that it speaks for, and the epoch in which its daemon lives. */
interface Known {
  owner: KeyOwner;
  machine: Machine;
  epoch: number;
}

/** What a daemon can do with its key. Specification 2, 3 and 4. */
export const createDaemonSession = (needs: DaemonSessionNeeds) => {
  const { clock, limits, bus, keys, registry, connections, calls, rules, confirmations } = needs;
  const { settings, flapping, store, release } = needs;
  const queue = createKeyedQueue();

  const infoFrom = ({ owner, body, announced }: Init, before: Machine | undefined): MachineInit['info'] => {
    const initAt = clock.now();
    const stays = owner.kind !== 'pairing' && isConnected(before);
    return {
      hostIdentifier: body.hostIdentifier ?? null,
      rootPath: body.rootPath,
      toolList: announced.list,
      categories: body.toolCategories ?? [],
      modes: body.modes ?? null,
      daemon: body.daemon ?? null,
      connectedAt: stays ? before.info.connectedAt : initAt,
      initAt,
    };
  };

  /**
   * The machine of an init: that of the key or the token, else that of the same installation, else, for a
   * daemon without one, of the same host. An equal host name never joins two installations.
   */
  const machineOf = async ({ owner, body }: Init): Promise<Machine | undefined> => {
    if (owner.kind === 'session') return registry.byId(owner.machineId);
    const machines = await registry.ofUser(owner.userId);
    if (owner.kind === 'pairing' && owner.machineId !== null)
      return machines.find(({ id }) => id === owner.machineId);
    const instance = body.daemon?.instance;
    return machines.find(({ info }) =>
      instance === undefined
        ? info.daemon?.instance === undefined && info.hostIdentifier === (body.hostIdentifier ?? null)
        : info.daemon?.instance === instance,
    );
  };

  /** Two daemons keep replacing each other: both lose the key, and the user sees the problem. */
  const lock = async (machine: Machine) => {
    await keys.revokeMachine(machine);
    await store.setProblem(machine.id, 'flapping');
    machine.info = { ...machine.info, problem: 'flapping' };
    connections.disconnect(machine, 'replaced');
  };

  const refuseFlapping = async ({ owner, body }: Init, before: Machine | undefined) => {
    if (owner.kind === 'pairing' || before?.connection.kind !== 'online') return;
    const { instance } = body.daemon ?? {};
    if (instance !== undefined && instance === before.info.daemon?.instance) return;
    if (!flapping.countTakeover(before.id)) return;
    await lock(before);
    throw owner.kind === 'session' ? errors.forbidden() : errors.tooManyRequests();
  };

  const keep = async (init: Init): Promise<Kept> => {
    const { owner, key, body } = init;
    const before = await machineOf(init);
    await refuseFlapping(init, before);
    const replaces = before !== undefined && before.info.daemon?.instance !== body.daemon?.instance;
    const machineInit = {
      id: before?.id ?? nanoid(),
      userId: owner.userId,
      info: infoFrom(init, before),
      replaces: replaces || owner.kind === 'pairing',
      name: owner.kind === 'pairing' ? (body.name ?? null) : null,
      maxMachines: limits.machinesPerUser,
    };
    if (owner.kind !== 'pairing') {
      const stored = await keys.saveInit(machineInit);
      if (owner.kind === 'session') keys.cacheKey(owner, key);
      return { machine: registry.adopt(stored), replaces };
    }
    const isFirst = (await registry.ofUser(owner.userId)).length === 0;
    const pairing = { ...owner, makesDefault: owner.makesDefault || isFirst };
    const { sessionKey, machine } = await keys.pair(pairing, machineInit);
    // Another daemon than the one that was here: what that one was doing ends with its key.
    if (before) connections.disconnect(before, 'replaced');
    return { machine: registry.adopt(machine), replaces: false, sessionKey };
  };

  /** What comes with `GATEWAY_API_KEY` names no machine, so that one machine at a time can have it. */
  const replaceOthers = async (machine: Machine) => {
    for (const other of await registry.ofUser(machine.userId))
      if (other !== machine && isConnected(other)) connections.disconnect(other, 'replaced');
  };

  const initInTurn = async (init: Init): Promise<InitReply> => {
    const { machine, sessionKey, replaces } = await keep(init);
    if (init.owner.kind !== 'session') registry.refresh(machine.userId);
    if (init.owner.kind === 'env') await replaceOthers(machine);
    connections.initialised(machine, { replaces });
    const { warnings } = init.announced;
    return {
      ok: true,
      ...(init.body.daemon !== undefined && {
        epoch: machine.info.epoch,
        features: [...serverFeatures],
        ...(release !== undefined && { daemon: { version: release.version, build: release.build } }),
        machine: {
          id: machine.id,
          name: machine.info.name,
          isDefault: (await registry.default(machine.userId))?.id === machine.id,
        },
      }),
      ...(sessionKey === undefined ? {} : { sessionKey }),
      ...(warnings.length === 0 ? {} : { warnings }),
    };
  };

  /** A pairing token is good for init alone. */
  const machineFor = async (
    credentials: DaemonCredentials,
  ): Promise<Omit<Known, 'machine'> & { machine: Machine | undefined }> => {
    const { key, epoch } = typeof credentials === 'string' ? { key: credentials } : credentials;
    const owner = await keys.owner(key);
    if (owner.kind === 'pairing') throw errors.forbidden();
    const machine =
      owner.kind === 'session' ? await registry.byId(owner.machineId) : await registry.ofEnvironment();
    return { owner, machine, epoch: epoch ?? machine?.info.epoch ?? 0 };
  };

  const known = async (credentials: DaemonCredentials): Promise<Known> => {
    const { machine, ...rest } = await machineFor(credentials);
    if (!machine) throw errors.notFound();
    return { ...rest, machine };
  };

  return {
    init: async (key: string, body: InitBody): Promise<InitReply> => {
      const owner = await keys.owner(key).catch(async (error: unknown) => {
        if (!hasCode(error, 'FORBIDDEN')) throw error;
        const { error: reason, userId } = await keys.whyNot(key);
        if (userId !== null) publishRefused({ clock, bus }, { userId, body, error: reason });
        // A daemon of the specification reads one body for all; ours shows its person the cause.
        throw body.daemon === undefined ? error : reason;
      });
      await settings.requireEnabled(owner.userId);
      if (body.check === true) return { ok: true };
      const announced = readTools(body.tools);
      try {
        return await queue.run(owner.userId, () => initInTurn({ owner, key, body, announced }));
      } catch (error) {
        if (owner.kind === 'pairing') publishRefused({ clock, bus }, { userId: owner.userId, body, error });
        throw error;
      }
    },
    /**
     * Stores what the machine offers from now on and publishes a change of it; `replaced` from an older
     * epoch.
     */
    setTools: async (credentials: DaemonCredentials, body: ToolsBody): Promise<ToolsReply> => {
      const { owner } = await known(credentials);
      await settings.requireEnabled(owner.userId);
      const { list, warnings } = readTools(body.tools);
      return queue.run(owner.userId, async () => {
        // Looked at in turn: an init may have come in between.
        const { machine, epoch } = await known(credentials);
        const categories = body.toolCategories ?? machine.info.categories;
        const modes = body.modes ?? machine.info.modes;
        const { id, userId } = machine;
        if (!(await store.setTools({ id, epoch, toolList: list, categories, modes })))
          throw errors.replaced();
        registry.adopt({ id, userId, info: { ...machine.info, toolList: list, categories, modes } });
        connections.announce(machine);
        return { ok: true, ...(warnings.length === 0 ? {} : { warnings }) };
      });
    },
    /**
     * Attaches a stream; the newest wins. Call the returned function once the stream has closed. A stream of
     * an older epoch is told that it was replaced, and closed.
     */
    openStream: async (credentials: DaemonCredentials, stream: DaemonStream): Promise<() => void> => {
      const { owner, machine, epoch } = await machineFor(credentials);
      if (!machine) throw errors.forbidden();
      await settings.requireEnabled(owner.userId);
      if (owner.kind === 'session')
        keys.cacheKey(owner, typeof credentials === 'string' ? credentials : credentials.key);
      return connections.open(machine, { stream, epoch });
    },
    /** Whose machine speaks with that key; `notFound` for one that never called `init`. */
    userOf: async (credentials: DaemonCredentials): Promise<string> =>
      (await known(credentials)).machine.userId,
    /** From an older epoch an answer counts only for a call that is open and was given to it. */
    respond: async (
      credentials: DaemonCredentials,
      requestId: string,
      body: ResponseBody,
    ): Promise<AnswerReply> => calls.answer(await known(credentials), requestId, body),
    /** The same for several, with one check of the key; each gets its own reply, in their order. */
    respondAll: async (
      credentials: DaemonCredentials,
      answers: readonly { requestId: string; body: ResponseBody }[],
    ): Promise<PromiseSettledResult<AnswerReply>[]> => {
      const from = await known(credentials);
      return Promise.allSettled(answers.map(({ requestId, body }) => calls.answer(from, requestId, body)));
    },
    /** Where the post says where its output begins, the reply says how far the output is here. */
    progress: async (
      credentials: DaemonCredentials,
      requestId: string,
      body: ProgressBody,
    ): Promise<ProgressReply> => calls.progress(await known(credentials), requestId, body),
    /** Accepts the answer to the probe of that id: the stream has a reader. */
    probe: async (credentials: DaemonCredentials, id: number) => {
      const { machine, epoch } = await known(credentials);
      if (epoch === machine.info.epoch) connections.answered(machine, id);
    },
    /** Answers a question about the rules of the machine. */
    rules: async (credentials: DaemonCredentials, requestId: string, body: RulesBody) =>
      rules.answer((await known(credentials)).machine, requestId, body),
    /**
     * Decides open questions of the machine that its rules cover now; returns how many. From an older epoch
     * none.
     */
    settled: async (credentials: DaemonCredentials, body: SettledBody): Promise<number> => {
      const { machine, epoch } = await known(credentials);
      return epoch < machine.info.epoch ? 0 : confirmations.settle(machine.id, body);
    },
    /** Ends the pairing. Specification 7. */
    disconnect: async (credentials: DaemonCredentials) => {
      const { machine, epoch } = await known(credentials);
      // A daemon that another has replaced has no session left to end.
      if (epoch < machine.info.epoch) return;
      await keys.revokeMachine(machine);
      connections.disconnect(machine, 'user');
    },
    /** The machine is offline at once, as after its grace; its key stays good. */
    leave: async (credentials: DaemonCredentials) => {
      const { machine, epoch } = await known(credentials);
      if (epoch === machine.info.epoch) connections.leave(machine);
    },
  };
};

/**
 * What a daemon can do with a key. Each throws `forbidden`, with one and the same sentence, for a key that
 * does not hold.
 */
export type DaemonSession = ReturnType<typeof createDaemonSession>;

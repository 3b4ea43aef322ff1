import { serverFeatures, type InitBody, type InitReply } from '@drawbridge/contracts';
import type { Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { errors } from '../errors.ts';
import { readTools, type AnnouncedTools } from './announced-tools.ts';
import type { Calls } from './calls.ts';
import type { Connections } from './connections.ts';
import type { Flapping } from './flapping.ts';
import type { DaemonSide, Proof } from './gateway.ts';
import type { KeyHolder, Keys } from './keys.ts';
import type { MachineInit, MachinesStore } from './machines.store.ts';
import { isConnected, type Machine, type Registry } from './registry.ts';
import type { Rules } from './rules.ts';
import type { GatewaySettings } from './settings.ts';
import { createTurns } from './turns.ts';

export interface DaemonSideNeeds {
  clock: Clock;
  keys: Keys;
  registry: Registry;
  connections: Connections;
  calls: Calls;
  rules: Rules;
  settings: GatewaySettings;
  flapping: Flapping;
  store: MachinesStore;
}

interface Init {
  holder: KeyHolder;
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
  holder: KeyHolder;
  machine: Machine;
  epoch: number;
}

/** What a daemon can do with its key. Specification 2, 3 and 4. */
export const createDaemonSide = (needs: DaemonSideNeeds): DaemonSide => {
  const { clock, keys, registry, connections, calls, rules, settings, flapping, store } = needs;
  const turns = createTurns();

  const infoFrom = ({ holder, body, announced }: Init, before: Machine | undefined): MachineInit['info'] => {
    const initAt = clock.now();
    const stays = holder.kind !== 'pairing' && isConnected(before);
    return {
      hostIdentifier: body.hostIdentifier ?? null,
      rootPath: body.rootPath,
      toolList: announced.list,
      categories: body.toolCategories ?? [],
      daemon: body.daemon ?? null,
      connectedAt: stays ? before.info.connectedAt : initAt,
      initAt,
    };
  };

  /** The machine that an init speaks for: the session key's own, else the user's with the same host. */
  const machineOf = async ({ holder, body }: Init): Promise<Machine | undefined> => {
    if (holder.kind === 'session') return registry.byId(holder.machineId);
    const machines = await registry.ofUser(holder.userId);
    return machines.find((machine) => machine.info.hostIdentifier === (body.hostIdentifier ?? null));
  };

  /** Two daemons keep taking one machine from each other: neither may go on, and the person hears of it. */
  const lock = async (machine: Machine) => {
    await keys.revokeMachine(machine);
    await store.setProblem(machine.id, 'flapping');
    machine.info = { ...machine.info, problem: 'flapping' };
    connections.disconnect(machine, 'replaced');
  };

  const refuseFlapping = async ({ holder, body }: Init, before: Machine | undefined) => {
    if (holder.kind === 'pairing' || before?.connection.kind !== 'online') return;
    const { instance } = body.daemon ?? {};
    if (instance !== undefined && instance === before.info.daemon?.instance) return;
    if (!flapping.takes(before.id)) return;
    await lock(before);
    throw holder.kind === 'session' ? errors.forbidden() : errors.tooManyRequests();
  };

  const keep = async (init: Init): Promise<Kept> => {
    const { holder, key, body } = init;
    const before = await machineOf(init);
    await refuseFlapping(init, before);
    const replaces = before !== undefined && before.info.daemon?.instance !== body.daemon?.instance;
    const said = {
      id: before?.id ?? nanoid(),
      userId: holder.userId,
      info: infoFrom(init, before),
      replaces: replaces || holder.kind === 'pairing',
    };
    if (holder.kind !== 'pairing') {
      const stored = await keys.saveInit(said);
      if (holder.kind === 'session') keys.recall(holder, key);
      return { machine: registry.adopt(stored), replaces };
    }
    const { sessionKey, machine } = await keys.pair(holder, said);
    // Another daemon than the one that was here: what that one was doing ends with its key.
    if (before) connections.disconnect(before, 'replaced');
    return { machine: registry.adopt(machine), replaces: false, sessionKey };
  };

  const initInTurn = async (init: Init): Promise<InitReply> => {
    const { machine, sessionKey, replaces } = await keep(init);
    for (const other of await registry.ofUser(machine.userId)) {
      if (other !== machine && isConnected(other)) connections.disconnect(other, 'replaced');
    }
    connections.initialised(machine, { replaces });
    const { warnings } = init.announced;
    return {
      ok: true,
      ...(init.body.daemon === undefined ? {} : { epoch: machine.info.epoch, features: [...serverFeatures] }),
      ...(sessionKey === undefined ? {} : { sessionKey }),
      ...(warnings.length === 0 ? {} : { warnings }),
    };
  };

  /** A pairing token is good for init alone. */
  const machineFor = async (
    proof: Proof,
  ): Promise<Omit<Known, 'machine'> & { machine: Machine | undefined }> => {
    const { key, epoch } = typeof proof === 'string' ? { key: proof } : proof;
    const holder = await keys.holder(key);
    if (holder.kind === 'pairing') throw errors.forbidden();
    const machine =
      holder.kind === 'session'
        ? await registry.byId(holder.machineId)
        : await registry.latest(holder.userId);
    return { holder, machine, epoch: epoch ?? machine?.info.epoch ?? 0 };
  };

  const known = async (proof: Proof): Promise<Known> => {
    const { machine, ...rest } = await machineFor(proof);
    if (!machine) throw errors.notFound();
    return { ...rest, machine };
  };

  return {
    init: async (key, body) => {
      const holder = await keys.holder(key);
      await settings.requireEnabled(holder.userId);
      const announced = readTools(body.tools);
      return turns.run(holder.userId, () => initInTurn({ holder, key, body, announced }));
    },
    setTools: async (proof, body) => {
      const { holder } = await known(proof);
      await settings.requireEnabled(holder.userId);
      const { list, warnings } = readTools(body.tools);
      return turns.run(holder.userId, async () => {
        // Looked at in turn: an init may have come in between.
        const { machine, epoch } = await known(proof);
        const categories = body.toolCategories ?? machine.info.categories;
        const { id, userId } = machine;
        if (!(await store.setTools({ id, epoch, toolList: list, categories }))) throw errors.replaced();
        registry.adopt({ id, userId, info: { ...machine.info, toolList: list, categories } });
        connections.announce(machine);
        return { ok: true, ...(warnings.length === 0 ? {} : { warnings }) };
      });
    },
    openStream: async (proof, stream) => {
      const { holder, machine, epoch } = await machineFor(proof);
      if (!machine) throw errors.forbidden();
      await settings.requireEnabled(holder.userId);
      if (epoch < machine.info.epoch) return connections.refuse(stream);
      if (holder.kind === 'session') keys.recall(holder, typeof proof === 'string' ? proof : proof.key);
      return connections.open(machine, stream);
    },
    userOf: async (proof) => (await known(proof)).machine.userId,
    respond: async (proof, requestId, body) => calls.answer(await known(proof), requestId, body),
    respondAll: async (proof, answers) => {
      const from = await known(proof);
      return Promise.allSettled(answers.map(({ requestId, body }) => calls.answer(from, requestId, body)));
    },
    progress: async (proof, requestId, body) => calls.progress(await known(proof), requestId, body),
    probe: async (proof, id) => {
      const { machine, epoch } = await known(proof);
      if (epoch === machine.info.epoch) connections.answered(machine, id);
    },
    rules: async (proof, requestId, body) => rules.answer((await known(proof)).machine, requestId, body),
    disconnect: async (proof) => {
      const { machine, epoch } = await known(proof);
      // A daemon that another has replaced has no session left to end.
      if (epoch < machine.info.epoch) return;
      await keys.revokeMachine(machine);
      connections.disconnect(machine, 'user');
    },
  };
};

import type { InitBody, InitReply } from '@drawbridge/contracts';
import type { Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { errors } from '../errors.ts';
import { readTools, type AnnouncedTools } from './announced-tools.ts';
import type { Calls } from './calls.ts';
import type { Connections } from './connections.ts';
import type { DaemonSide } from './gateway.ts';
import type { KeyHolder, Keys } from './keys.ts';
import type { MachineInfo } from './machines.store.ts';
import { isConnected, type Machine, type Registry } from './registry.ts';
import type { GatewaySettings } from './settings.ts';
import { createTurns } from './turns.ts';

export interface DaemonSideNeeds {
  clock: Clock;
  keys: Keys;
  registry: Registry;
  connections: Connections;
  calls: Calls;
  settings: GatewaySettings;
}

interface Init {
  holder: KeyHolder;
  key: string;
  body: InitBody;
  announced: AnnouncedTools;
}

/** What a daemon can do with its key. Specification 2, 3 and 4. */
export const createDaemonSide = (needs: DaemonSideNeeds): DaemonSide => {
  const { clock, keys, registry, connections, calls, settings } = needs;
  const turns = createTurns();

  const infoFrom = ({ holder, body, announced }: Init, before: Machine | undefined): MachineInfo => {
    const initAt = clock.now();
    const stays = holder.kind !== 'pairing' && isConnected(before);
    return {
      hostIdentifier: body.hostIdentifier ?? null,
      rootPath: body.rootPath,
      toolList: announced.list,
      categories: body.toolCategories ?? [],
      daemon: body.daemon ?? null,
      epoch: (before?.info.epoch ?? 0) + 1,
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

  const keep = async (init: Init): Promise<{ machine: Machine; sessionKey: string | undefined }> => {
    const { holder, key } = init;
    const before = await machineOf(init);
    const info = infoFrom(init, before);
    const stored = { id: before?.id ?? nanoid(), userId: holder.userId, info };
    if (holder.kind !== 'pairing') {
      await keys.saveInit(stored);
      if (holder.kind === 'session') keys.recall(holder, key);
      return { machine: registry.adopt(stored), sessionKey: undefined };
    }
    const sessionKey = await keys.pair(holder, stored);
    // Another daemon than the one that was here: what that one was doing ends with its key.
    if (before) connections.disconnect(before, 'replaced');
    return { machine: registry.adopt(stored), sessionKey };
  };

  const initInTurn = async (init: Init): Promise<InitReply> => {
    const { machine, sessionKey } = await keep(init);
    for (const other of await registry.ofUser(machine.userId)) {
      if (other !== machine && isConnected(other)) connections.disconnect(other, 'replaced');
    }
    connections.initialised(machine);
    const { warnings } = init.announced;
    return {
      ok: true,
      ...(sessionKey === undefined ? {} : { sessionKey }),
      ...(warnings.length === 0 ? {} : { warnings }),
    };
  };

  /** A pairing token is good for init alone. */
  const machineFor = async (key: string): Promise<{ holder: KeyHolder; machine: Machine | undefined }> => {
    const holder = await keys.holder(key);
    if (holder.kind === 'pairing') throw errors.forbidden();
    const machine =
      holder.kind === 'session'
        ? await registry.byId(holder.machineId)
        : await registry.latest(holder.userId);
    return { holder, machine };
  };

  const known = async (key: string): Promise<Machine> => {
    const { machine } = await machineFor(key);
    if (!machine) throw errors.notFound();
    return machine;
  };

  return {
    init: async (key, body) => {
      const holder = await keys.holder(key);
      await settings.requireEnabled(holder.userId);
      const announced = readTools(body.tools);
      return turns.run(holder.userId, () => initInTurn({ holder, key, body, announced }));
    },
    openStream: async (key, stream) => {
      const { holder, machine } = await machineFor(key);
      if (!machine) throw errors.forbidden();
      await settings.requireEnabled(holder.userId);
      if (holder.kind === 'session') keys.recall(holder, key);
      return connections.open(machine, stream);
    },
    respond: async (key, requestId, body) => calls.answer(await known(key), requestId, body),
    progress: async (key, requestId, body) => calls.progress(await known(key), requestId, body),
    disconnect: async (key) => {
      const machine = await known(key);
      await keys.revokeMachine(machine);
      connections.disconnect(machine, 'user');
    },
  };
};

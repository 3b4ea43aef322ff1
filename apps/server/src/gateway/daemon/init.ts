import { serverFeatures } from '@drawbridge/contracts/daemon-info';
import type { InitReply } from '@drawbridge/contracts/daemon-reply';
import type { InitBody } from '@drawbridge/contracts/daemon-surface';
import { refusedPairing, type RefusedPairing } from '@drawbridge/contracts/machines/summary';
import type { Release } from '@drawbridge/contracts/release';
import { CodedError, hasCode, type Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { errors } from '../../errors.ts';
import type { Bus } from '../bus.ts';
import type { Connections } from '../connection/connections.ts';
import type { GatewayLimits } from '../limits.ts';
import type { MachinesStore } from '../machines/machines.store.ts';
import { isConnected, type Machine, type Registry } from '../machines/registry.ts';
import type { MachineInit } from '../machines/stored-machine.ts';
import { readTools, type AnnouncedTools } from '../machines/tool-list.ts';
import type { KeyOwner, Keys } from '../pairing/keys.ts';
import type { GatewaySettings } from '../settings/settings.ts';

/** What an init needs, beside the daemon that comes with it. */
export interface InitContext {
  clock: Clock;
  limits: Pick<GatewayLimits, 'machinesPerUser' | 'graceBaseMs' | 'maxTakings' | 'takingsWindowMs'>;
  bus: Bus;
  keys: Keys;
  registry: Registry;
  connections: Connections;
  settings: Pick<GatewaySettings, 'requireEnabled'>;
  /** The daemon that this server gives. */
  release: Release | undefined;
  store: MachinesStore;
}

interface Init {
  owner: KeyOwner;
  body: InitBody;
  announced: AnnouncedTools;
}

interface Kept {
  machine: Machine;
  replaces: boolean;
  sessionKey?: string;
}

const infoFrom = (
  { owner, body, announced }: Init,
  before: Machine | undefined,
  initAt: number,
): MachineInit['info'] => {
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
const machineOf = async ({ registry }: InitContext, { owner, body }: Init): Promise<Machine | undefined> => {
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
const lock = async ({ keys, store, connections }: InitContext, machine: Machine) => {
  await keys.revokeMachine(machine);
  await store.setProblem(machine.id, 'flapping');
  machine.info = { ...machine.info, problem: 'flapping' };
  connections.disconnect(machine, 'replaced');
};

/** A token is used once, and the key of the environment names no machine. */
const afterOf = ({ owner, body }: Init): number | null =>
  owner.kind === 'session' ? (body.after ?? null) : null;

const refuseFlapping = async (ctx: InitContext, init: Init, before: Machine | undefined) => {
  const { owner, body } = init;
  const { kind } = before?.connection ?? {};
  if (owner.kind === 'pairing' || !before || (kind !== 'online' && kind !== 'elsewhere')) return;
  const { instance } = body.daemon ?? {};
  if (instance !== undefined && instance === before.info.daemon?.instance) return;
  const since = ctx.clock.now() - ctx.limits.takingsWindowMs;
  const taking = { id: before.id, after: afterOf(init) };
  if ((await ctx.store.countTaking(taking, since)) <= ctx.limits.maxTakings) return;
  await lock(ctx, before);
  throw owner.kind === 'session' ? errors.forbidden() : errors.tooManyRequests();
};

const keep = async (ctx: InitContext, init: Init): Promise<Kept> => {
  const { clock, limits, keys, registry, connections } = ctx;
  const { owner, body } = init;
  const before = await machineOf(ctx, init);
  await refuseFlapping(ctx, init, before);
  const initAt = clock.now();
  const machineInit = {
    id: before?.id ?? nanoid(),
    userId: owner.userId,
    info: infoFrom(init, before, initAt),
    graceUntil: initAt + limits.graceBaseMs,
    replaces: owner.kind === 'pairing',
    after: afterOf(init),
    name: owner.kind === 'pairing' ? (body.name ?? null) : null,
    maxMachines: limits.machinesPerUser,
  };
  if (owner.kind !== 'pairing') {
    const stored = await keys.saveInit(machineInit);
    const replaces = before !== undefined && stored.info.resumesFrom === stored.info.epoch;
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
const replaceOthers = async ({ registry, connections }: InitContext, machine: Machine) => {
  for (const other of await registry.ofUser(machine.userId))
    if (other !== machine && isConnected(other)) connections.disconnect(other, 'replaced');
};

const initInTurn = async (ctx: InitContext, init: Init): Promise<InitReply> => {
  const { registry, connections, release } = ctx;
  const { machine, sessionKey, replaces } = await keep(ctx, init);
  if (init.owner.kind !== 'session') registry.refresh(machine.userId);
  if (init.owner.kind === 'env') await replaceOthers(ctx, machine);
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

interface Refused {
  userId: string;
  body: InitBody;
  error: unknown;
}

/** Publishes that a daemon came with a token of the user and was refused. Other errors are not published. */
const publishRefused = (
  { clock, bus }: { clock: Clock; bus: Bus },
  { userId, body, error }: Refused,
): void => {
  const code = refusedPairing.shape.code.safeParse(error instanceof CodedError ? error.code : null);
  if (!code.success) return;
  const at = new Date(clock.now()).toISOString();
  const refused: RefusedPairing = { code: code.data, hostIdentifier: body.hostIdentifier ?? null, at };
  bus.publish(`user:${userId}`, { type: 'pairing-refused', userId, refused });
};

/**
 * Whose key it is. A daemon of the specification reads one body for all refusals; ours shows its person the
 * cause.
 */
const ownerOf = async ({ keys, clock, bus }: InitContext, key: string, body: InitBody): Promise<KeyOwner> =>
  keys.owner(key).catch(async (error: unknown) => {
    if (!hasCode(error, 'FORBIDDEN')) throw error;
    const { error: reason, userId } = await keys.whyNot(key);
    if (userId !== null) publishRefused({ clock, bus }, { userId, body, error: reason });
    throw body.daemon === undefined ? error : reason;
  });

/** What a daemon that asks whether its key holds learns of the machine that it speaks for. */
const checked = async ({ store }: InitContext, owner: KeyOwner, body: InitBody): Promise<InitReply> => {
  const machine =
    owner.kind === 'session' && body.daemon !== undefined ? await store.byId(owner.machineId) : undefined;
  return { ok: true, ...(machine && { epoch: machine.info.epoch }) };
};

/** Takes an init. `inTurn` runs one init or change of tools of a user at a time. */
export const takeInit = async (
  ctx: InitContext,
  { key, body }: { key: string; body: InitBody },
  inTurn: (userId: string, job: () => Promise<InitReply>) => Promise<InitReply>,
): Promise<InitReply> => {
  const owner = await ownerOf(ctx, key, body);
  const { userId } = owner;
  await ctx.settings.requireEnabled(userId);
  if (body.check === true) return checked(ctx, owner, body);
  const announced = readTools(body.tools);
  try {
    return await inTurn(userId, () => initInTurn(ctx, { owner, body, announced }));
  } catch (error) {
    if (owner.kind === 'pairing') publishRefused(ctx, { userId, body, error });
    throw error;
  }
};

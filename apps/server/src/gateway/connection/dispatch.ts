import type { Clock, Emitter } from '@drawbridge/kit';
import type { GatewayLimits } from '../limits.ts';
import {
  nextConnection,
  type ConnectionEffect,
  type ConnectionEvent,
  type GoneWhy,
} from '../machines/connection-state.ts';
import type { Machine } from '../machines/registry.ts';
import type { AttachedStreams } from './attached-streams.ts';
import type { Graces } from './graces.ts';
import type { MachineRows } from './machine-rows.ts';
import type { StreamOwnership } from './stream-ownership.ts';

/** What the calls of a machine have to know. */
export type MachineChange =
  /** The machine has a stream: calls that wait can be written. */
  | { type: 'attached'; machineId: string }
  /** Another daemon speaks for the machine now. */
  | { type: 'replaced'; machineId: string }
  /** The machine is no longer connected. */
  | { type: 'gone'; machineId: string; why: GoneWhy };

/** What the effects of a connection's state work on. */
export interface ConnectionsContext {
  clock: Clock;
  limits: GatewayLimits;
  attached: AttachedStreams;
  graces: Graces;
  rows: MachineRows;
  ownership: StreamOwnership;
  changes: Emitter<MachineChange>;
  log: { info(what: object, sentence: string): void };
  onError(error: unknown): void;
}

/** The grace is over, unless its machine has a stream again, on any server. */
export const expireGrace = async (ctx: ConnectionsContext, machine: Machine): Promise<void> => {
  if (await ctx.ownership.expire(machine)) dispatch(ctx, machine, { type: 'grace-expired' });
};

const perform = (ctx: ConnectionsContext, machine: Machine, effect: ConnectionEffect): void => {
  switch (effect.type) {
    case 'wait':
      return ctx.graces.start(machine.id, effect.ms, () => void expireGrace(ctx, machine).catch(ctx.onError));
    case 'stop-waiting':
      return ctx.graces.stop(machine.id);
    case 'close-stream':
      return ctx.attached.close(machine, effect.generation, effect.reason);
    case 'attached':
    case 'replaced':
    case 'gone':
      return ctx.changes.emit('machine', { ...effect, machineId: machine.id });
    case 'announce':
      return ctx.rows.announce(machine);
    default:
      effect satisfies never;
  }
};

const logConnection = ({ log }: ConnectionsContext, { id, userId, info }: Machine, isOffline: boolean) =>
  log.info({ userId, machine: id }, `machine ${isOffline ? 'disconnected' : 'connected'}: ${info.name}`);

/** Moves the connection of a machine to its next state, and does what follows. */
export const dispatch = (ctx: ConnectionsContext, machine: Machine, event: ConnectionEvent): void => {
  const { clock, limits, rows } = ctx;
  const wasOffline = machine.connection.kind === 'offline';
  const wasOnline = machine.connection.kind === 'online';
  const { state, effects } = nextConnection(machine.connection, event, limits);
  machine.connection = state;
  const isOffline = state.kind === 'offline';
  if (wasOnline || state.kind === 'online')
    machine.info = { ...machine.info, lastSeenAt: state.kind === 'online' ? null : clock.now() };
  const isStored = event.type === 'stored' || event.type === 'grace-expired';
  if (isOffline && !wasOffline && !isStored) rows.setConnected(machine, null);
  if (wasOffline && !isOffline && !isStored && machine.info.connectedAt === null)
    rows.setConnected(machine, clock.now());
  if (isOffline !== wasOffline && event.type !== 'stored') logConnection(ctx, machine, isOffline);
  for (const effect of effects)
    if (event.type === 'stored' && effect.type === 'announce') rows.announceHere(machine);
    else perform(ctx, machine, effect);
};

import {
  personCallerId,
  type CancelReason,
  type DaemonEvent,
  type RequestCaller,
} from '@drawbridge/contracts/daemon-event';
import { actionTool } from '@drawbridge/contracts/machines/runtimes';
import type { GatewayLimits } from '../../limits.ts';
import type { Streams } from '../../connection/streams.ts';
import type { Machine } from '../../machines/registry.ts';
import type { Bus, BusMessage } from '../../bus.ts';
import type { ThisServer } from '../../cluster/this-server.ts';
import type { CallRecord } from '../call.ts';
import type { StreamFence } from '../store/call-write.ts';
import type { CallData } from '../transition/transition.ts';

export interface DeliveryContext {
  limits: GatewayLimits;
  streams: Pick<Streams, 'write' | 'ready'>;
  machine(id: string): Machine | undefined;
  server: ThisServer;
  bus: Bus;
}

/**
 * Asks the server that has the stream of the machine to do something with it; nothing where no other server
 * has it.
 */
const publishToOwner = ({ machine, bus }: DeliveryContext, machineId: string, message: BusMessage): void => {
  const connection = machine(machineId)?.connection;
  if (connection?.kind === 'elsewhere') bus.publish(`server:${connection.serverId}`, message);
};

/** The stream of the machine that is open on this server; null without one. */
export const streamHere = ({ machine, server }: DeliveryContext, machineId: string): StreamFence | null => {
  const connection = machine(machineId)?.connection;
  return connection?.kind === 'online' ? { stream: connection.generation, serverId: server.id() } : null;
};

/** Notifies the server with the stream that the call waits for delivery. */
export const requestDelivery = (ctx: DeliveryContext, { record: { machineId, requestId } }: CallData): void =>
  publishToOwner(ctx, machineId, { type: 'deliver-call', requestId });

export const hasFeature = ({ machine }: DeliveryContext, machineId: string, feature: string): boolean =>
  machine(machineId)?.info.daemon?.features.includes(feature) ?? false;

/** A call as its daemon knows it. */
type GivenCall = Pick<CallRecord, 'requestId' | 'machineId' | 'epoch'>;

/** Whether the connected daemon has the call, if a daemon received it. */
export const isKnownToDaemon = ({ machine }: DeliveryContext, { machineId, epoch }: GivenCall): boolean =>
  epoch === null || epoch >= (machine(machineId)?.info.resumesFrom ?? 0);

/** Whether a call that was delivered may be sent again: its daemon has it, and knows it by its id. */
export const isResumed = (ctx: DeliveryContext, data: CallData): boolean =>
  hasFeature(ctx, data.record.machineId, 'resume') && isKnownToDaemon(ctx, data.record);

/** Why an action of a coding agent was denied; other callers read it in the call's result. */
const denialOf = ({ tool, denialReason }: Pick<CallRecord, 'tool' | 'denialReason'>) =>
  tool === actionTool && denialReason !== null ? { denialReason } : {};

const maxNameLength = 200;

/** As the daemon tells callers apart. */
const callerOf = ({ via }: CallData['record']): RequestCaller =>
  via === null
    ? { id: personCallerId, name: '' }
    : { id: `${via.kind}:${via.id}`, name: via.name.slice(0, maxNameLength) };

/**
 * The frame that sends a call, and its decision if it has one. `again`: it may have been sent before.
 * `timeoutMs` is null for a daemon that sends no identity.
 */
const requestFrame = (
  { record, state, answered }: CallData,
  { again, timeoutMs, saysCaller }: { again: boolean; timeoutMs: number | null; saysCaller: boolean },
): DaemonEvent => {
  const decision = state.kind === 'ended' || state.kind === 'awaiting-confirmation' ? null : state.decision;
  const toolCall = {
    name: record.tool,
    arguments: decision === null ? record.arguments : { ...record.arguments, _confirmation: decision },
  };
  return {
    type: 'filesystem-request',
    payload: {
      requestId: record.requestId,
      toolCall,
      ...(timeoutMs === null ? {} : { timeoutMs }),
      ...(again ? { again } : {}),
      ...(saysCaller ? { caller: callerOf(record) } : {}),
      ...(decision !== null && answered.askId !== null ? { askId: answered.askId } : {}),
      ...(decision !== null && answered.reach !== null ? { reach: answered.reach } : {}),
      ...denialOf(record),
    },
  };
};

/**
 * Writes a call on its machine's stream; false if there is no stream here, or it was too slow and has been
 * closed.
 */
export const writeCall = (ctx: DeliveryContext, data: CallData, { again }: { again: boolean }): boolean => {
  const { machine, limits, streams } = ctx;
  const { machineId } = data.record;
  const knowsTimeouts = machine(machineId)?.info.daemon !== null;
  const timeoutMs = knowsTimeouts ? limits.callTimeoutMs : null;
  const saysCaller = hasFeature(ctx, machineId, 'processes');
  return streams.write(machineId, requestFrame(data, { again, timeoutMs, saysCaller }));
};

/** A call that has ended, as its daemon is told so. */
export type StoppedCall = GivenCall & Pick<CallRecord, 'tool' | 'denialReason'>;

/** Why a call was stopped that is stored as such. */
export const stopReasonOf = ({ state }: { state: string }): CancelReason =>
  state === 'timed-out' ? 'timeout' : 'user';

const canStop = (ctx: DeliveryContext, call: GivenCall): boolean =>
  hasFeature(ctx, call.machineId, 'cancel') && isKnownToDaemon(ctx, call);

/** Sends the daemon a cancellation if its stream is here, it supports them and has the call; true if so. */
export const writeStopHere = (ctx: DeliveryContext, call: StoppedCall, reason: CancelReason): boolean =>
  canStop(ctx, call) &&
  ctx.streams.write(call.machineId, {
    type: 'tool-call-cancel',
    payload: { requestId: call.requestId, reason, ...denialOf(call) },
  });

/** The same, wherever its stream is. */
export const writeStop = (ctx: DeliveryContext, { record }: CallData, reason: CancelReason): void => {
  if (writeStopHere(ctx, record, reason) || !canStop(ctx, record)) return;
  const { requestId, machineId } = record;
  publishToOwner(ctx, machineId, { type: 'stop-call', requestId, reason });
};

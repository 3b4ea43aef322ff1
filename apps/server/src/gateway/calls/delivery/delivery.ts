import type { GatewayLimits } from '../../limits.ts';
import type { Streams } from '../../connection/streams.ts';
import type { Machine } from '../../machines/registry.ts';
import { requestFrame } from './request-frame.ts';
import type { CallData } from '../transition.ts';

export interface DeliveryContext {
  limits: GatewayLimits;
  streams: Pick<Streams, 'write' | 'ready'>;
  machine(id: string): Machine | undefined;
}

export const isOnline = ({ machine }: DeliveryContext, machineId: string): boolean =>
  machine(machineId)?.connection.kind === 'online';

export const hasFeature = ({ machine }: DeliveryContext, machineId: string, feature: string): boolean =>
  machine(machineId)?.info.daemon?.features.includes(feature) ?? false;

/** Whether the daemon that is connected now knows of the call, where one has received it. */
export const isKnownToDaemon = ({ machine }: DeliveryContext, { record }: CallData): boolean =>
  record.epoch === null || record.epoch >= (machine(record.machineId)?.info.resumesFrom ?? 0);

/**
 * Writes a call on its machine's stream; false where there is no stream here, or it was too slow and has
 * been closed.
 */
export const writeCall = (
  { machine, limits, streams }: DeliveryContext,
  data: CallData,
  { again }: { again: boolean },
): boolean => {
  const { machineId } = data.record;
  const knowsTimeouts = machine(machineId)?.info.daemon !== null;
  const timeoutMs = knowsTimeouts ? limits.callTimeoutMs : null;
  return streams.write(machineId, requestFrame(data, { again, timeoutMs }));
};

/** Tells the daemon to stop a call, where it understands that and has the call. */
export const writeStop = (
  ctx: DeliveryContext,
  data: CallData,
  reason: 'user' | 'caller' | 'timeout',
): void => {
  const { requestId, machineId } = data.record;
  if (!hasFeature(ctx, machineId, 'cancel') || !isKnownToDaemon(ctx, data)) return;
  ctx.streams.write(machineId, { type: 'tool-call-cancel', payload: { requestId, reason } });
};

import type { DaemonEvent, DisconnectReason } from '@drawbridge/contracts/daemon-event';
import type { Clock } from '@drawbridge/kit';
import type { GatewayLimits } from '../limits.ts';
import type { Machine } from '../machines/registry.ts';
import { createProbe, type Probe } from './probe.ts';
import type { DaemonStream, Streams } from './streams.ts';

interface AttachedStream {
  machine: Machine;
  generation: number;
  stream: DaemonStream;
  probe: Probe;
  /** Writes on it, with the number of the next frame. */
  write(event: DaemonEvent): boolean;
  release(): void;
}

export interface NewStream {
  generation: number;
  stream: DaemonStream;
  /** Its reader does not answer, and it was closed. */
  dead(): void;
}

interface Needs {
  clock: Clock;
  limits: GatewayLimits;
  streams: Streams;
}

/** The streams of daemons that are open on this server; an older one of a machine may still be closing. */
export const createAttachedStreams = ({ clock, limits, streams }: Needs) => {
  const attached = new Map<string, AttachedStream>();
  const keyOf = (machine: Machine, generation: number) => `${machine.id} ${generation}`;

  const release = (machine: Machine, generation: number): AttachedStream | undefined => {
    const one = attached.get(keyOf(machine, generation));
    attached.delete(keyOf(machine, generation));
    one?.release();
    one?.probe.stop();
    return one;
  };

  const disconnect = (one: AttachedStream | undefined, reason: DisconnectReason | null) => {
    if (reason !== null) one?.write({ type: 'gateway-disconnect', payload: { reason } });
    one?.stream.close();
  };

  return {
    add: (machine: Machine, { generation, stream, dead }: NewStream) => {
      let frame = 0;
      const write = (event: DaemonEvent) => stream.send((frame += 1), event);
      const probe = createProbe({
        clock,
        limits,
        send: (id) => write({ type: 'probe', payload: { id } }),
        dead: () => {
          stream.close();
          dead();
        },
      });
      const end = streams.register(machine.id, { write, ready: stream.ready });
      attached.set(keyOf(machine, generation), { machine, generation, stream, probe, write, release: end });
      if (machine.info.daemon?.features.includes('probe')) probe.start();
    },
    release,
    /** Ends a stream; without a reason the daemon is told nothing. */
    close: (machine: Machine, generation: number, reason: DisconnectReason | null) =>
      disconnect(release(machine, generation), reason),
    /** The probe of the machine's newest stream, if that is here. */
    probeOf: ({ id, connection }: Machine): Probe | undefined =>
      connection.kind === 'online' ? attached.get(`${id} ${connection.generation}`)?.probe : undefined,
    all: (): readonly Pick<AttachedStream, 'machine' | 'generation'>[] => [...attached.values()],
  };
};

export type AttachedStreams = ReturnType<typeof createAttachedStreams>;

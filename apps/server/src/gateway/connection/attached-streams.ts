import type { DaemonEvent, DisconnectReason } from '@drawbridge/contracts/daemon-event';
import type { Clock } from '@drawbridge/kit';
import type { GatewayLimits } from '../limits.ts';
import type { Machine } from '../machines/registry.ts';
import { touchEveryMs } from '../pairing/keys.ts';
import { createProbe, type Probe } from './probe.ts';
import type { DaemonStream, Streams } from './streams.ts';

interface AttachedStream {
  machine: Machine;
  generation: number;
  stream: DaemonStream;
  probe: Probe;
  reader: string;
  /** When the key of its reader was last looked up. */
  checkedAt: number;
  /** Writes on it, with the number of the next frame. */
  write(event: DaemonEvent): boolean;
  release(): void;
}

export interface NewStream {
  generation: number;
  stream: DaemonStream;
  /** The key that opened it and the epoch that it named, as a digest. */
  reader: string;
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
  const byReader = new Map<string, AttachedStream>();
  const keyOf = (machine: Machine, generation: number) => `${machine.id} ${generation}`;

  const release = (machine: Machine, generation: number): AttachedStream | undefined => {
    const one = attached.get(keyOf(machine, generation));
    attached.delete(keyOf(machine, generation));
    if (one && byReader.get(one.reader) === one) byReader.delete(one.reader);
    one?.release();
    one?.probe.stop();
    return one;
  };

  const newestOf = ({ id, connection }: Machine): AttachedStream | undefined =>
    connection.kind === 'online' ? attached.get(`${id} ${connection.generation}`) : undefined;

  const disconnect = (one: AttachedStream | undefined, reason: DisconnectReason | null) => {
    if (reason !== null) one?.write({ type: 'gateway-disconnect', payload: { reason } });
    one?.stream.close();
  };

  return {
    add: (machine: Machine, { generation, stream, reader, dead }: NewStream) => {
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
      const one = { machine, generation, stream, probe, reader, checkedAt: clock.now(), write, release: end };
      attached.set(keyOf(machine, generation), one);
      byReader.set(reader, one);
      if (machine.info.daemon?.features.includes('probe')) probe.start();
    },
    release,
    /** Ends a stream; without a reason the daemon is told nothing. */
    close: (machine: Machine, generation: number, reason: DisconnectReason | null) =>
      disconnect(release(machine, generation), reason),
    /** The probe of the machine's newest stream, if that is here. */
    probeOf: (machine: Machine): Probe | undefined => newestOf(machine)?.probe,
    /** The daemon of a machine has answered a probe, and its key holds. */
    answered: (machine: Machine, probeId: number) => {
      const one = newestOf(machine);
      if (one === undefined) return;
      one.checkedAt = clock.now();
      one.probe.answered(probeId);
    },
    /**
     * The reader of a stream has answered a probe; false where its stream is not here, or its key has to be
     * looked up again.
     */
    answeredBy: (reader: string, probeId: number): boolean => {
      const one = byReader.get(reader);
      if (one === undefined || clock.now() - one.checkedAt >= touchEveryMs) return false;
      one.probe.answered(probeId);
      return true;
    },
    all: (): readonly Pick<AttachedStream, 'machine' | 'generation'>[] => [...attached.values()],
  };
};

export type AttachedStreams = ReturnType<typeof createAttachedStreams>;

import { createPending, type Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { errors } from '../../errors.ts';
import type { BusMessage, MachineQuery } from '../bus.ts';
import type { ThisServer } from '../cluster/this-server.ts';
import type { GatewayLimits } from '../limits.ts';
import type { Machine, MachineRef, Registry } from '../machines/registry.ts';
import type { GatewaySettings } from '../settings/settings.ts';
import type { Streams } from './streams.ts';

export interface QueryNeeds {
  clock: Clock;
  limits: GatewayLimits;
  server: ThisServer;
  streams: Pick<Streams, 'write'>;
  registry: Registry;
  settings: Pick<GatewaySettings, 'requireEnabled'>;
}

/** Throws `notConnected` for a machine that no server can ask. */
export const requireConnected = ({ connection: { kind } }: Machine): void => {
  if (kind !== 'online' && kind !== 'elsewhere') throw errors.notConnected();
};

const randomLength = 22;

/** The server that asked: a query's id begins with it, and the rest has a fixed length. */
const askerOf = (requestId: string) => requestId.slice(0, -randomLength);

type Answered = Extract<BusMessage, { type: 'rules-answered' | 'processes-answered' | 'runtimes-answered' }>;

/**
 * Asks daemons, on whichever server their streams are. `read` gives the answer in a message of its kind,
 * or the error that it stands for.
 */
export const createQueries = <Answer>(
  { clock, limits, server, streams, registry, settings }: QueryNeeds,
  read: (message: BusMessage) => { machineId: string; requestId: string; answer: Answer | Error } | undefined,
) => {
  const { bus } = server;
  const waiting = createPending<Answer>();
  const keyOf = (machineId: string, requestId: string) => `${machineId} ${requestId}`;

  /** Where the stream of the machine is elsewhere, that server is asked to. */
  const write = ({ id: machineId, connection }: Machine, query: MachineQuery): boolean => {
    if (connection.kind !== 'elsewhere') return streams.write(machineId, query);
    bus.publish(`server:${connection.serverId}`, { type: 'machine-query', machineId, query });
    return true;
  };

  // The answer may reach another server than the one that asked.
  server.subscribe((message) => {
    if (message.type === 'query-unasked')
      return void waiting.fail(keyOf(message.machineId, message.requestId), errors.notConnected());
    const answered = read(message);
    if (answered === undefined) return;
    const key = keyOf(answered.machineId, answered.requestId);
    if (answered.answer instanceof Error) waiting.fail(key, answered.answer);
    else waiting.settle(key, answered.answer);
  });

  return {
    /** The machine to ask. Throws as `requireEnabled` and the registry do. */
    find: async ({ userId, machineId }: MachineRef): Promise<Machine> => {
      await settings.requireEnabled(userId);
      return registry.find(userId, machineId);
    },
    /** Throws `notConnected`, `tooManyRequests`, `timedOut` after 10 s or `waitMs`, and errors of `read`. */
    ask: async (
      machine: Machine,
      toQuery: (requestId: string) => MachineQuery,
      waitMs = limits.queryTimeoutMs,
    ): Promise<Answer> => {
      requireConnected(machine);
      if (waiting.size() >= limits.maxMachineQueries) throw errors.tooManyRequests();
      const requestId = `${server.id()}${nanoid(randomLength)}`;
      const key = keyOf(machine.id, requestId);
      const answered = waiting.park(key);
      const cancelTimer = clock.after(waitMs, () => waiting.fail(key, errors.timedOut()));
      if (!write(machine, toQuery(requestId))) waiting.fail(key, errors.notConnected());
      return answered.finally(cancelTimer);
    },
    /** Passes a daemon's answer to the server that asked; one without a waiting query is ignored. */
    answer: (answered: Answered) => bus.publish(`server:${askerOf(answered.requestId)}`, answered),
  };
};

/** Writes queries of other servers on the streams that are here. Once for a server. */
export const writeQueriesOfOthers = ({ server, streams }: Pick<QueryNeeds, 'server' | 'streams'>): void => {
  server.subscribe((message) => {
    if (message.type !== 'machine-query') return;
    const { machineId, query } = message;
    const { requestId } = query.payload;
    if (!streams.write(machineId, query))
      server.bus.publish(`server:${askerOf(requestId)}`, { type: 'query-unasked', machineId, requestId });
  });
};

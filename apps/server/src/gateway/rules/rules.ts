import type { KnownRules, RuleList, RulesBody } from '@drawbridge/contracts/rule-list';
import type { RulesQuery } from '@drawbridge/contracts/rules';
import { createPending, type Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { errors } from '../../errors.ts';
import type { GatewayLimits } from '../limits.ts';
import type { MachinesStore } from '../machines/machines.store.ts';
import type { ThisServer } from '../cluster/this-server.ts';
import type { Streams } from '../connection/streams.ts';
import type { GatewaySettings } from '../settings/settings.ts';
import type { Machine, MachineRef, Registry } from '../machines/registry.ts';

/**
 * The rules of a user's machine, asked of its daemon each time. What it said last is shown while it is away.
 */
export interface Rules {
  /**
   * Queries the daemon of a machine and returns its rules. Throws `notConnected`, `rulesUnsupported`,
   * `timedOut` after 10 s, and the daemon's own `notFound`, `ruleRefused` and `rulesNotPermitted`.
   */
  query(ref: MachineRef, query: RulesQuery): Promise<KnownRules>;
}

/** Rules as a daemon reports them. */
export interface MachineRules {
  /** Accepts a daemon's answer; one without a pending query is ignored. */
  answer(machine: Machine, requestId: string, body: RulesBody): void;
}

export interface RulesNeeds {
  clock: Clock;
  limits: GatewayLimits;
  registry: Registry;
  settings: Pick<GatewaySettings, 'requireEnabled'>;
  server: ThisServer;
  streams: Pick<Streams, 'write'>;
  store: MachinesStore;
  onError(error: unknown): void;
}

const refusal = (body: Extract<RulesBody, { refused: string }>) => {
  switch (body.refused) {
    case 'not-permitted':
      return errors.rulesNotPermitted();
    case 'unknown':
      return errors.notFound();
    case 'not-a-rule':
    case 'failed':
      return errors.ruleRefused({ message: body.message });
    default:
      return body.refused satisfies never;
  }
};

const randomLength = 22;

/** The server that asked: a query's id begins with it, and the rest has a fixed length. */
const askerOf = (requestId: string) => requestId.slice(0, -randomLength);

export const createRules = (needs: RulesNeeds): Rules & MachineRules => {
  const { clock, limits, registry, settings, server, streams, store, onError } = needs;
  const { bus } = server;
  const waiting = createPending<RuleList>();
  const keyOf = (machineId: string, requestId: string) => `${machineId} ${requestId}`;

  /** Where the stream of the machine is elsewhere, that server is asked to. */
  const ask = ({ id: machineId, connection }: Machine, requestId: string, query: RulesQuery): boolean => {
    if (connection.kind !== 'elsewhere')
      return streams.write(machineId, { type: 'rules-request', payload: { requestId, query } });
    bus.publish(`server:${connection.serverId}`, { type: 'rules-query', machineId, requestId, query });
    return true;
  };

  // The answer may reach another server than the one that asked, and so may the query.
  server.subscribe((message) => {
    if (message.type === 'rules-query') {
      const { machineId, requestId, query } = message;
      if (!streams.write(machineId, { type: 'rules-request', payload: { requestId, query } }))
        bus.publish(`server:${askerOf(requestId)}`, { type: 'rules-unasked', machineId, requestId });
      return;
    }
    if (message.type !== 'rules-answered' && message.type !== 'rules-unasked') return;
    const key = keyOf(message.machineId, message.requestId);
    if (message.type === 'rules-unasked') waiting.fail(key, errors.notConnected());
    else if ('refused' in message.body) waiting.fail(key, refusal(message.body));
    else waiting.settle(key, message.body);
  });

  const lastReported = async (machineId: string): Promise<KnownRules> => {
    const reported = await store.rulesOf(machineId);
    if (reported === null) throw errors.notConnected();
    return { ...reported.list, asOf: new Date(reported.at).toISOString() };
  };

  return {
    query: async ({ userId, machineId }, query) => {
      await settings.requireEnabled(userId);
      const machine = await registry.find(userId, machineId);
      if (machine.connection.kind === 'offline' && query.type === 'list') return lastReported(machine.id);
      const { kind } = machine.connection;
      if (kind !== 'online' && kind !== 'elsewhere') throw errors.notConnected();
      if (!machine.info.daemon?.features.includes('rules')) throw errors.rulesUnsupported();
      if (waiting.size() >= limits.maxRulesQueries) throw errors.tooManyRequests();
      const requestId = `${server.id()}${nanoid(randomLength)}`;
      const key = keyOf(machine.id, requestId);
      const answered = waiting.park(key);
      const cancelTimer = clock.after(limits.rulesTimeoutMs, () => waiting.fail(key, errors.timedOut()));
      if (!ask(machine, requestId, query)) waiting.fail(key, errors.notConnected());
      const list = await answered.finally(cancelTimer);
      store.setRules(machine.id, { list, at: clock.now() }).catch(onError);
      return list;
    },
    answer: ({ id }, requestId, body) =>
      bus.publish(`server:${askerOf(requestId)}`, { type: 'rules-answered', machineId: id, requestId, body }),
  };
};

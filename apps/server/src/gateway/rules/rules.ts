import type { KnownRules, RuleList, RulesBody } from '@drawbridge/contracts/rule-list';
import type { RulesQuery } from '@drawbridge/contracts/rules';
import { errors } from '../../errors.ts';
import { createQueries, requireConnected, type QueryNeeds } from '../connection/queries.ts';
import type { MachinesStore } from '../machines/machines.store.ts';
import type { Machine, MachineRef } from '../machines/registry.ts';

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

export interface RulesNeeds extends QueryNeeds {
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

export const createRules = (needs: RulesNeeds): Rules & MachineRules => {
  const { clock, store, onError } = needs;
  const queries = createQueries<RuleList>(needs, (message) => {
    if (message.type !== 'rules-answered') return undefined;
    const { body } = message;
    return { ...message, answer: 'refused' in body ? refusal(body) : body };
  });

  const lastReported = async (machineId: string): Promise<KnownRules> => {
    const reported = await store.rulesOf(machineId);
    if (reported === null) throw errors.notConnected();
    return { ...reported.list, asOf: new Date(reported.at).toISOString() };
  };

  return {
    query: async (ref, query) => {
      const machine = await queries.find(ref);
      if (machine.connection.kind === 'offline' && query.type === 'list') return lastReported(machine.id);
      requireConnected(machine);
      const feature = query.type === 'tighten' ? 'tighten' : 'rules';
      if (!machine.info.daemon?.features.includes(feature)) throw errors.rulesUnsupported();
      const list = await queries.ask(machine, (requestId) => ({
        type: 'rules-request',
        payload: { requestId, query },
      }));
      store.setRules(machine.id, { list, at: clock.now() }).catch(onError);
      return list;
    },
    answer: ({ id: machineId }, requestId, body) =>
      queries.answer({ type: 'rules-answered', machineId, requestId, body }),
  };
};

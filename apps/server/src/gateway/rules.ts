import type { RuleList, RulesBody, RulesQuery } from '@drawbridge/contracts';
import { createPending, type Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { errors } from '../errors.ts';
import type { GatewayLimits } from './limits.ts';
import type { Port } from './port.ts';
import type { Machine, Registry } from './registry.ts';

/** The rules of a user's machine, asked of its daemon each time: the server keeps none of them. */
export interface Rules {
  /**
   * Asks, and gives the rules as they are then. `notConnected` and `rulesUnsupported` where nobody can be asked,
   * `timedOut` after 10 s; `notFound`, `ruleRefused` and `rulesNotPermitted` are the machine's own words.
   */
  ask(userId: string, query: RulesQuery): Promise<RuleList>;
  /** Takes a daemon's answer; one that nobody waits for does nothing. */
  answer(machine: Machine, requestId: string, body: RulesBody): void;
}

export interface RulesNeeds {
  clock: Clock;
  limits: GatewayLimits;
  registry: Registry;
  port: Port;
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

export const createRules = ({ clock, limits, registry, port }: RulesNeeds): Rules => {
  const waiting = createPending<RuleList>();
  const keyOf = (machineId: string, requestId: string) => `${machineId} ${requestId}`;

  // The answer may come to another process than the one that asked.
  port.listen((news) => {
    if (news.type !== 'rules-answered') return;
    const { body } = news;
    const key = keyOf(news.machineId, news.requestId);
    if ('refused' in body) waiting.fail(key, refusal(body));
    else waiting.settle(key, body);
  });

  return {
    ask: async (userId, query) => {
      const machine = await registry.connected(userId);
      if (machine.connection.kind !== 'online') throw errors.notConnected();
      if (!machine.info.daemon?.features.includes('rules')) throw errors.rulesUnsupported();
      if (waiting.size() >= limits.maxRulesQueries) throw errors.tooManyRequests();
      const requestId = nanoid(22);
      const key = keyOf(machine.id, requestId);
      const answered = waiting.park(key);
      const takeBack = clock.after(limits.rulesTimeoutMs, () => waiting.fail(key, errors.timedOut()));
      const written = port.write(machine.id, { type: 'rules-request', payload: { requestId, query } });
      written.then(
        (isWritten) => void (isWritten || waiting.fail(key, errors.notConnected())),
        (error: unknown) => void waiting.fail(key, error),
      );
      return answered.finally(takeBack);
    },
    answer: ({ id }, requestId, body) =>
      port.tell({ type: 'rules-answered', machineId: id, requestId, body }),
  };
};

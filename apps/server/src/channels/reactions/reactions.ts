import { channelRuleLimits } from '@drawbridge/contracts/outside/channel-rules';
import { createPerMinute, type Clock } from '@drawbridge/kit';
import { PlatformError, type Address, type ChannelAdapter } from '../adapter.ts';
import type { ChannelKind } from '@drawbridge/contracts/outside/channel-platforms';
import { matchRules, outcomeOf, type Outcome, type RuleEvent } from './match-rules.ts';
import type { ReactionCounts } from './reaction-counts.ts';
import type { RulesStore } from './rules.store.ts';

interface Needs {
  clock: Clock;
  store: Pick<RulesStore, 'ofUser'>;
  counts: ReactionCounts;
  /** Null while the channel is off. */
  adapterOf(kind: ChannelKind): ChannelAdapter | null;
  log: { info(facts: object, sentence: string): void };
  onError(error: unknown): void;
  signal: AbortSignal;
}

/** A message on a platform. */
interface Reacted {
  kind: ChannelKind;
  messageId: string;
  address: Address;
}

/** What the rules of a sender's account do with what the sender writes. */
export const createReactions = ({ clock, store, counts, adapterOf, log, onError, signal }: Needs) => {
  const effects = createPerMinute({ clock, max: channelRuleLimits.effectsPerMinute });

  /** Once, and not after a crash: it says nothing that the answer does not. */
  const react = ({ kind, messageId, address }: Reacted, emoji: string): void => {
    const sent = adapterOf(kind)?.react?.(messageId, emoji, { address, signal });
    sent?.catch((error: unknown) => {
      if (signal.aborted) return;
      if (error instanceof PlatformError)
        log.info({ kind, problem: error.message }, 'an emoji of a channel was not sent');
      else onError(error);
    });
  };

  return {
    /** `mayRun`: whether the sender may start one more run. */
    decide: async (userId: string, event: RuleEvent, mayRun: () => boolean): Promise<Outcome> => {
      const rules = await store.ofUser(userId);
      const outcome = outcomeOf(matchRules(rules, event), {
        kind: event.kind,
        take: (effect) => effects.use(userId) === null && (effect === 'react' || mayRun()),
      });
      return rules.some(({ isOn }) => isOn) ? outcome : { ...outcome, skip: 'no_rules' };
    },
    /** Once the update is stored. `message`: null where the platform names none. */
    done: (userId: string, { skip, react: emoji }: Outcome, message: Reacted | null): void => {
      counts.add(userId, skip);
      if (emoji !== null && message !== null) react(message, emoji);
    },
    noteUnpaired: (): void => counts.add(null, 'not_paired'),
  };
};

export type Reactions = ReturnType<typeof createReactions>;

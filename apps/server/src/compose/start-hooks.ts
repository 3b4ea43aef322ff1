import type { Agent } from '@drawbridge/agent';
import { createSealer } from '../secrets/index.ts';
import { createHooks, createHooksStore, type Hooks } from '../hooks/index.ts';
import type { AppNeeds, OpenAccounts } from './open-accounts.ts';

interface Parts extends Pick<AppNeeds, 'clock'> {
  opened: OpenAccounts;
  /** Null where `DISABLED_MODULES` names it. */
  agent: Agent | null;
}

/** The webhooks that other programs post to. */
export const startHooks = ({ clock, opened, agent }: Parts): Hooks => {
  const { accounts, store, secret, scrubber } = opened;
  return createHooks({
    store: createHooksStore(store.db),
    clock,
    agent,
    sealer: createSealer(secret),
    isUser: accounts.isEnabled,
    hide: scrubber.hide,
  });
};

import type { Agent } from '@drawbridge/agent';
import { createSessions, createSessionsStore } from '../agent/index.ts';
import { createChannels, type Channels } from '../channels/index.ts';
import type { Gateway } from '../gateway/index.ts';
import { createHooks, createHooksStore, type Hooks } from '../hooks/index.ts';
import { createSealer } from '../secrets/index.ts';
import type { SpeechService, Transcribe } from '../voice/index.ts';
import type { AppNeeds, OpenAccounts } from './open-accounts.ts';
import type { Others } from './servers/connect-servers.ts';

interface Parts extends Pick<AppNeeds, 'config' | 'clock'> {
  opened: OpenAccounts;
  gateway: Gateway;
  others: Pick<Others, 'server'>;
  transcribe: Transcribe;
  speech: SpeechService;
  /** Null where `DISABLED_MODULES` names it. */
  agent: Agent | null;
}

/**
 * From where messages come to the agent: webhooks that programs post to, and chat platforms, which connect
 * once they are started.
 */
export const openInbound = (parts: Parts): { hooks: Hooks; channels: Channels } => {
  const { config, clock, opened, gateway, others, transcribe, speech, agent } = parts;
  const { accounts, address, log, onError, scrubber, secret, store } = opened;
  const shared = {
    clock,
    agent,
    sealer: createSealer(secret),
    isUser: accounts.isEnabled,
    hide: scrubber.hide,
  };
  const channels = createChannels({
    ...shared,
    transcribe,
    speech,
    store,
    environment: config,
    secret,
    sessions: createSessions({ store: createSessionsStore(store), clock }),
    consents: { tickets: opened.consentTickets, keyOfCookie: accounts.keyOfCookie },
    readers: { gateway, onError },
    // Loaded with the first mail of a server.
    readHtml: async (html) => (await import('../agent/web/read-plain-text.ts')).readPlainText(html).markdown,
    hasOthers: others.server !== null,
    url: address.url,
    log,
    onError,
  });
  return { hooks: createHooks({ ...shared, store: createHooksStore(store.db) }), channels };
};

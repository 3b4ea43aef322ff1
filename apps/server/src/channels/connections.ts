import {
  channelKinds,
  platformOf,
  type ChannelKind,
  type ChannelMode,
} from '@drawbridge/contracts/outside/channel-platforms';
import { type ChannelState } from '@drawbridge/contracts/outside/channels';
import type { Clock } from '@drawbridge/kit';
import type { AccountsStore } from './accounts.store.ts';
import type { Account } from './accounts.ts';
import type { BotIdentity, ChannelAdapter, Fields, PlatformPost } from './adapter.ts';
import { createCursor, pollMessages } from './inbound/poll.ts';
import { createAcceptOne } from './inbound/accept-one.ts';
import { createReceive, createWait, keepWebhook, webhookSecretOf } from './inbound/webhook.ts';
import type { Accept } from './inbound/accept.ts';
import type { InboundNeeds } from './inbound/keep-connected.ts';
import type { MessagesStore } from './turns/messages.store.ts';

interface AdapterNeeds {
  clock: Clock;
  /** The address of the platform; empty where it is one of the fields. */
  url: string;
  fields: Fields;
  /** The address of the panel. */
  ownUrl: string;
  /** Of Microsoft Teams: where the app's token may go. */
  services: readonly string[];
  /** The visible text of HTML. */
  readHtml(html: string): Promise<string>;
}

/** Loaded where a bot is used: a server without one starts without its parts. */
const adapters: Record<ChannelKind, (needs: AdapterNeeds) => Promise<ChannelAdapter>> = {
  telegram: async (needs) => (await import('./telegram/telegram.ts')).createTelegram(needs),
  'google-chat': async (needs) => (await import('./google-chat/google-chat.ts')).createGoogleChat(needs),
  teams: async (needs) => (await import('./teams/teams.ts')).createTeams(needs),
  gmail: async (needs) => (await import('./gmail/gmail.ts')).createGmail(needs),
  bluebubbles: async (needs) => (await import('./bluebubbles/bluebubbles.ts')).createBlueBubbles(needs),
};

export const openAdapter = (kind: ChannelKind, needs: AdapterNeeds): Promise<ChannelAdapter> =>
  adapters[kind](needs);

/** A bot that is connected, or tries to be. */
interface Connection {
  adapter: ChannelAdapter;
  /** Null where the platform is asked for messages. */
  receive: ((post: PlatformPost) => Promise<void>) | null;
  end(): Promise<void>;
  state: ChannelState;
  problem: string | null;
  identity: BotIdentity | null;
}

interface Needs {
  clock: Clock;
  account(kind: ChannelKind): Promise<Account>;
  services: readonly string[];
  readHtml(html: string): Promise<string>;
  store: AccountsStore;
  messages: MessagesStore;
  accept(kind: ChannelKind): Accept;
  /** Other servers have the store: then no server receives messages. */
  hasOthers: boolean;
  onConnected(): void;
  /** The server's own. */
  secret: string;
  /** The address of the panel. */
  url(): string;
  /** Masks a secret in the log. */
  hide(secret: string): void;
  log: { info(facts: object, sentence: string): void };
  onError(error: unknown): void;
  signal: AbortSignal;
}

/** The bots that are on, one of each platform. */
export const createConnections = (needs: Needs) => {
  const { clock, account, services, store, messages, accept, hasOthers, onConnected, log, onError, signal } =
    needs;
  const open = new Map<ChannelKind, Connection>();

  /** By posts of the platform, or by asking it. */
  const receiveFrom = (
    one: Connection,
    inbound: InboundNeeds,
    { mode, fields }: { mode: ChannelMode; fields: Fields },
  ): Promise<void> => {
    if (mode === 'poll') return pollMessages(inbound);
    const { kind } = inbound;
    const secret = webhookSecretOf(needs.secret, kind, fields);
    needs.hide(secret);
    const target = { url: needs.url() + platformOf(kind).webhookPath, secret };
    const webhook = { ...inbound, target, wait: createWait(clock) };
    one.receive = createReceive(webhook);
    return keepWebhook(webhook);
  };

  const connect = async (kind: ChannelKind): Promise<void> => {
    const { isOn, fields, url, mode } = await account(kind);
    if (!isOn || fields === null || hasOthers || signal.aborted) return;
    const adapter = await openAdapter(kind, {
      clock,
      url,
      fields,
      ownUrl: needs.url(),
      services,
      readHtml: needs.readHtml,
    });
    const ending = new AbortController();
    const one: Connection = {
      adapter,
      receive: null,
      end: async () => {},
      state: 'starting',
      problem: null,
      identity: null,
    };
    const inbound: InboundNeeds = {
      kind,
      clock,
      adapter,
      messages,
      cursor: createCursor({ kind, clock, accounts: store }),
      acceptOne: createAcceptOne({ kind, clock, accounts: store, messages, accept: accept(kind), onError }),
      onIdentity: (identity: BotIdentity) => {
        one.identity = identity;
        onConnected();
      },
      onState: (state: ChannelState, problem: string | null) => {
        if (one.state !== state) log.info({ kind, state, problem }, 'the state of a channel has changed');
        Object.assign(one, { state, problem });
      },
      onError,
      signal: AbortSignal.any([ending.signal, signal]),
    };
    const ended = receiveFrom(one, inbound, { mode, fields }).catch(onError);
    one.end = () => {
      ending.abort();
      return ended;
    };
    open.set(kind, one);
  };

  const disconnect = async (kind: ChannelKind): Promise<void> => {
    await open.get(kind)?.end();
    open.delete(kind);
  };

  return {
    connect,
    disconnect,
    connectAll: () => Promise.all(channelKinds.map(connect)),
    disconnectAll: () => Promise.all(channelKinds.map(disconnect)),
    get: (kind: ChannelKind): Readonly<Connection> | undefined => open.get(kind),
    /** Null while the channel is off or its key is refused. */
    adapterOf: (kind: ChannelKind): ChannelAdapter | null => {
      const one = open.get(kind);
      return one === undefined || one.state === 'key' ? null : one.adapter;
    },
  };
};

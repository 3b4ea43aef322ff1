import type { Agent } from '@drawbridge/agent';
import { channelKinds, platformOf, type ChannelKind } from '@drawbridge/contracts/outside/channel-platforms';
import {
  channelLimits,
  type Channel,
  type ConfigureChannelInput,
} from '@drawbridge/contracts/outside/channels';
import type { Clock } from '@drawbridge/kit';
import type { Tickets } from '../auth/index.ts';
import type { Store } from '../db/index.ts';
import { errors } from '../errors.ts';
import type { ReaderContext } from '../readers/index.ts';
import type { Sealer } from '../secrets/index.ts';
import type { SpeechService, Transcribe } from '../voice/index.ts';
import { createAccounts } from './accounts.ts';
import { createAccountsStore } from './accounts.store.ts';
import { createConsent } from './consent.ts';
import { PlatformError, type PlatformPost } from './adapter.ts';
import type { ChannelsEnvironment } from './config-schema.ts';
import { createCounts, type ChannelCounts } from './counts.ts';
import { createConnections, openAdapter } from './connections.ts';
import { createGroups } from './groups/groups.ts';
import { createGroupsStore } from './groups/groups.store.ts';
import { createAccept } from './inbound/accept.ts';
import { createDelivery } from './outbox/deliver.ts';
import { createPresses } from './questions/presses.ts';
import { createQuestions } from './questions/questions.ts';
import { createQuestionsStore } from './questions/questions.store.ts';
import { createReactionCounts } from './reactions/reaction-counts.ts';
import { createReactions } from './reactions/reactions.ts';
import { createRules } from './reactions/rules.ts';
import { createRulesStore } from './reactions/rules.store.ts';
import { createCodes } from './senders/codes.ts';
import { createSenders } from './senders/senders.ts';
import { createSendersStore } from './senders/senders.store.ts';
import { sessionOf } from './turns/lane-sender.ts';
import { createMessagesStore, type ConversationKey } from './turns/messages.store.ts';
import type { ChannelSessions } from './turns/lane-sender.ts';
import { createTurns } from './turns/turns.ts';

interface Needs {
  store: Store;
  clock: Clock;
  environment: ChannelsEnvironment;
  secret: string;
  sealer: Sealer;
  /** Null where the agent is switched off. */
  agent: Agent | null;
  transcribe: Transcribe;
  speech: SpeechService;
  sessions: ChannelSessions;
  /** For the owner's way to a page of consent, and back. */
  consents: { tickets: Tickets; keyOfCookie(cookie: string | undefined): Promise<string | null> };
  readers: Omit<ReaderContext, 'agent'>;
  /** The visible text of HTML. */
  readHtml(html: string): Promise<string>;
  /** Other servers have the store: then no server receives messages. */
  hasOthers: boolean;
  url(): string;
  isUser(userId: string): Promise<boolean>;
  hide(secret: string): void;
  log: { info(facts: object, sentence: string): void; warn(sentence: string): void };
  onError(error: unknown): void;
}

const withOthers = 'Channels are not offered with several servers yet.';
/** Shown of a secret. */
const endLength = 4;
const iso = (at: number) => new Date(at).toISOString();

/** Ends what runs for an account in a conversation, also what is being given to the agent now. */
const createStop =
  ({ agent, sessions, onError }: Needs, given: (conversation: ConversationKey) => Promise<void>) =>
  (userId: string, conversation: ConversationKey): void => {
    const cancel = async () => {
      const session = await sessions.find({ userId, principal: 'person' }, sessionOf(conversation));
      if (session) await agent?.lanes.cancel(userId, session.threadId, {});
    };
    const stop = async () => {
      await cancel();
      await given(conversation);
      await cancel();
    };
    stop().catch(onError);
  };

/** Rules for what senders write, and what they have done. */
const createRuled = (
  needs: Needs,
  to: Pick<Parameters<typeof createReactions>[0], 'adapterOf' | 'signal'>,
) => {
  const store = createRulesStore(needs.store);
  const counts = createReactionCounts();
  return {
    rules: createRules({ ...needs, store }),
    reactions: createReactions({ ...needs, ...to, store, counts }),
    /** Since the server started; `userId`: null for all. */
    numbers: counts.of,
    removeUser: async (userId: string): Promise<void> => {
      await store.removeUser(userId);
      counts.forget(userId);
    },
  };
};

/** The stores of channels, and what reads and writes them. */
const createParts = (needs: Needs & { counts: ChannelCounts }, signal: AbortSignal) => {
  const { store, clock, readers, log, isUser, onError } = needs;
  const accountsStore = createAccountsStore(store);
  const senders = createSendersStore(store);
  const messages = createMessagesStore(store);
  const accounts = createAccounts({ ...needs, store: accountsStore });
  const codes = createCodes({
    ...needs,
    store: senders,
    link: (kind, code) => connections.get(kind)?.identity?.link(code) ?? null,
    warn: (sentence) => log.warn(sentence),
  });
  const groupsStore = createGroupsStore(store);
  const stop = createStop(needs, (conversation) => turns.given(conversation));
  const groups = createGroups({ store: groupsStore, messages, stop, log });
  const stopGroups = groups.stopAll;
  const ofUsers = createSenders({ store: senders, messages, stop, stopGroups, log, onError });
  const stores = { senders, messages, groups: groupsStore };

  const adapterOf = (kind: ChannelKind) => connections.adapterOf(kind);
  const ruled = createRuled(needs, { adapterOf, signal });
  const questionsStore = createQuestionsStore(store);
  const questions = createQuestions({
    ...needs,
    messages,
    senders,
    questions: questionsStore,
    confirmation: readers.gateway.confirmations.get,
    mostAnswers: async (kind) => (await accounts.get(kind)).answers,
    onReply: (conversation) => delivery.wake(conversation),
    signal,
  });
  const { buttonsOf } = questions;
  const delivery = createDelivery({ ...needs, messages, adapterOf, buttonsOf, signal });
  const turns = createTurns({
    ...needs,
    ...stores,
    questions,
    adapterOf,
    onUnpaired: ofUsers.onUnpaired,
    onReply: delivery.wake,
    signal,
  });
  const connections = createConnections({
    ...needs,
    account: accounts.get,
    services: needs.environment.teamsServices,
    store: accountsStore,
    messages,
    accept: (kind) =>
      createAccept({
        kind,
        clock,
        accounts: accountsStore,
        counts: needs.counts,
        reactions: ruled.reactions,
        ...stores,
        codes,
        isUser,
        presses: createPresses({ kind, clock, questions: questionsStore, senders, log }),
        onPress: questions.settle,
        acknowledge: (press, text) =>
          void adapterOf(kind)
            ?.buttons?.acknowledge(press.id, text, signal)
            .catch(() => undefined),
        onError,
        onMessage: turns.wake,
        onReply: delivery.wake,
        onPaired: (sender) => log.info({ kind, ...sender }, 'a sender of a channel was paired'),
      }),
    onConnected: () => void delivery.wakeAll().catch(onError),
    signal,
  });
  const ofPlatforms = { accounts, questions, delivery, turns, connections };
  return { ...ofPlatforms, ofUsers, groups, messages, codes, ruled };
};

type Parts = ReturnType<typeof createParts>;

const createView =
  ({ accounts, messages, connections }: Parts, { hasOthers, url }: Pick<Needs, 'hasOthers' | 'url'>) =>
  async (kind: ChannelKind, isOwner: boolean): Promise<Channel> => {
    const { isOn, given, fields, isFromEnvironment, mode, answers } = await accounts.get(kind);
    const { secrets, webhookPath, consent } = platformOf(kind);
    const { lastMessageAt, waiting } = await messages.facts(kind);
    const one = connections.get(kind);
    return {
      kind,
      isOn,
      mode,
      answers,
      state: one?.state ?? 'off',
      problem: hasOthers && isOn ? withOthers : (one?.problem ?? null),
      name: one?.identity?.name ?? null,
      link: one?.identity?.link() ?? null,
      isSet: fields !== null,
      fields: isOwner
        ? Object.fromEntries(
            Object.entries(given).map(([name, text]) => [
              name,
              secrets.includes(name) ? text.slice(-endLength) : text,
            ]),
          )
        : {},
      webhookUrl: isOwner ? url() + webhookPath : null,
      consentUrl: isOwner && consent !== null ? url() + consent.path : null,
      isFromEnvironment,
      lastMessageAt: lastMessageAt === null ? null : iso(lastMessageAt),
      waiting,
    };
  };

const createNumbers = (view: ReturnType<typeof createView>, counts: ChannelCounts) => async () => {
  const all = await Promise.all(channelKinds.map((kind) => view(kind, false)));
  return all
    .filter(({ isOn }) => isOn)
    .map(({ kind, state, waiting }) => ({ kind, isUp: state === 'working', waiting, ...counts.of(kind) }));
};

const createReceive =
  (connections: Parts['connections']) =>
  async (kind: ChannelKind, post: PlatformPost): Promise<void> => {
    const receive = connections.get(kind)?.receive;
    if (!receive)
      throw errors.notAvailable({
        message: 'This platform does not post to this server',
        fix: 'Set the channel to a webhook in Settings > Channels.',
      });
    await receive(post);
  };

/** Chat platforms from which people talk to the agent. */
export const createChannels = (needs: Needs) => {
  const { clock } = needs;
  const closing = new AbortController();
  const counts = createCounts();
  const parts = createParts({ ...needs, counts }, closing.signal);
  const { accounts, ofUsers, groups, messages, codes, ruled } = parts;
  const { questions, delivery, turns, connections } = parts;
  const view = createView(parts, needs);
  const reconnect = async (kind: ChannelKind): Promise<void> => {
    await connections.disconnect(kind);
    await connections.connect(kind);
  };

  return {
    list: (isOwner: boolean): Promise<Channel[]> =>
      Promise.all(channelKinds.map((kind) => view(kind, isOwner))),
    /** For the owner. Throws `badRequest`. */
    configure: async (input: ConfigureChannelInput): Promise<void> => {
      await accounts.set(input);
      await reconnect(input.kind);
    },
    consent: createConsent({ ...needs, ...needs.consents, accounts, reconnect, signal: closing.signal }),
    /** A post of a platform. Throws `notAvailable` where none is expected, `unauthorized`. */
    receive: createReceive(connections),
    /** Asks the platform for the bot's name. Throws `badRequest` with what it answered instead. */
    test: async (kind: ChannelKind): Promise<{ name: string }> => {
      const { fields, url } = await accounts.get(kind);
      if (fields === null) throw errors.badRequest({ message: 'The channel is not set up yet' });
      const adapter = await openAdapter(kind, {
        clock,
        url,
        fields,
        ownUrl: needs.url(),
        services: needs.environment.teamsServices,
        readHtml: needs.readHtml,
      });
      try {
        return { name: (await adapter.identify(closing.signal)).name };
      } catch (error) {
        if (error instanceof PlatformError) throw errors.badRequest({ message: error.message });
        throw error;
      }
    },
    /** Of the channels that are on. `isUp`: it receives messages. */
    numbers: createNumbers(view, counts),
    codes: { list: codes.list, create: codes.create, remove: codes.remove },
    senders: ofUsers,
    groups,
    rules: ruled.rules,
    /** What rules have done for a user since the server started, or with null for all. */
    reactions: ruled.numbers,
    removeUser: async (userId: string): Promise<void> => {
      await ruled.removeUser(userId);
      await ofUsers.removeUser(userId);
      await groups.removeUser(userId);
    },
    /** Connects the bots that are on, and goes on with what an earlier run left. */
    start: async (): Promise<void> => {
      await connections.connectAll();
      await turns.start();
      await questions.start();
    },
    forgetOld: async (): Promise<void> => {
      const before = clock.now() - channelLimits.keptMs;
      await questions.forget(before);
      await messages.forget(before);
    },
    /** Leaves what waits in the store. */
    stop: async (): Promise<void> => {
      closing.abort(new Error('The server stops'));
      await connections.disconnectAll();
      await Promise.all([turns.stop(), turns.settled(), questions.settled(), delivery.settled()]);
    },
  };
};

export type Channels = ReturnType<typeof createChannels>;

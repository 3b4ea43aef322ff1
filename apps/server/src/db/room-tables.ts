import type { ChannelAnswerLevel } from '@drawbridge/contracts/outside/channels';
import type { NotifyTime } from '@drawbridge/contracts/outside/notifications';

/** The tables of the rooms beside the gateway and the agent's core. */
export interface RoomTables {
  /** What all servers of the store share. */
  meta: {
    key: string;
    value: string;
  };
  /** The settings of the agent: one row a scope that has changed them. */
  agentSettings: {
    /** `all` for the owner's, `user:<id>` for a user's own. */
    scope: string;
    /** JSON. */
    values: string;
    /** Keys by their name, as JSON, each encrypted. */
    sealedKeys: string;
    updatedAt: number;
  };
  /** An address that programs post to. */
  hooks: {
    id: string;
    userId: string;
    name: string;
    threadId: string;
    /** Tool groups, as JSON. */
    groups: string;
    /** Encrypted. */
    secret: string;
    createdAt: number;
    lastUsedAt: number | null;
  };
  /** The bot of a chat platform. */
  channelAccounts: {
    kind: string;
    isOn: number;
    /** Encrypted; null for one of the environment, and without one. */
    sealedKey: string | null;
    /** Null: as in the environment. */
    mode: string | null;
    /** The most that its senders may answer. */
    answers: string;
    /** What the platform is asked for next. */
    cursor: string | null;
    cursorAt: number | null;
    updatedAt: number;
  };
  /** A code that binds a sender to an account, by its digest. */
  channelCodes: {
    digest: string;
    id: string;
    kind: string;
    userId: string;
    /** Encrypted. */
    sealedCode: string;
    /** Tool groups, as JSON. */
    groups: string;
    usesMemory: number;
    expiresAt: number;
  };
  /** A person on a platform who writes for an account. */
  channelSenders: {
    kind: string;
    senderId: string;
    userId: string;
    name: string;
    groups: string;
    usesMemory: number;
    /** Which questions they may answer. */
    answers: string;
    /** When their answers are read out. */
    speak: string;
    pairedAt: number;
    lastSeenAt: number;
    /** Of their own chat with the bot, as JSON; null until they have written there. */
    address: string | null;
  };
  /** A group in which the bot answers the senders of an account, once that account has turned it on. */
  channelGroups: {
    kind: string;
    conversation: string;
    userId: string;
    title: string;
    isOn: number;
    /** Which tools of machines may be used in it, as JSON. */
    groups: string;
    seenAt: number;
  };
  /** What an account wants done with what its senders write. */
  channelRules: {
    id: string;
    userId: string;
    /** Its place among the rules of the account. */
    position: number;
    isOn: number;
    /** What it is for, and what it does, as JSON. */
    condition: string;
    effect: string;
  };
  /** What a sender wrote. */
  channelMessages: {
    kind: string;
    updateId: string;
    conversation: string;
    senderId: string;
    userId: string;
    /** Where the platform takes the answer, as JSON. */
    address: string;
    text: string;
    /** What the adapter downloads its files by, as JSON; null without one. */
    files: string | null;
    /** 1: a voice message was in it. */
    isSpoken: number;
    sentAt: number;
    receivedAt: number;
    state: 'accepted' | 'answered';
  };
  /** One message to a conversation of a platform, as markdown. */
  channelReplies: {
    id: string;
    kind: string;
    conversation: string;
    /** Empty for a sender who is not paired. */
    senderId: string;
    address: string;
    text: string;
    state: 'waiting' | 'sending' | 'sent' | 'failed';
    createdAt: number;
    part: number;
    problem: string | null;
    /** The platform's id, and when it was given; null until it is sent. */
    messageId: string | null;
    sentAt: number | null;
    /** The reply whose message gets this text; null for a new message. */
    edits: string | null;
    /** A file of a chat that is sent, as JSON; the text instead where the platform does not take it. */
    file: string | null;
    /** 1: the text is read out, and sent as a voice message alone. */
    isSpoken: number;
  };
  /** A question that a reply of the same id shows with buttons. */
  channelQuestions: {
    id: string;
    kind: string;
    conversation: string;
    senderId: string;
    userId: string;
    /** Its name for the agent. */
    askId: string;
    /** Null for a question of the agent itself. */
    confirmationId: string | null;
    /** Of its text. */
    digest: string;
    tokenDigest: string;
    /** Encrypted. */
    sealedToken: string;
    /** Which buttons it has, as JSON. */
    offers: string;
    expiresAt: number | null;
    createdAt: number;
    /** `pressed`: the answer waits for the agent. */
    state: 'open' | 'pressed' | 'closed';
    answer: string | null;
  };
  /** A browser that gets notifications while the session that subscribed it lasts. */
  pushSubscriptions: {
    userId: string;
    endpoint: string;
    p256dh: string;
    auth: string;
    /** The token of that session. */
    session: string;
    createdAt: number;
    /** Which questions its notifications answer. */
    answers: ChannelAnswerLevel;
  };
  /** A question that a notification shows with buttons. */
  pushAnswers: {
    tokenDigest: string;
    userId: string;
    endpoint: string;
    session: string;
    askId: string;
    /** Null for a question of the agent itself. */
    confirmationId: string | null;
    /** Of its text. */
    digest: string;
    /** As JSON. */
    offers: string;
    sentAt: number;
    expiresAt: number;
    usedAt: number | null;
  };
  /** One row for each person who has changed them. */
  notificationSettings: {
    userId: string;
    when: NotifyTime;
    webhookUrl: string | null;
    /** Encrypted. */
    webhookSecret: string | null;
    /** 1: a long run that ends is sent out too. */
    runEnds: number;
    updatedAt: number;
  };
  /** A ticket that was not used yet; or the use of a consent page, which answers once. */
  rpcTickets: {
    digest: string;
    /** The session that it was made for; empty for a use. */
    sessionToken: string;
    expiresAt: number;
  };
  /** The name of a thread at the JSON-RPC door. */
  rpcSessions: {
    userId: string;
    /** `person`, or the token whose namespace it is: `token:<id>`. */
    principal: string;
    sessionId: string;
    threadId: string;
    createdAt: number;
  };
  /** Settings that were changed while the server ran: one row. */
  runtimeSettings: {
    id: string;
    /** JSON. */
    values: string;
    revision: number;
    updatedAt: number;
  };
  /** A companion, for a day after its connection was closed. */
  companions: {
    userId: string;
    /** JSON of the principal and the node. */
    key: string;
    nodeId: string;
    /** The server and the connection that it has; null for one that is away. */
    serverId: string | null;
    connectionId: string | null;
    /** Capabilities, as JSON. */
    declared: string;
    since: number;
    /** When it registered, reported, or went away. */
    at: number;
    /** JSON. */
    status: string | null;
    /** Encrypted. */
    sealedLocation: string | null;
  };
  /** What one of several servers has seen of a sender. */
  presence: {
    serverId: string;
    userId: string;
    channel: string;
    senderId: string;
    senderName: string;
    firstSeenAt: number;
    lastSeenAt: number;
    messageCount: number;
    /** Its open connections. */
    open: number;
  };
  /** The push token of a companion, encrypted. */
  nodePushTokens: {
    userId: string;
    nodeId: string;
    provider: string;
    sealed: string;
    /** Its last four characters. */
    preview: string;
    updatedAt: number;
  };
}

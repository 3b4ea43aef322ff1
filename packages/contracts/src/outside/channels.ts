import { z } from 'zod';
import { toolScope } from '../groups.ts';
import { isoTime } from '../ids.ts';

/** Chat platforms from which people talk to the agent. */
export const channelKinds = ['telegram', 'bluebubbles', 'google-chat', 'teams', 'gmail'] as const;
export const channelKind = z.enum(channelKinds);
export type ChannelKind = z.infer<typeof channelKind>;

const minute = 60_000;
const hour = 60 * minute;

/** Times in milliseconds. */
export const channelLimits = {
  codeMs: 5 * minute,
  openCodesPerUser: 5,
  sendersPerUser: 20,
  groupsPerUser: 20,
  /** Wrong codes in an hour, after which a sender is ignored, and after which all open codes end. */
  wrongCodesOfSender: 5,
  wrongCodesOfChannel: 20,
  wrongCodesMs: hour,
  /** An unknown sender gets one sentence in this time, and all of a channel so many in an hour. */
  hintMs: 24 * hour,
  hintsPerHour: 20,
  messagesPerMinute: 20,
  messagesPerDay: 500,
  /** Accepted messages of a channel without an answer. */
  waiting: 1_000,
  textLength: 100_000,
  /** Of a post by a platform. */
  bodyBytes: 256 * 1024,
  /** An older message is not run. */
  oldMs: 12 * hour,
  replyParts: 10,
  /** Tries of one reply, and for how long. */
  tries: 8,
  triesMs: 15 * minute,
  /** How long answered messages and sent replies are kept. */
  keptMs: 7 * 24 * hour,
  /** A question with buttons: for how long, how soon after it was shown, and its size in characters. */
  buttonsMs: 10 * minute,
  readMs: 500,
  questionLength: 3_000,
  questionResources: 10,
  /** Buttons that are not theirs, pressed in an hour, after which a sender answers no questions. */
  wrongPresses: 3,
  wrongPressesMs: hour,
} as const;

/**
 * `key`: the platform refuses the key. `conflict`: another program receives the messages of this bot.
 * `unreachable`: the platform does not answer; it is tried again.
 */
export const channelStates = ['off', 'starting', 'working', 'key', 'conflict', 'unreachable'] as const;
export type ChannelState = (typeof channelStates)[number];

/** `poll`: this server asks the platform for messages. `webhook`: the platform posts them to this server. */
export const channelModes = ['poll', 'webhook'] as const;
export const channelMode = z.enum(channelModes);
export type ChannelMode = z.infer<typeof channelMode>;

/** The key of a bot of Telegram. */
export const telegramToken = z
  .string()
  .trim()
  .regex(/^\d{3,20}:[A-Za-z0-9_-]{30,100}$/, 'must be the token that BotFather shows, such as 123456:ABC…');

/** The address and the password of a BlueBubbles server. */
export const blueBubblesUrl = z
  .string()
  .trim()
  .max(2_048)
  .pipe(z.url({ protocol: /^https?$/, error: 'must be an address such as http://192.168.1.10:1234' }));
export const blueBubblesPassword = z.string().trim().min(1).max(200);

/** The key of a service account of Google, as its JSON; a subscription; the number of a project. */
export const googleKey = z
  .string()
  .trim()
  .max(16_384)
  .regex(/^\{[^]*"private_key"[^]*\}$/, 'must be the JSON of the key of a service account');
export const googleSubscription = z
  .string()
  .trim()
  .regex(/^projects\/[\w.:-]{1,100}\/subscriptions\/[\w.~+%-]{3,255}$/, 'must be projects/…/subscriptions/…');
export const googleProject = z
  .string()
  .trim()
  .regex(/^\d{1,20}$/, 'must be the number of a project');

/** The ids of an app and of a tenant in Microsoft Entra, and the value of a client secret. */
export const entraId = z
  .string()
  .trim()
  .toLowerCase()
  .regex(
    /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/,
    'must be an id such as 11111111-2222-3333-4444-555555555555',
  );
export const entraSecret = z.string().trim().min(8).max(200);

export const googleTopic = z
  .string()
  .trim()
  .regex(/^projects\/[\w.:-]{1,100}\/topics\/[\w.~+%-]{3,255}$/, 'must be projects/…/topics/…');
export const googleAccount = z.string().trim().toLowerCase().max(200).pipe(z.email());

/** The id and the secret of an OAuth client of Google, and a refresh token for a mailbox. */
export const gmailClientId = z
  .string()
  .trim()
  .regex(
    /^[\w-]{1,100}\.apps\.googleusercontent\.com$/,
    'must be the id of an OAuth client, such as 123-abc.apps.googleusercontent.com',
  );
export const gmailSecret = z
  .string()
  .trim()
  .regex(/^\S{8,512}$/, 'must be copied whole, without blanks');

interface Platform {
  /** Where it posts to. */
  webhookPath: string;
  /** How its messages may arrive; the first one is usual. */
  modes: readonly [ChannelMode, ...ChannelMode[]];
  /** Whether a question can have buttons there. */
  hasButtons: boolean;
  /** Whether an answer can be a voice message there. */
  hasVoice: boolean;
  /** Whether a message in a group can name the bot there. */
  hasGroups: boolean;
  /** Whether people who are not paired get a sentence: not where strangers write by mistake. */
  hasHints: boolean;
  /** Messages of a sender that are answered in an hour; null: as many as all platforms allow. */
  messagesPerHour: number | null;
  /** What the owner enters: texts. */
  fields: z.ZodObject<Record<string, z.ZodType<string | undefined>>>;
  /** Fields without which messages cannot arrive in one of the ways. */
  needs: Partial<Record<ChannelMode, readonly string[]>>;
  /** The fields that are never shown again. */
  secrets: readonly string[];
}

export const platforms = {
  telegram: {
    webhookPath: '/telegram/events',
    modes: ['poll', 'webhook'],
    hasButtons: true,
    hasVoice: true,
    hasGroups: true,
    hasHints: true,
    messagesPerHour: null,
    fields: z.strictObject({ token: telegramToken }),
    needs: {},
    secrets: ['token'],
  },
  bluebubbles: {
    webhookPath: '/bluebubbles/events',
    modes: ['poll', 'webhook'],
    hasButtons: false,
    hasVoice: true,
    hasGroups: false,
    hasHints: false,
    messagesPerHour: null,
    fields: z.strictObject({ url: blueBubblesUrl, password: blueBubblesPassword }),
    needs: {},
    secrets: ['password'],
  },
  'google-chat': {
    webhookPath: '/google-chat/events',
    modes: ['poll', 'webhook'],
    hasButtons: true,
    hasVoice: false,
    hasGroups: true,
    hasHints: true,
    messagesPerHour: null,
    fields: z.strictObject({
      key: googleKey,
      subscription: googleSubscription.optional(),
      project: googleProject.optional(),
    }),
    needs: { poll: ['subscription'] },
    secrets: ['key'],
  },
  teams: {
    webhookPath: '/teams/events',
    modes: ['webhook'],
    hasButtons: true,
    hasVoice: false,
    hasGroups: true,
    hasHints: true,
    messagesPerHour: null,
    fields: z.strictObject({ appId: entraId, secret: entraSecret, tenant: entraId }),
    needs: {},
    secrets: ['secret'],
  },
  gmail: {
    webhookPath: '/gmail/push',
    modes: ['poll', 'webhook'],
    hasButtons: false,
    hasVoice: false,
    hasGroups: false,
    hasHints: false,
    messagesPerHour: 10,
    fields: z.strictObject({
      clientId: gmailClientId,
      clientSecret: gmailSecret,
      refreshToken: gmailSecret,
      topic: googleTopic.optional(),
      subscription: googleSubscription.optional(),
      pushAccount: googleAccount.optional(),
    }),
    needs: { webhook: ['topic', 'subscription', 'pushAccount'] },
    secrets: ['clientSecret', 'refreshToken'],
  },
} as const satisfies Record<ChannelKind, Platform>;

export const platformOf = (kind: ChannelKind): Platform => platforms[kind];

/** How questions may be answered in a chat, from the least to the most. */
export const channelAnswerLevels = ['off', 'deny', 'once'] as const;
export const channelAnswerLevel = z.enum(channelAnswerLevels);
export type ChannelAnswerLevel = z.infer<typeof channelAnswerLevel>;

/** When answers are read out as well. `voice`: where the message was one. */
export const channelSpeakModes = ['voice', 'always', 'never'] as const;
export const channelSpeak = z.enum(channelSpeakModes);
export type ChannelSpeak = z.infer<typeof channelSpeak>;

/** The options of the agent's own question; a card of Teams shows six buttons. */
export const channelOptions = ['1', '2', '3', '4', '5', '6'] as const;
/** What a button answers: this call, this time; or an option by its number. */
export const channelAnswer = z.enum(['allow', 'deny', ...channelOptions]);
export type ChannelAnswer = z.infer<typeof channelAnswer>;

export const channel = z.object({
  kind: channelKind,
  isOn: z.boolean(),
  mode: channelMode,
  /** The most that its senders may answer. */
  answers: channelAnswerLevel,
  state: z.enum(channelStates),
  /** In words, with what to do; null while it works. */
  problem: z.string().nullable(),
  /** The bot's name on the platform, and its address there. */
  name: z.string().nullable(),
  link: z.url().nullable(),
  /** Whether it has all that it needs. */
  isSet: z.boolean(),
  /** What was entered, and of secrets the last characters. For the owner alone. */
  fields: z.record(z.string(), z.string()),
  /** Where the platform posts to. For the owner alone. */
  webhookUrl: z.url().nullable(),
  isFromEnvironment: z.boolean(),
  lastMessageAt: isoTime.nullable(),
  /** Messages that wait for an answer. */
  waiting: z.number().int(),
});
export type Channel = z.infer<typeof channel>;

const fieldsInput = z.record(z.string().max(40), z.string().trim().max(16_384));

/** `fields`: those that change; null forgets all. What is undefined stays as it is. */
export const configureChannelInput = z
  .strictObject({
    kind: channelKind,
    fields: fieldsInput.nullable().optional(),
    isOn: z.boolean(),
    mode: channelMode.optional(),
    answers: channelAnswerLevel.optional(),
  })
  .superRefine(({ kind, fields, mode }, context) => {
    const { fields: schema, modes } = platformOf(kind);
    for (const { message, path } of schema.partial().safeParse(fields ?? {}).error?.issues ?? [])
      context.addIssue({ code: 'custom', message, path: ['fields', ...path] });
    if (mode !== undefined && !modes.includes(mode))
      context.addIssue({ code: 'custom', message: 'not offered by this platform', path: ['mode'] });
  });
export type ConfigureChannelInput = z.infer<typeof configureChannelInput>;

export const channelKindInput = z.strictObject({ kind: channelKind });

/** What a sender's messages may do: the tools of machines, and whether the agent knows what it remembers. */
const rights = {
  groups: z.array(toolScope).max(toolScope.options.length),
  usesMemory: z.boolean(),
};

export const createChannelCodeInput = z.strictObject({
  kind: channelKind,
  groups: rights.groups.default([]),
  usesMemory: rights.usesMemory.default(false),
});
export type CreateChannelCodeInput = z.infer<typeof createChannelCodeInput>;

/** A code that binds the next sender who sends it. `link` opens the platform with it. */
export const channelCode = z.object({
  id: z.string(),
  kind: channelKind,
  code: z.string(),
  link: z.url().nullable(),
  ...rights,
  expiresAt: isoTime,
});
export type ChannelCode = z.infer<typeof channelCode>;

export const channelCodeIdInput = z.strictObject({ id: z.string().min(1).max(64) });

/** A person on a platform whose messages are those of an account here. */
export const channelSender = z.object({
  kind: channelKind,
  senderId: z.string(),
  name: z.string(),
  ...rights,
  answers: channelAnswerLevel,
  speak: channelSpeak,
  pairedAt: isoTime,
  lastSeenAt: isoTime,
});
export type ChannelSender = z.infer<typeof channelSender>;

/** A group in which somebody who is paired has named the bot. */
export const channelGroup = z.object({
  kind: channelKind,
  conversation: z.string(),
  title: z.string(),
  /** Whether the bot answers there. */
  isOn: z.boolean(),
  groups: rights.groups,
  seenAt: isoTime,
});
export type ChannelGroup = z.infer<typeof channelGroup>;

const groupKey = { kind: channelKind, conversation: z.string().min(1).max(300) };
export const channelGroupInput = z.strictObject(groupKey);
export type ChannelGroupInput = z.infer<typeof channelGroupInput>;
export const updateChannelGroupInput = z.strictObject({
  ...groupKey,
  isOn: z.boolean(),
  groups: rights.groups,
});
export type UpdateChannelGroupInput = z.infer<typeof updateChannelGroupInput>;

const senderKey = { kind: channelKind, senderId: z.string().min(1).max(128) };
export const channelSenderInput = z.strictObject(senderKey);
export const updateChannelSenderInput = z.strictObject({
  ...senderKey,
  name: z.string().trim().min(1).max(64),
  ...rights,
  answers: channelAnswerLevel,
  /** What is undefined stays as it is. */
  speak: channelSpeak.optional(),
});
export type UpdateChannelSenderInput = z.infer<typeof updateChannelSenderInput>;

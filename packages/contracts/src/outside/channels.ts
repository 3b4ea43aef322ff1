import { z } from 'zod';
import { toolScope } from '../groups.ts';
import { isoTime } from '../ids.ts';
import { channelKind, channelMode, platformOf, type ChannelKind } from './channel-platforms.ts';

const minute = 60_000;
const hour = 60 * minute;

/** Times in milliseconds. */
export const channelLimits = {
  codeMs: 5 * minute,
  /** A platform's page of consent, for one answer. */
  consentMs: 10 * minute,
  openCodesPerUser: 5,
  sendersPerUser: 20,
  groupsPerUser: 20,
  /** Of a name of a sender or a group, in characters. */
  nameLength: 64,
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
  /** Where the platform's page of consent sends the browser back to. For the owner alone. */
  consentUrl: z.url().nullable(),
  isFromEnvironment: z.boolean(),
  lastMessageAt: isoTime.nullable(),
  /** Messages that wait for an answer. */
  waiting: z.number().int(),
});
export type Channel = z.infer<typeof channel>;

const fieldsInput = z.record(z.string().max(40), z.string().trim().max(16_384));
type FieldsInput = z.infer<typeof fieldsInput>;

const refineFields = (kind: ChannelKind, fields: FieldsInput, context: z.RefinementCtx): void => {
  const { fields: schema, consent } = platformOf(kind);
  for (const { message, path } of schema.partial().safeParse(fields).error?.issues ?? [])
    context.addIssue({ code: 'custom', message, path: ['fields', ...path] });
  if (consent !== null && consent.gives in fields)
    context.addIssue({
      code: 'custom',
      message: 'comes from the page of consent',
      path: ['fields', consent.gives],
    });
};

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
    refineFields(kind, fields ?? {}, context);
    if (mode !== undefined && !platformOf(kind).modes.includes(mode))
      context.addIssue({ code: 'custom', message: 'not offered by this platform', path: ['mode'] });
  });
export type ConfigureChannelInput = z.infer<typeof configureChannelInput>;

/** Opens the platform's page of consent. `fields`: those that change before. */
export const connectChannelInput = z
  .strictObject({ kind: channelKind, fields: fieldsInput.default({}) })
  .superRefine(({ kind, fields }, context) => {
    refineFields(kind, fields, context);
    if (platformOf(kind).consent === null)
      context.addIssue({ code: 'custom', message: 'has no page of consent', path: ['kind'] });
  });
export type ConnectChannelInput = z.infer<typeof connectChannelInput>;

/**
 * How a page of consent ended. `expired`: its ten minutes, or its one use. `signed-out`, `not-yours`: the
 * browser that comes back is not that of the session. `address`, `client`: the platform refuses the address
 * of this server, or the client. `token`: it gave none that lasts. `scopes`: a right was left out.
 */
export const consentOutcome = z.enum([
  'connected',
  'refused',
  'expired',
  'signed-out',
  'not-yours',
  'address',
  'client',
  'token',
  'scopes',
  'unreachable',
  'failed',
]);
export type ConsentOutcome = z.infer<typeof consentOutcome>;
/** The parameter of the page Channels that has the outcome. */
export const consentQuery = 'consent';

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
  name: z.string().trim().min(1).max(channelLimits.nameLength),
  ...rights,
  answers: channelAnswerLevel,
  /** What is undefined stays as it is. */
  speak: channelSpeak.optional(),
});
export type UpdateChannelSenderInput = z.infer<typeof updateChannelSenderInput>;

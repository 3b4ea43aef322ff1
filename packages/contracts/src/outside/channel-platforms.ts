import { z } from 'zod';

/** Chat platforms from which people talk to the agent. */
export const channelKinds = ['telegram', 'bluebubbles', 'google-chat', 'teams', 'gmail'] as const;
export const channelKind = z.enum(channelKinds);
export type ChannelKind = z.infer<typeof channelKind>;

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
  /** Whether this server is told which emoji somebody puts on a message. */
  readsEmojis: boolean;
  /** Those that the bot can put on a message. */
  sentEmojis: readonly string[];
  /** Messages of a sender that are answered in an hour; null: as many as all platforms allow. */
  messagesPerHour: number | null;
  /** What the owner enters: texts. */
  fields: z.ZodObject<Record<string, z.ZodType<string | undefined>>>;
  /** Fields without which messages cannot arrive in one of the ways. */
  needs: Partial<Record<ChannelMode, readonly string[]>>;
  /** Fields that belong together, of which those of one way are needed; the last way is usual. */
  ways: readonly (readonly string[])[];
  /** The fields that are never shown again. */
  secrets: readonly string[];
  /** A page on which the owner lets this server in; null where all fields are entered. */
  consent: PlatformConsent | null;
}

interface PlatformConsent {
  /** Where the page sends the browser back to. */
  path: string;
  /** What has to be entered before. */
  needs: readonly string[];
  /** The field that it gives; it is of the first of those alone. */
  gives: string;
}

export const platforms = {
  telegram: {
    webhookPath: '/telegram/events',
    modes: ['poll', 'webhook'],
    hasButtons: true,
    hasVoice: true,
    hasGroups: true,
    hasHints: true,
    readsEmojis: true,
    sentEmojis: ['👍', '👎', '❤', '🔥', '🎉', '👏', '🙏', '👌', '👀', '🤔', '😁', '😢', '💯'],
    messagesPerHour: null,
    fields: z.strictObject({ token: telegramToken }),
    needs: {},
    ways: [],
    secrets: ['token'],
    consent: null,
  },
  bluebubbles: {
    webhookPath: '/bluebubbles/events',
    modes: ['poll', 'webhook'],
    hasButtons: false,
    hasVoice: true,
    hasGroups: false,
    hasHints: false,
    readsEmojis: true,
    sentEmojis: ['👍', '👎', '❤', '😂', '‼', '❓'],
    messagesPerHour: null,
    fields: z.strictObject({ url: blueBubblesUrl, password: blueBubblesPassword }),
    needs: {},
    ways: [],
    secrets: ['password'],
    consent: null,
  },
  'google-chat': {
    webhookPath: '/google-chat/events',
    modes: ['poll', 'webhook'],
    hasButtons: true,
    hasVoice: false,
    hasGroups: true,
    hasHints: true,
    readsEmojis: false,
    sentEmojis: [],
    messagesPerHour: null,
    fields: z.strictObject({
      key: googleKey,
      subscription: googleSubscription.optional(),
      project: googleProject.optional(),
    }),
    needs: { poll: ['subscription'] },
    ways: [],
    secrets: ['key'],
    consent: null,
  },
  teams: {
    webhookPath: '/teams/events',
    modes: ['webhook'],
    hasButtons: true,
    hasVoice: false,
    hasGroups: true,
    hasHints: true,
    readsEmojis: true,
    sentEmojis: [],
    messagesPerHour: null,
    fields: z.strictObject({ appId: entraId, secret: entraSecret, tenant: entraId }),
    needs: {},
    ways: [],
    secrets: ['secret'],
    consent: null,
  },
  gmail: {
    webhookPath: '/gmail/push',
    modes: ['poll', 'webhook'],
    hasButtons: false,
    hasVoice: false,
    hasGroups: false,
    hasHints: false,
    readsEmojis: false,
    sentEmojis: [],
    messagesPerHour: 10,
    fields: z.strictObject({
      clientId: gmailClientId.optional(),
      clientSecret: gmailSecret.optional(),
      refreshToken: gmailSecret.optional(),
      key: googleKey.optional(),
      mailbox: googleAccount.optional(),
      topic: googleTopic.optional(),
      subscription: googleSubscription.optional(),
      pushAccount: googleAccount.optional(),
    }),
    needs: { webhook: ['topic', 'subscription', 'pushAccount'] },
    ways: [
      ['key', 'mailbox'],
      ['clientId', 'clientSecret', 'refreshToken'],
    ],
    secrets: ['clientSecret', 'refreshToken', 'key'],
    consent: {
      path: '/channels/gmail/callback',
      needs: ['clientId', 'clientSecret'],
      gives: 'refreshToken',
    },
  },
} as const satisfies Record<ChannelKind, Platform>;

export const platformOf = (kind: ChannelKind): Platform => platforms[kind];

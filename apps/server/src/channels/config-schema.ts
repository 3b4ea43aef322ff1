import {
  blueBubblesPassword,
  blueBubblesUrl,
  channelMode,
  entraId,
  entraSecret,
  gmailClientId,
  gmailSecret,
  googleAccount,
  googleKey,
  googleProject,
  googleSubscription,
  googleTopic,
  telegramToken,
  type ChannelKind,
  type ChannelMode,
} from '@drawbridge/contracts/outside/channel-platforms';
import { z } from 'zod';
import { isSafeAddress, plainHttp, serviceUrl, setting } from '../program/setting.ts';

export const channelsConfig = z.object({
  telegramBotToken: setting(
    'TELEGRAM_BOT_TOKEN',
    'The token of a Telegram bot from which people talk to the agent. One that is set in the panel wins.',
    telegramToken.optional(),
  ),
  telegramMode: setting(
    'TELEGRAM_MODE',
    '`poll`: this server asks Telegram for messages. `webhook`: Telegram posts them, which needs `PUBLIC_URL` with https. The panel wins.',
    channelMode.prefault('poll'),
  ),
  telegramApiUrl: setting(
    'TELEGRAM_API_URL',
    "The address of Telegram's Bot API, where it is another than Telegram's own.",
    serviceUrl.prefault('https://api.telegram.org'),
  ),
  blueBubblesUrl: setting(
    'BLUEBUBBLES_URL',
    'The address of a BlueBubbles server on a Mac, for iMessage. What is set in the panel wins.',
    blueBubblesUrl.pipe(serviceUrl).optional(),
  ),
  blueBubblesPassword: setting(
    'BLUEBUBBLES_PASSWORD',
    'The password of that BlueBubbles server.',
    blueBubblesPassword.optional(),
  ),
  googleChatKey: setting(
    'GOOGLE_CHAT_KEY',
    'The JSON of the key of the service account of a Google Chat app, on one line. What is set in the panel wins.',
    googleKey.optional(),
  ),
  googleChatSubscription: setting(
    'GOOGLE_CHAT_SUBSCRIPTION',
    'The Pub/Sub subscription of that app, `projects/…/subscriptions/…`, from which this server pulls messages.',
    googleSubscription.optional(),
  ),
  googleChatProject: setting(
    'GOOGLE_CHAT_PROJECT',
    "The number of the app's project, where it and not the address is the audience of the posts' tokens.",
    googleProject.optional(),
  ),
  googleChatMode: setting(
    'GOOGLE_CHAT_MODE',
    '`poll`: this server pulls messages from Pub/Sub. `webhook`: Google posts them. The panel wins.',
    channelMode.prefault('poll'),
  ),
  gmailClientId: setting(
    'GMAIL_CLIENT_ID',
    'The id of an OAuth client of Google, for a mailbox of Gmail. What is set in the panel wins.',
    gmailClientId.optional(),
  ),
  gmailClientSecret: setting('GMAIL_CLIENT_SECRET', 'The secret of that client.', gmailSecret.optional()),
  gmailRefreshToken: setting(
    'GMAIL_REFRESH_TOKEN',
    'A refresh token of that client for the mailbox, with the scopes `gmail.readonly` and `gmail.send`.',
    gmailSecret.optional(),
  ),
  gmailKey: setting(
    'GMAIL_KEY',
    'In their place: the JSON of the key of a service account of a Google Workspace, on one line.',
    googleKey.optional(),
  ),
  gmailMailbox: setting(
    'GMAIL_MAILBOX',
    'The mailbox of the Workspace that this service account acts for.',
    googleAccount.optional(),
  ),
  gmailMode: setting(
    'GMAIL_MODE',
    '`poll`: this server asks Gmail for mails. `webhook`: Google posts that there are some. The panel wins.',
    channelMode.prefault('poll'),
  ),
  gmailTopic: setting(
    'GMAIL_TOPIC',
    'The Pub/Sub topic for these posts, `projects/…/topics/…`.',
    googleTopic.optional(),
  ),
  gmailSubscription: setting(
    'GMAIL_SUBSCRIPTION',
    'The push subscription of that topic, `projects/…/subscriptions/…`.',
    googleSubscription.optional(),
  ),
  gmailPushAccount: setting(
    'GMAIL_PUSH_ACCOUNT',
    'The e-mail address of the service account that the subscription authenticates as.',
    googleAccount.optional(),
  ),
  googleApiUrl: setting(
    'GOOGLE_API_URL',
    "One address in the place of all of Google's: Chat, Gmail, Pub/Sub, FCM, access tokens and public keys.",
    serviceUrl.optional(),
  ),
  teamsAppId: setting(
    'TEAMS_APP_ID',
    'The id of the app of an Azure bot, for Microsoft Teams. What is set in the panel wins.',
    entraId.optional(),
  ),
  teamsAppSecret: setting('TEAMS_APP_SECRET', 'A client secret of that app.', entraSecret.optional()),
  teamsTenantId: setting('TEAMS_TENANT_ID', 'The id of the tenant of that app.', entraId.optional()),
  teamsServices: setting(
    'TEAMS_SERVICES',
    "Services of Teams that the app's token may be sent to, separated by commas: hosts, `*.` and a domain, or whole origins. Without it `smba.trafficmanager.net` and `*.botframework.com`.",
    z
      .string()
      .prefault('smba.trafficmanager.net,*.botframework.com')
      .transform((text) => text.split(',').map((one) => one.trim()))
      .pipe(
        z
          .array(
            z
              .string()
              .regex(/^(\*\.|https?:\/\/)?[a-z\d.:[\]-]+$/i, 'must be hosts')
              .refine(isSafeAddress, plainHttp),
          )
          .max(20),
      ),
  ),
  microsoftUrl: setting(
    'MICROSOFT_URL',
    "One address in the place of Microsoft's login and of the keys of the Bot Framework.",
    serviceUrl.optional(),
  ),
});

export type ChannelsEnvironment = z.output<typeof channelsConfig>;

interface PlatformEnvironment {
  fields: Readonly<Record<string, string | undefined>>;
  mode: ChannelMode;
  /** The address of the platform; empty where it is one of the fields, or there are several. */
  url: string;
}

/** What the environment says of each platform. */
export const platformsOf = (environment: ChannelsEnvironment): Record<ChannelKind, PlatformEnvironment> => ({
  telegram: {
    fields: { token: environment.telegramBotToken },
    mode: environment.telegramMode,
    url: environment.telegramApiUrl,
  },
  bluebubbles: {
    fields: { url: environment.blueBubblesUrl, password: environment.blueBubblesPassword },
    mode: 'poll',
    url: '',
  },
  'google-chat': {
    fields: {
      key: environment.googleChatKey,
      subscription: environment.googleChatSubscription,
      project: environment.googleChatProject,
    },
    mode: environment.googleChatMode,
    url: environment.googleApiUrl?.replace(/\/+$/, '') ?? '',
  },
  teams: {
    fields: {
      appId: environment.teamsAppId,
      secret: environment.teamsAppSecret,
      tenant: environment.teamsTenantId,
    },
    mode: 'webhook',
    url: environment.microsoftUrl?.replace(/\/+$/, '') ?? '',
  },
  gmail: {
    fields: {
      clientId: environment.gmailClientId,
      clientSecret: environment.gmailClientSecret,
      refreshToken: environment.gmailRefreshToken,
      key: environment.gmailKey,
      mailbox: environment.gmailMailbox,
      topic: environment.gmailTopic,
      subscription: environment.gmailSubscription,
      pushAccount: environment.gmailPushAccount,
    },
    mode: environment.gmailMode,
    url: environment.googleApiUrl?.replace(/\/+$/, '') ?? '',
  },
});

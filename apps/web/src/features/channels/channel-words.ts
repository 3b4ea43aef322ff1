import {
  platformOf,
  type ChannelKind,
  type ChannelMode,
} from '@drawbridge/contracts/outside/channel-platforms';
import {
  type Channel,
  type ChannelAnswerLevel,
  type ChannelSpeak,
  type ConsentOutcome,
} from '@drawbridge/contracts/outside/channels';
import { type Failure } from '../../api/index.ts';
import { counted } from '../../ui/text/format.ts';
import { channelNames } from '../../ui/text/words.ts';

interface FieldWords {
  name: string;
  label: string;
  help: string;
  /** Set for a field that only this mode uses. */
  mode?: ChannelMode;
  /** Of the other way in: in place of the usual fields. */
  isOtherWay?: boolean;
}

interface PlatformWords {
  name: string;
  /** What a post of it needs. */
  posts: string;
  /** What the owner enters, in the order of the platform's fields. */
  fields: readonly FieldWords[];
}

export const channelWords: Record<ChannelKind, PlatformWords> = {
  telegram: {
    name: channelNames.telegram,
    posts: 'Telegram can post only to a server with an https address that is reachable from outside.',
    fields: [{ name: 'token', label: 'Token of the bot', help: 'A long line such as 123456:ABC…' }],
  },
  bluebubbles: {
    name: channelNames.bluebubbles,
    posts: 'The Mac has to reach this server. What it could not post is found within a minute.',
    fields: [
      { name: 'url', label: 'Address of BlueBubbles', help: 'Such as http://192.168.1.10:1234' },
      {
        name: 'password',
        label: 'Password of BlueBubbles',
        help: 'From its settings, under API & Webhooks.',
      },
    ],
  },
  'google-chat': {
    name: channelNames['google-chat'],
    posts: 'Google can post only to a server with an https address that is reachable from outside.',
    fields: [
      { name: 'key', label: 'Key of the service account', help: 'The whole text of the JSON file.' },
      {
        name: 'subscription',
        label: 'Subscription',
        help: 'projects/…/subscriptions/…, where this server asks for messages.',
        mode: 'poll',
      },
      {
        name: 'project',
        label: 'Project number',
        help: 'Only where its authentication audience is the project number.',
        mode: 'webhook',
      },
    ],
  },
  teams: {
    name: channelNames.teams,
    posts: '',
    fields: [
      { name: 'appId', label: 'App id', help: 'Microsoft App ID of the bot.' },
      { name: 'tenant', label: 'Tenant id', help: 'App Tenant ID of the bot.' },
      { name: 'secret', label: 'Client secret', help: 'The value of the secret, not its id.' },
    ],
  },
  gmail: {
    name: channelNames.gmail,
    posts: 'Google can post only to a server with an https address that is reachable from outside.',
    fields: [
      { name: 'clientId', label: 'Client id', help: 'Ends in .apps.googleusercontent.com.' },
      { name: 'clientSecret', label: 'Client secret', help: 'Of the same OAuth client.' },
      {
        name: 'key',
        label: 'Key of the service account',
        help: 'The whole text of the JSON file.',
        isOtherWay: true,
      },
      {
        name: 'mailbox',
        label: 'Mailbox',
        help: 'The address that the service account acts for.',
        isOtherWay: true,
      },
      { name: 'topic', label: 'Topic', help: 'projects/…/topics/…', mode: 'webhook' },
      {
        name: 'subscription',
        label: 'Subscription',
        help: 'projects/…/subscriptions/…',
        mode: 'webhook',
      },
      {
        name: 'pushAccount',
        label: 'Service account',
        help: 'The e-mail address that the subscription authenticates as.',
        mode: 'webhook',
      },
    ],
  },
};

const modeLabels: Record<ChannelMode, string> = {
  poll: 'This server asks for them',
  webhook: 'The platform posts them',
};

/** The fields of the chosen mode, and those that only the other mode uses. */
export const fieldParts = ({ kind, mode }: Pick<Channel, 'kind' | 'mode'>) => {
  const { fields } = channelWords[kind];
  const isUsed = (field: FieldWords) => (field.mode ?? mode) === mode && !field.isOtherWay;
  const otherWay = fields.filter(({ isOtherWay }) => isOtherWay);
  const others = fields.filter((field) => !isUsed(field) && !field.isOtherWay);
  const other = modeLabels[mode === 'poll' ? 'webhook' : 'poll'];
  const title = `Only where ${other.charAt(0).toLowerCase()}${other.slice(1)}`;
  return [
    { title: '', fields: fields.filter(isUsed) },
    ...(otherWay.length > 0
      ? [{ title: 'Or a service account of a Google Workspace (2 fields)', fields: otherWay }]
      : []),
    ...(others.length > 0
      ? [{ title: `${title} (${counted(others.length, 'field')})`, fields: others }]
      : []),
  ];
};

/** How messages arrive. */
export const modeItemsOf = (kind: ChannelKind) =>
  platformOf(kind).modes.map((value) => ({ value, label: modeLabels[value] }));

export const isSecret = (kind: ChannelKind, name: string): boolean => platformOf(kind).secrets.includes(name);

/** Whether fields of the other way in are entered, all of them with what is set. */
export const otherWayOf = (channel: Channel, entered: Readonly<Record<string, string>>) => {
  const names = channelWords[channel.kind].fields.flatMap((one) => (one.isOtherWay ? [one.name] : []));
  return {
    isChosen: names.some((name) => name in entered),
    isWhole: names.every((name) => name in { ...channel.fields, ...entered }),
  };
};

/** Whether a channel cannot work without a field. */
export const isRequired = ({ kind, mode }: Pick<Channel, 'kind' | 'mode'>, name: string): boolean => {
  const { fields, needs } = platformOf(kind);
  return needs[mode]?.includes(name) === true || fields.shape[name]?.safeParse(undefined).success === false;
};

/** Whether a platform's page of consent can be opened with what is entered. */
export const isReady = (channel: Channel, entered: Readonly<Record<string, string>>): boolean => {
  const { needs, consent } = platformOf(channel.kind);
  const names = [...(consent?.needs ?? []), ...(needs[channel.mode] ?? [])];
  return names.every((name) => name in { ...channel.fields, ...entered });
};

/** Why a page of consent has connected nothing, and what to do. */
export const consentWords: Record<Exclude<ConsentOutcome, 'connected'>, string> = {
  refused: 'You did not allow it on Google’s page. Nothing has changed.',
  expired: 'The way back from Google had ended: it lasts ten minutes, and works once. Connect again.',
  'signed-out':
    'You came back in a browser that is not signed in, or at another address than that of the panel. Open the panel at the address below, sign in, and connect from there.',
  'not-yours': 'You came back in another session than you left from. Connect again from this window.',
  address:
    'Google refuses the address of this server. Enter exactly the one below as the authorized redirect URI of the client.',
  client: 'Google refuses the client id or its secret. Copy both again.',
  token:
    'Google gave no token that lasts. Remove the app under “Third-party apps” of the Google account, and connect again.',
  scopes: 'A box was left empty on Google’s page. Connect again and tick both: read and send.',
  unreachable: 'This server could not reach Google. Connect again.',
  failed: 'Google allowed nothing, and did not say why. Connect again.',
};

/** What stands under a field: what is set now, or what to enter. */
export const helpOf = (
  { kind, fields, isFromEnvironment }: Pick<Channel, 'kind' | 'fields' | 'isFromEnvironment'>,
  { name, help }: FieldWords,
): string => {
  const now = fields[name];
  if (now === undefined) return help;
  const from = isFromEnvironment ? 'Set by the environment' : 'Set';
  const what = isSecret(kind, name) ? `${from}, ends in ${now}` : `${from}: ${now}`;
  return `${what}. Enter another one to replace it.`;
};

/** The buttons that a question has. */
export const answerWords: Record<ChannelAnswerLevel, string> = {
  off: 'A link, no buttons',
  deny: 'Deny',
  once: 'Allow once, Deny',
};

/** When the answers of a sender are read out as well. */
export const speakItems: { value: ChannelSpeak; label: string }[] = [
  { value: 'voice', label: 'Answer a voice message with one' },
  { value: 'always', label: 'Always send a voice message too' },
  { value: 'never', label: 'Text alone' },
];

export const hasVoice = (kind: ChannelKind): boolean => platformOf(kind).hasVoice;

/** Where a code goes. `bot`: its name on the platform. */
export const placeOfCode = (kind: ChannelKind, bot: string | null): string => {
  const { name } = channelWords[kind];
  if (kind === 'gmail') return `${bot ?? 'the mailbox'}, as the subject of a mail`;
  return `${bot ?? 'the bot'} in ${name}`;
};

/** What opens a platform with a code. */
export const openWords = (kind: ChannelKind): string =>
  kind === 'gmail' ? 'Write the mail' : `Open in ${channelWords[kind].name}`;

/** The state of a channel in a few words. */
export const stateWords = ({ state, isOn }: Channel): string => {
  switch (state) {
    case 'off':
      return isOn ? 'Not connected' : 'Off';
    case 'starting':
      return 'Connecting';
    case 'working':
      return 'Working';
    case 'key':
      return 'Refused';
    case 'conflict':
      return 'Used by another program';
    case 'unreachable':
      return 'Not reachable';
    default:
      return state satisfies never;
  }
};

const ofField = /^The request is not valid: fields\.(\w+): (.+)$/;

/** A failure about a field, with the name that the field has here. */
export const withFieldLabel = (kind: ChannelKind, failure: Failure): Failure => {
  const [, name, wrong] = ofField.exec(failure.message) ?? [];
  const field = channelWords[kind].fields.find((one) => one.name === name);
  return field && wrong ? { ...failure, message: `${field.label}: ${wrong}` } : failure;
};

import {
  platformOf,
  type ChannelKind,
  type ChannelMode,
} from '@drawbridge/contracts/outside/channel-platforms';
import { type ChannelAnswerLevel, type ConfigureChannelInput } from '@drawbridge/contracts/outside/channels';
import { jsonOf, type Clock } from '@drawbridge/kit';
import { z } from 'zod';
import { errors } from '../errors.ts';
import { isSafeAddress, plainHttp } from '../program/setting.ts';
import type { Sealer } from '../secrets/index.ts';
import type { AccountsStore } from './accounts.store.ts';
import type { Fields } from './adapter.ts';
import { platformsOf, type ChannelsEnvironment } from './config-schema.ts';

/** A bot as it is set. */
export interface Account {
  isOn: boolean;
  /** Those that are entered. */
  given: Fields;
  /** All that the platform needs; null where one is missing. */
  fields: Fields | null;
  isFromEnvironment: boolean;
  mode: ChannelMode;
  /** The most that its senders may answer. */
  answers: ChannelAnswerLevel;
  /** The address of the platform. */
  url: string;
}

interface Needs {
  store: AccountsStore;
  clock: Clock;
  sealer: Sealer;
  environment: ChannelsEnvironment;
  /** The address of the panel. */
  url(): string;
  /** Masks a secret in the log. */
  hide(secret: string): void;
}

const storedFields = z.record(z.string(), z.string());
/** What was entered, without the optional fields that were not. */
const withoutMissing = (fields: object): Fields =>
  storedFields.parse(Object.fromEntries(Object.entries(fields).filter(([, text]) => text !== undefined)));
const telegramPorts = new Set(['', '80', '88', '443', '8443']);

/** Why a platform cannot post to this server; null where it can. */
const postProblem: Record<ChannelKind, (address: URL) => string | null> = {
  telegram: ({ protocol, port }) =>
    protocol === 'https:' && telegramPorts.has(port)
      ? null
      : 'Telegram posts to https addresses on port 443, 80, 88 or 8443 alone',
  bluebubbles: () => null,
  teams: ({ protocol }) => (protocol === 'https:' ? null : 'Teams posts to https addresses alone'),
  'google-chat': ({ protocol }) => (protocol === 'https:' ? null : 'Google posts to https addresses alone'),
  gmail: ({ protocol }) => (protocol === 'https:' ? null : 'Google posts to https addresses alone'),
};

/** A secret goes to the host that it was entered for: without it, another host has none. */
const withoutOldSecrets = (kind: ChannelKind, before: Fields, change: Fields): Fields => {
  const { url } = change;
  const { consent } = platformOf(kind);
  const [client = ''] = consent?.needs ?? [];
  // A token that a page of consent has given is of one client.
  if (consent && change[client] !== undefined && change[client] !== before[client]) {
    const { [consent.gives]: _gone, ...rest } = before;
    return rest;
  }
  if (url === undefined || before['url'] === undefined) return before;
  if (new URL(url).origin === new URL(before['url']).origin) return before;
  const { secrets } = platformOf(kind);
  return Object.fromEntries(Object.entries(before).filter(([name]) => !secrets.includes(name)));
};

/** The way of which something is entered, else the usual one. */
const wayOf = (ways: readonly (readonly string[])[], fields: Fields): readonly string[] =>
  ways.find((way) => way.some((name) => name in fields)) ?? ways.at(-1) ?? [];

/** The field that is missing, or not right; null without one. */
export const missingField = (kind: ChannelKind, mode: ChannelMode, fields: Fields): string | null => {
  const { fields: schema, needs, ways } = platformOf(kind);
  const problem = schema.safeParse(fields).error?.issues[0];
  if (problem) return problem.path.join('.') || 'fields';
  const missing = [...wayOf(ways, fields), ...(needs[mode] ?? [])].find((name) => !(name in fields));
  return missing ?? null;
};

/** What was entered for another way is forgotten: the way that was entered last counts. */
const withoutOtherWays = (kind: ChannelKind, before: Fields, change: Fields): Fields => {
  const { ways } = platformOf(kind);
  if (!ways.flat().some((name) => name in change)) return before;
  const own = wayOf(ways, change);
  const others = ways.filter((way) => way !== own).flat();
  return Object.fromEntries(Object.entries(before).filter(([name]) => !others.includes(name)));
};

/** The settings of channels: what is entered in the panel, else what the environment has. */
export const createAccounts = ({ store, clock, sealer, environment, url, hide }: Needs) => {
  const platforms = platformsOf(environment);
  const hideSecrets = (kind: ChannelKind, fields: Fields) => {
    for (const name of platformOf(kind).secrets) if (fields[name] !== undefined) hide(fields[name]);
  };
  /** What was sealed for one address is not sent to another. */
  const purposeOf = (kind: ChannelKind) => {
    const { url: address } = platforms[kind];
    return `channel ${kind} ${address === '' ? '' : new URL(address).origin}`;
  };
  /** A text that is no JSON is the token of a bot that was entered before there were fields. */
  const unsealed = (kind: ChannelKind, sealed: string | null): Fields | null => {
    const text = sealed === null ? null : sealer.unseal(sealed, purposeOf(kind));
    return text === null ? null : (storedFields.safeParse(jsonOf(text)).data ?? { token: text });
  };
  const ofEnvironment = (kind: ChannelKind): Fields => withoutMissing(platforms[kind].fields);

  const get = async (kind: ChannelKind): Promise<Account> => {
    const row = await store.read(kind);
    const own = unsealed(kind, row?.sealedKey ?? null);
    const given = own ?? ofEnvironment(kind);
    hideSecrets(kind, given);
    const mode = row?.mode ?? platforms[kind].mode;
    const isWhole = missingField(kind, mode, given) === null;
    const fields = isWhole ? withoutMissing(platformOf(kind).fields.parse(given)) : null;
    return {
      isOn: fields !== null && (row?.isOn ?? true),
      given,
      fields,
      isFromEnvironment: own === null && Object.keys(given).length > 0,
      mode,
      answers: row?.answers ?? 'off',
      url: platforms[kind].url,
    };
  };

  /** Throws `badRequest` for a webhook that cannot arrive. */
  const requirePosts = (kind: ChannelKind): void => {
    const message = postProblem[kind](new URL(url()));
    if (message === null) return;
    throw errors.badRequest({
      message,
      fix: 'Set PUBLIC_URL to such an address, or let this server ask for messages.',
    });
  };

  return {
    get,
    requirePosts,
    /** Throws `badRequest` for what is missing, an unsafe address, and a webhook that cannot arrive. */
    set: async ({ kind, fields, isOn, mode, answers }: ConfigureChannelInput): Promise<void> => {
      const row = await store.read(kind);
      const next = mode ?? row?.mode ?? platforms[kind].mode;
      if (next === 'webhook' && (isOn || mode !== undefined)) requirePosts(kind);
      const { given } = await get(kind);
      const isKept = fields === undefined;
      const own =
        isKept || fields === null
          ? null
          : { ...withoutOtherWays(kind, withoutOldSecrets(kind, given, fields), fields), ...fields };
      if (own?.['url'] !== undefined && !isSafeAddress(own['url']))
        throw errors.badRequest({ message: `This address is not safe: ${plainHttp}` });
      const missing = missingField(kind, next, own ?? (isKept ? given : ofEnvironment(kind)));
      if (isOn && missing !== null)
        throw errors.badRequest({ message: `The channel needs its ${missing}`, fix: 'Enter it first.' });
      const sealedKey = isKept
        ? (row?.sealedKey ?? null)
        : own && sealer.seal(JSON.stringify(own), purposeOf(kind));
      // Another bot has other numbers.
      const cursor =
        isKept && row ? { cursor: row.cursor, cursorAt: row.cursorAt } : { cursor: null, cursorAt: null };
      const most = answers ?? row?.answers ?? 'off';
      await store.write(
        kind,
        { isOn, sealedKey, mode: mode ?? row?.mode ?? null, answers: most, ...cursor },
        clock.now(),
      );
    },
  };
};

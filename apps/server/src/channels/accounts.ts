import type {
  ChannelAnswerLevel,
  ChannelKind,
  ChannelMode,
  ConfigureChannelInput,
} from '@drawbridge/contracts/outside/channels';
import type { Clock } from '@drawbridge/kit';
import { errors } from '../errors.ts';
import type { Sealer } from '../secrets/index.ts';
import type { AccountsStore } from './accounts.store.ts';
import type { ChannelsEnvironment } from './config-schema.ts';

/** A bot as it is set. */
export interface Account {
  isOn: boolean;
  key: string | null;
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

const webhookPorts = new Set(['', '80', '88', '443', '8443']);

/** Where Telegram posts to. */
const requireWebhookUrl = (address: string): void => {
  const { protocol, port } = new URL(address);
  if (protocol === 'https:' && webhookPorts.has(port)) return;
  throw errors.badRequest({
    message: 'The platform posts to https addresses on port 443, 80, 88 or 8443 alone',
    fix: 'Set PUBLIC_URL to such an address, or let this server ask for messages.',
  });
};

/** The settings of channels: a key of the panel, else that of the environment. */
export const createAccounts = ({ store, clock, sealer, environment, url, hide }: Needs) => {
  const fromEnvironment = { telegram: environment.telegramBotToken };
  const modes = { telegram: environment.telegramMode };
  const urls = { telegram: environment.telegramApiUrl };
  for (const key of Object.values(fromEnvironment)) if (key !== undefined) hide(key);
  /** A key that was sealed for one address is not sent to another. */
  const purposeOf = (kind: ChannelKind) => `channel ${kind} ${new URL(urls[kind]).origin}`;

  const get = async (kind: ChannelKind): Promise<Account> => {
    const row = await store.read(kind);
    const own = row?.sealedKey == null ? null : sealer.unseal(row.sealedKey, purposeOf(kind));
    if (own !== null) hide(own);
    const key = own ?? fromEnvironment[kind] ?? null;
    return {
      isOn: key !== null && (row?.isOn ?? true),
      key,
      isFromEnvironment: own === null && key !== null,
      mode: row?.mode ?? modes[kind],
      answers: row?.answers ?? 'off',
      url: urls[kind],
    };
  };

  return {
    get,
    /** Throws `badRequest` for a channel without a key, and for a webhook that cannot arrive. */
    set: async ({ kind, key, isOn, mode, answers }: ConfigureChannelInput): Promise<void> => {
      if (mode === 'webhook') requireWebhookUrl(url());
      const row = await store.read(kind);
      const kept = key === undefined;
      const sealedKey = kept ? (row?.sealedKey ?? null) : key && sealer.seal(key, purposeOf(kind));
      if (isOn && sealedKey === null && fromEnvironment[kind] === undefined)
        throw errors.badRequest({
          message: 'The channel needs the token of its bot',
          fix: 'Paste it first.',
        });
      // Another bot has other numbers.
      const cursor =
        kept && row ? { cursor: row.cursor, cursorAt: row.cursorAt } : { cursor: null, cursorAt: null };
      const most = answers ?? row?.answers ?? 'off';
      await store.write(
        kind,
        { isOn, sealedKey, mode: mode ?? row?.mode ?? null, answers: most, ...cursor },
        clock.now(),
      );
    },
  };
};

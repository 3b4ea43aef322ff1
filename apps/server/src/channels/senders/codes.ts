import { createHmac, randomInt } from 'node:crypto';
import { type ChannelKind } from '@drawbridge/contracts/outside/channel-platforms';
import {
  channelLimits,
  type ChannelCode,
  type CreateChannelCodeInput,
} from '@drawbridge/contracts/outside/channels';
import { createPerMinute, type Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { errors } from '../../errors.ts';
import type { IncomingMessage } from '../adapter.ts';
import type { Sealer } from '../../secrets/index.ts';
import type { SendersStore, StoredCode } from './senders.store.ts';

/** Without I and O, which look like digits. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ';
const codeLength = 6;
const codePattern = new RegExp(`^[${alphabet}]{${codeLength}}$`, 'i');
const commandPattern = /^\/(?:pair|start)\s+(\S+)\s*$/i;

const newCode = () => Array.from({ length: codeLength }, () => alphabet[randomInt(alphabet.length)]).join('');

/** The code that a text is; null for another text. `isAsked`: it is the command for it. */
export const codeIn = (text: string): { code: string; isAsked: boolean } | null => {
  const asked = commandPattern.exec(text.trim())?.[1];
  const code = asked ?? text.trim();
  return codePattern.test(code) ? { code: code.toUpperCase(), isAsked: asked !== undefined } : null;
};

const purposeOf = ({ id }: Pick<StoredCode, 'id'>) => `code of a channel: ${id}`;

interface Needs {
  store: SendersStore;
  clock: Clock;
  /** The server's own: codes are short, so their digests need it. */
  secret: string;
  sealer: Sealer;
  /** The address on the platform that sends the code; null while the bot is not connected. */
  link(kind: ChannelKind, code: string): string | null;
  warn(sentence: string): void;
}

/** Counts wrong codes, and ends all open ones of a channel when there are too many. */
const createGuesses = ({ store, clock, warn }: Pick<Needs, 'store' | 'clock' | 'warn'>) => {
  const { wrongCodesOfSender, wrongCodesOfChannel, wrongCodesMs: windowMs } = channelLimits;
  const ofSender = createPerMinute({ clock, max: wrongCodesOfSender - 1, windowMs });
  const ofChannel = createPerMinute({ clock, max: wrongCodesOfChannel - 1, windowMs });
  const keyOf = (kind: ChannelKind, senderId: string) => `${kind} ${senderId}`;
  return {
    isIgnored: (kind: ChannelKind, senderId: string) => ofSender.check(keyOf(kind, senderId)) !== null,
    count: async (kind: ChannelKind, senderId: string): Promise<void> => {
      ofSender.use(keyOf(kind, senderId));
      if (ofChannel.use(kind) === null) return;
      await store.codes.removeAll(kind);
      warn(`Too many wrong codes were sent to the ${kind} bot: all open codes have ended`);
    },
  };
};

const tooMany = (count: number, what: string, fix: string) =>
  errors.conflict({ message: `You have ${count} ${what}, the maximum`, fix });

/** Codes with which senders bind themselves to accounts, and how many wrong ones are accepted. */
export const createCodes = ({ store, clock, secret, sealer, link, warn }: Needs) => {
  const { codes } = store;
  const guesses = createGuesses({ store, clock, warn });
  const digestOf = (kind: string, code: string) =>
    createHmac('sha256', secret).update(`code of a channel\0${kind}\0${code}`).digest('base64url');

  const toCode = ({ id, groups, usesMemory, ...row }: StoredCode, code: string): ChannelCode => {
    const kind = row.kind as ChannelKind;
    const expiresAt = new Date(row.expiresAt).toISOString();
    return { id, kind, code, link: link(kind, code), groups, usesMemory, expiresAt };
  };

  const requireRoom = async (userId: string, now: number): Promise<void> => {
    const { openCodesPerUser, sendersPerUser } = channelLimits;
    if ((await codes.ofUser(userId, now)).length >= openCodesPerUser)
      throw tooMany(openCodesPerUser, 'open codes', 'Use or cancel one. A code lasts five minutes.');
    if ((await store.ofUser(userId)).length >= sendersPerUser)
      throw tooMany(sendersPerUser, 'senders', 'Remove one that you do not use.');
  };

  return {
    list: async (userId: string): Promise<ChannelCode[]> =>
      (await codes.ofUser(userId, clock.now())).flatMap((row) => {
        const code = sealer.unseal(row.sealedCode, purposeOf(row));
        return code === null ? [] : [toCode(row, code)];
      }),
    /** Throws `conflict` beyond 5 open codes and 20 senders. */
    create: async (userId: string, { kind, ...rights }: CreateChannelCodeInput): Promise<ChannelCode> => {
      const now = clock.now();
      await codes.removeExpired(now);
      await requireRoom(userId, now);
      const [id, code] = [nanoid(), newCode()];
      const row: StoredCode = {
        digest: digestOf(kind, code),
        id,
        kind,
        userId,
        sealedCode: sealer.seal(code, purposeOf({ id })),
        ...rights,
        expiresAt: now + channelLimits.codeMs,
      };
      await codes.insert(row);
      return toCode(row, code);
    },
    /** Throws `notFound`. */
    remove: async (userId: string, id: string): Promise<void> => {
      if (!(await codes.remove(userId, id))) throw errors.notFound();
    },
    /** Whether the sender has sent so many wrong codes that nothing of theirs is read. */
    isIgnored: guesses.isIgnored,
    /** The open code of this text; a wrong one counts. */
    find: async (kind: ChannelKind, senderId: string, code: string): Promise<StoredCode | null> => {
      const row = await codes.find(kind, digestOf(kind, code));
      if (row && row.expiresAt > clock.now()) return row;
      await guesses.count(kind, senderId);
      return null;
    },
    /** Ends a code that others have seen. False for another text. */
    end: async (kind: ChannelKind, code: string): Promise<boolean> => {
      const row = await codes.find(kind, digestOf(kind, code));
      return row !== null && codes.remove(row.userId, row.id);
    },
    /** The writes that bind a sender to the code's account. */
    use: (
      { digest, kind, userId, groups, usesMemory }: StoredCode,
      { sender, address }: Pick<IncomingMessage, 'sender' | 'address'>,
    ) => {
      const now = clock.now();
      const place = { kind, senderId: sender.id, userId, name: sender.name };
      const rights = { groups, usesMemory, answers: 'off', speak: 'voice' } as const;
      const seen = { pairedAt: now, lastSeenAt: now, address: JSON.stringify(address) };
      return codes.use({ digest }, { ...place, ...rights, ...seen });
    },
  };
};

export type Codes = ReturnType<typeof createCodes>;

import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { ChannelMode } from '@drawbridge/contracts/outside/channel-platforms';

/** Of a voice message; `opus` is in OGG. */
export type SpeechFormat = 'mp3' | 'opus';

/** Why a platform did not do what it was asked. The message is for people. */
export class PlatformError extends Error {
  /**
   * `key`: refused the key. `conflict`: another program receives the messages. `rate`: asks to wait.
   * `network`: may work later. `gone`: the conversation takes nothing any more. `format`: does not read the
   * text's markup. `too-large`: what it gives is beyond the limit. `refused`: never does it.
   */
  readonly kind: 'key' | 'conflict' | 'rate' | 'network' | 'gone' | 'format' | 'too-large' | 'refused';
  /** In milliseconds, of `rate`. */
  readonly retryAfterMs: number | undefined;
  constructor(kind: PlatformError['kind'], message: string, retryAfterMs?: number) {
    super(message);
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Again as it is written where the platform does not read the markup. */
export const orPlain = <Value>(
  isPlain: boolean,
  attempt: (isPlain: boolean) => Promise<Value>,
): Promise<Value> =>
  attempt(isPlain).catch((error: unknown) => {
    if (isPlain || !(error instanceof PlatformError) || error.kind !== 'format') throw error;
    return attempt(true);
  });

/** What the owner entered for a platform. */
export type Fields = Readonly<Record<string, string>>;

/** Where an answer goes; the adapter alone reads it. */
export type Address = Readonly<Record<string, unknown>>;

/** A file of a message. The platform keeps it, and may say too little about it. */
export interface IncomingFile {
  /** What the adapter downloads it by; null where it cannot. */
  id: string | null;
  name: string;
  /** In bytes. */
  size: number | null;
  /** What it says, where the platform has it in the message. */
  text?: string | undefined;
  /** Its sender has not made it: what is said in it is data. */
  isForwarded?: boolean | undefined;
}

/** Where a message was written that others read too. `isMention`: it names the bot, or replies to it. */
export interface IncomingGroup {
  title: string;
  isMention: boolean;
}

/** A message as all platforms have it. Ids are the platform's. */
export interface IncomingMessage {
  type: 'message';
  conversation: string;
  /** Null in a chat with one person, whose conversation has the id of the sender. */
  group: IncomingGroup | null;
  sender: { id: string; name: string };
  /** Of a mail: the place of a code. */
  subject?: string;
  text: string;
  files: readonly IncomingFile[];
  /** In milliseconds since 1970. */
  sentAt: number;
  /** Null where it is not named. */
  messageId: string | null;
  address: Address;
}

/** Somebody has put emojis on a message, which may be of anybody. */
export interface IncomingReaction {
  type: 'reaction';
  conversation: string;
  sender: { id: string; name: string };
  messageId: string;
  /** Those that are new, at least one. */
  emojis: readonly string[];
  sentAt: number;
  address: Address;
}

/** Somebody has pressed a button of a message. */
export interface IncomingPress {
  type: 'press';
  id: string;
  conversation: string;
  sender: { id: string; name: string };
  messageId: string;
  data: string;
}

/** Comes back as `data` when it is pressed: at most 64 bytes. */
export interface Button {
  label: string;
  data: string;
}

/** What a platform delivers, once or more. `cursor`: what it is asked for next; null: as before. */
export interface Update {
  updateId: string;
  cursor: string | null;
  /** Null for what is not for the bot. */
  event: IncomingMessage | IncomingPress | IncomingReaction | null;
}

/** The bot on its platform. */
export interface BotIdentity {
  name: string;
  /** An address of the platform that opens a chat with it, and sends the code; null without one. */
  link(code?: string): string | null;
}

/** A file that goes to a platform. */
export interface OutgoingFile {
  name: string;
  mediaType: string;
  bytes: Buffer<ArrayBuffer>;
}

/** Where markdown of one message goes. `isPlain`: as it is written. `id`: of each try the same. */
export interface Destination {
  id: string;
  address: Address;
  isPlain: boolean;
  signal: AbortSignal;
}

/** A request of a platform. */
export interface PlatformPost {
  headers: IncomingHttpHeaders;
  query: URLSearchParams;
  body: Buffer;
}

/** Where a platform posts to, and what tells its posts from others where it has no signature of its own. */
export interface PostTarget {
  url: string;
  secret: string;
}

/** Updates that the platform posts to this server. */
export interface PlatformWebhook {
  /** Has it post there. */
  register(to: PostTarget, signal: AbortSignal): Promise<void>;
  /** Why posts do not arrive there, in words; null while they do, and where that cannot be known. */
  problem(to: PostTarget, signal: AbortSignal): Promise<string | null>;
  /** Whether a post is the platform's. Nothing of it is used before. */
  isOwn(post: PlatformPost, to: PostTarget): Promise<boolean>;
  /**
   * Null for a body that is no update; `poll`: the platform has to be asked what is new. Throws where the bot
   * is not known yet.
   */
  read(body: unknown): Update | 'poll' | null;
}

export interface PlatformButtons {
  /** Gives a message another text, and removes its buttons. False for one that is gone: it stays so. */
  edit(messageId: string, text: string, to: Destination): Promise<boolean>;
  /** Says to who has pressed a button what that did. */
  acknowledge(pressId: string, text: string, signal: AbortSignal): Promise<void>;
}

export interface PlatformVoice {
  format: SpeechFormat;
  /** Resolves to the platform's id of the message. */
  send(file: OutgoingFile, to: Omit<Destination, 'isPlain'>): Promise<string>;
}

/** One bot of a platform. All functions throw `PlatformError`, and the reason of an aborted signal. */
export interface ChannelAdapter {
  identify(signal: AbortSignal): Promise<BotIdentity>;
  webhook: PlatformWebhook;
  /** Updates behind the cursor. Ends the posts of a webhook where the platform has either one. */
  poll(cursor: string | null, signal: AbortSignal): Promise<Update[]>;
  /** What the last poll gave is stored; null where the next poll says so. */
  confirm: ((signal: AbortSignal) => Promise<void>) | null;
  /**
   * How long to wait before it is asked again, by how messages arrive, in milliseconds. 0: it answers when
   * there is something. Null: it is not asked, because it posts until a post has arrived.
   */
  pollEveryMs: Record<ChannelMode, number | null>;
  /** Resolves to the platform's id of the message. */
  send(text: string, to: Destination & { buttons: readonly Button[] }): Promise<string>;
  /** Resolves to the platform's id of the message; null for a file that it does not take. */
  sendFile: ((file: OutgoingFile, to: Omit<Destination, 'isPlain'>) => Promise<string | null>) | null;
  /** Null where the platform has no voice messages. */
  voice: PlatformVoice | null;
  /** The bytes of a file of a message, from the platform's own address; null where none can be had. */
  download: ((fileId: string, signal: AbortSignal) => Promise<Buffer>) | null;
  /** Null where a message cannot have buttons. */
  buttons: PlatformButtons | null;
  /**
   * How often a message in a chat with one person, and in a group, may get another text while an answer is
   * written, in milliseconds; null: answers come whole.
   */
  draftEveryMs: { own: number; group: number } | null;
  /** Puts an emoji on a message, instead of an earlier one; null where the bot cannot. */
  react:
    | ((messageId: string, emoji: string, to: Omit<Destination, 'id' | 'isPlain'>) => Promise<void>)
    | null;
  /** Shows for some seconds that an answer is being written; null where nothing can be shown. */
  typing: ((address: Address, signal: AbortSignal) => Promise<void>) | null;
}

const digest = (text: string) => hash('sha256', text, 'buffer');

/** In the same time for every text. */
export const isSameSecret = (given: string, secret: string): boolean =>
  timingSafeEqual(digest(given), digest(secret));

import type { IncomingHttpHeaders } from 'node:http';

/** Why a platform did not do what it was asked. The message is for people. */
export class PlatformError extends Error {
  /**
   * `key`: refused the key. `conflict`: another program receives the messages. `rate`: asks to wait.
   * `network`: may work later. `gone`: the conversation takes nothing any more. `format`: does not read the
   * text's markup. `refused`: never does it.
   */
  readonly kind: 'key' | 'conflict' | 'rate' | 'network' | 'gone' | 'format' | 'refused';
  /** In milliseconds, of `rate`. */
  readonly retryAfterMs: number | undefined;
  constructor(kind: PlatformError['kind'], message: string, retryAfterMs?: number) {
    super(message);
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Where an answer goes; the adapter alone reads it. */
export type Address = Readonly<Record<string, unknown>>;

/** A message as all platforms have it. Ids are the platform's. */
export interface IncomingMessage {
  type: 'message';
  conversation: string;
  isGroup: boolean;
  sender: { id: string; name: string };
  text: string;
  /** Whether it has a file, a picture or a voice message, which are not read. */
  hasFiles: boolean;
  /** In milliseconds since 1970. */
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

/** What a platform delivers, once or more. `cursor`: it is asked for what comes after. */
export interface Update {
  updateId: string;
  cursor: string;
  /** Null for what is not for the bot. */
  event: IncomingMessage | IncomingPress | null;
}

/** The bot on its platform. */
export interface BotIdentity {
  name: string;
  /** An address of the platform that opens a chat with it; with a code, it sends the code. */
  link(code?: string): string;
}

/** Markdown that fits into one message goes there. `isPlain`: as it is written. */
export interface Destination {
  address: Address;
  isPlain: boolean;
  signal: AbortSignal;
}

/** Updates that the platform posts to this server. */
export interface PlatformWebhook {
  register(to: { url: string; secret: string }, signal: AbortSignal): Promise<void>;
  /** Why posts do not arrive at that address, in words; null while they do. */
  problem(url: string, signal: AbortSignal): Promise<string | null>;
  /** Whether a post has the secret. */
  isOwn(headers: IncomingHttpHeaders, secret: string): boolean;
  /** Null for a body that is no update. Throws where the bot is not known yet. */
  read(body: unknown): Update | null;
}

/** One bot of a platform. All functions throw `PlatformError`, and the reason of an aborted signal. */
export interface ChannelAdapter {
  identify(signal: AbortSignal): Promise<BotIdentity>;
  webhook: PlatformWebhook;
  /** Waits for updates behind the cursor; none after a while. Ends the posts of a webhook. */
  poll(cursor: string | null, signal: AbortSignal): Promise<Update[]>;
  /** Resolves to the platform's id of the message. */
  send(text: string, to: Destination & { buttons: readonly Button[] }): Promise<string>;
  /** Gives a message another text, and removes its buttons. One that is gone stays so. */
  edit(messageId: string, text: string, to: Destination): Promise<void>;
  /** Says to who has pressed a button what that did. */
  acknowledge(pressId: string, text: string, signal: AbortSignal): Promise<void>;
  /** Shows for some seconds that an answer is being written. */
  typing(address: Address, signal: AbortSignal): Promise<void>;
}

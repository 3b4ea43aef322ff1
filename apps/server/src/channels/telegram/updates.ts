import { cutText } from '@drawbridge/kit';
import { channelLimits } from '@drawbridge/contracts/outside/channels';
import { rpcLimits } from '@drawbridge/contracts/rpc/protocol';
import { z } from 'zod';
import type { IncomingFile, IncomingMessage, IncomingPress, IncomingReaction, Update } from '../adapter.ts';

/** Ids have up to 52 bits, and are kept as text. */
const id = z.int().transform(String);

const user = z.object({
  id,
  is_bot: z.boolean(),
  first_name: z.string().default(''),
  last_name: z.string().optional(),
  username: z.string().optional(),
});

const entity = z.object({
  type: z.string(),
  offset: z.int(),
  length: z.int(),
  user: z.object({ id }).optional(),
});

const stored = z.object({ file_id: z.string().min(1).max(300), file_size: z.number().optional() });
const named = stored.extend({ file_name: z.string().optional() });
/** What is not read, and is no reason to miss the text. */
const other = z.unknown().optional();

const message = z.object({
  message_id: z.int(),
  message_thread_id: z.int().optional(),
  from: user.optional(),
  chat: z.object({ id, type: z.string(), title: z.string().default('') }),
  date: z.int(),
  text: z.string().optional(),
  caption: z.string().optional(),
  entities: z.array(entity).default([]),
  caption_entities: z.array(entity).default([]),
  reply_to_message: z.object({ from: user.optional() }).optional(),
  /** Set for anonymous administrators and channels: they cannot be paired. */
  sender_chat: z.unknown().optional(),
  via_bot: z.unknown().optional(),
  forward_origin: z.unknown().optional(),
  /** The same picture in several sizes, the largest last. */
  photo: z.array(stored).optional().catch(undefined),
  document: named.optional().catch(undefined),
  voice: named.optional().catch(undefined),
  audio: named.optional().catch(undefined),
  video: other,
  video_note: other,
});
type TelegramMessage = z.infer<typeof message>;

/** `message` is missing for one that is too old. */
const press = z.object({
  id: z.string(),
  from: user,
  message: z.object({ message_id: z.int(), message_thread_id: z.int().optional(), chat: message.shape.chat }),
  data: z.string(),
});

/** A custom emoji has no sign of its own. */
const emojis = z
  .array(
    z
      .object({ emoji: z.string().max(32) })
      .nullable()
      .catch(null),
  )
  .transform((all) => all.flatMap((one) => one?.emoji ?? []));
/** `user` is missing for an anonymous administrator, and for a channel. */
const reaction = z.object({
  chat: message.shape.chat,
  message_id: z.int(),
  user,
  date: z.int(),
  old_reaction: emojis,
  new_reaction: emojis,
});

const update = z.object({
  update_id: z.int().nonnegative(),
  message: z.unknown().optional(),
  callback_query: z.unknown().optional(),
  message_reaction: z.unknown().optional(),
});

/** The bot itself, as `getMe` names it. */
export interface Self {
  id: string;
  username: string;
}

/** By what they are called, where they have no name. */
const unread = {
  video: 'Video',
  video_note: 'Video message',
} as const;

const nameOf = ({ first_name: first, last_name: last = '', username }: z.infer<typeof user>): string =>
  `${first} ${last}`.trim() || (username ?? 'Somebody');

/** The text without the name of the bot, at its beginning and in a command: `/stop@my_bot`. */
const withoutOwnName = (text: string, { username }: Self): string =>
  text
    .replace(new RegExp(`^@${username}\\b[,:]?\\s*`, 'i'), '')
    .replace(new RegExp(`^(/\\w+)@${username}\\b`, 'i'), '$1');

const toFile = ({ file_id: id, file_size: size }: z.infer<typeof stored>, name: string): IncomingFile => ({
  id,
  name,
  size: size ?? null,
});

/** A text that its sender has not written, as a file: files are data to the agent. */
const forwardedText = (text: string): IncomingFile => ({
  id: null,
  name: 'forwarded.txt',
  size: null,
  text: `Forwarded, from others:\n\n${text}\n`,
});

/** What another person has written or recorded. */
const asForwarded = (text: string, files: readonly IncomingFile[]): IncomingFile[] => [
  ...(text.trim() === '' ? [] : [forwardedText(text)]),
  ...files.map((file) => ({ ...file, isForwarded: true })),
];

const filesOf = (given: TelegramMessage): IncomingFile[] => {
  const { photo = [], document, voice, audio } = given;
  const fits = photo.findLast(({ file_size: size = 0 }) => size <= rpcLimits.attachmentBytes) ?? photo.at(-1);
  return [
    ...(fits ? [toFile(fits, 'photo.jpg')] : []),
    ...(document ? [toFile(document, document.file_name ?? 'file')] : []),
    ...(voice ? [toFile(voice, 'Voice message')] : []),
    ...(audio ? [toFile(audio, audio.file_name ?? 'Audio')] : []),
    ...Object.entries(unread).flatMap(([key, name]) =>
      given[key as keyof typeof unread] === undefined ? [] : [{ id: null, name, size: null }],
    ),
  ];
};

/** By an entity with the bot's own name or id, or by a reply to it; a forwarded text does not count. */
const isMention = (given: TelegramMessage, { id: own, username }: Self): boolean => {
  const { text, caption = '', entities, caption_entities: ofCaption } = given;
  if (given.forward_origin !== undefined) return false;
  if (given.reply_to_message?.from?.id === own) return true;
  const [said, all] = text === undefined ? [caption, ofCaption] : [text, entities];
  const name = `@${username}`.toLowerCase();
  return all.some(({ type, offset, length, user: named }) => {
    const part = said.slice(offset, offset + length).toLowerCase();
    if (type === 'text_mention') return named?.id === own;
    return type === 'mention' ? part === name : type === 'bot_command' && part.endsWith(name);
  });
};

const read = (given: TelegramMessage, self: Self): IncomingMessage | null => {
  const { from, chat, date, sender_chat: senderChat, via_bot: viaBot } = given;
  if (!from || from.is_bot || senderChat !== undefined || viaBot !== undefined) return null;
  const isGroup = chat.type !== 'private';
  const text = cutText(given.text ?? given.caption ?? '', channelLimits.textLength);
  const thread = given.message_thread_id;
  return {
    type: 'message',
    conversation: conversationOf(chat, thread),
    group: isGroup ? { title: chat.title, isMention: isMention(given, self) } : null,
    sender: { id: from.id, name: nameOf(from) },
    // In a group it is never read, but a code in it ends.
    ...(isGroup || given.forward_origin === undefined
      ? { text: withoutOwnName(text, self), files: filesOf(given) }
      : { text: '', files: asForwarded(text, filesOf(given)) }),
    sentAt: date * 1_000,
    messageId: String(given.message_id),
    address: {
      chatId: chat.id,
      ...(thread !== undefined && isGroup && { threadId: thread }),
      ...(isGroup && { replyTo: given.message_id }),
    },
  };
};

const conversationOf = (chat: TelegramMessage['chat'], thread: number | undefined): string =>
  thread === undefined || chat.type === 'private' ? chat.id : `${chat.id}/${thread}`;

const readPress = ({ id: pressId, from, message: at, data }: z.infer<typeof press>): IncomingPress | null =>
  from.is_bot
    ? null
    : {
        type: 'press',
        id: pressId,
        conversation: conversationOf(at.chat, at.message_thread_id),
        sender: { id: from.id, name: nameOf(from) },
        messageId: String(at.message_id),
        data,
      };

/** Null where emojis were only removed. */
const readReaction = (given: z.infer<typeof reaction>): IncomingReaction | null => {
  const { chat, user: from, message_id: messageId, date, old_reaction: old, new_reaction: now } = given;
  const added = now.filter((emoji) => !old.includes(emoji));
  if (from.is_bot || added.length === 0) return null;
  return {
    type: 'reaction',
    conversation: conversationOf(chat, undefined),
    sender: { id: from.id, name: nameOf(from) },
    messageId: String(messageId),
    emojis: added,
    sentAt: date * 1_000,
    address: { chatId: chat.id },
  };
};

const readEvent = (given: z.infer<typeof update>, self: Self): Update['event'] => {
  const known = message.safeParse(given.message);
  if (known.success) return read(known.data, self);
  const pressed = press.safeParse(given.callback_query);
  if (pressed.success) return readPress(pressed.data);
  const reacted = reaction.safeParse(given.message_reaction);
  return reacted.success ? readReaction(reacted.data) : null;
};

/** Updates in their order; one that is not for the bot moves the cursor alone. */
export const readUpdates = (given: readonly unknown[], self: Self): Update[] =>
  given.flatMap((one) => {
    const parsed = update.safeParse(one);
    if (!parsed.success) return [];
    const { update_id: number } = parsed.data;
    const event = readEvent(parsed.data, self);
    return [{ updateId: String(number), cursor: String(number + 1), event }];
  });

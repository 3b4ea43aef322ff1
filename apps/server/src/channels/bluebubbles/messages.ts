import { channelLimits } from '@drawbridge/contracts/outside/channels';
import { cutText } from '@drawbridge/kit';
import { z } from 'zod';
import type { IncomingMessage, IncomingReaction, Update } from '../adapter.ts';

const message = z.object({
  guid: z.string().min(1).max(200),
  text: z.string().nullish(),
  isFromMe: z.boolean(),
  /** In milliseconds since 1970. */
  dateCreated: z.number(),
  handle: z.object({ address: z.string().min(1).max(128), service: z.string().nullish() }).nullish(),
  chats: z.array(z.object({ guid: z.string().min(1).max(500) })).default([]),
  attachments: z
    .array(
      z.object({
        guid: z.string().min(1).max(300),
        transferName: z.string().nullish(),
        totalBytes: z.number().nullish(),
      }),
    )
    .catch([]),
  /** Of a reaction: the message that it is for, behind the number of its part, and which one. */
  associatedMessageGuid: z.string().nullish(),
  associatedMessageType: z.union([z.string(), z.number()]).nullish().catch(null),
});
type BlueBubblesMessage = z.infer<typeof message>;

/** What stands in a text where a file is. */
const filePlace = /\uFFFC/g;

/** A chat is `<service>;-;<address>`, and with `+` a group. The newest systems name no service there. */
const chatPattern = /^([^;]+);([+-]);/;

/** By BlueBubbles' name and by the number that the Mac stores; what removes one has others. */
export const tapbacks = [
  { name: 'love', number: 2_000, emoji: '❤' },
  { name: 'like', number: 2_001, emoji: '👍' },
  { name: 'dislike', number: 2_002, emoji: '👎' },
  { name: 'laugh', number: 2_003, emoji: '😂' },
  { name: 'emphasize', number: 2_004, emoji: '‼' },
  { name: 'question', number: 2_005, emoji: '❓' },
] as const;

const readReaction = (
  { associatedMessageGuid, associatedMessageType: type }: BlueBubblesMessage,
  { conversation, sender, sentAt, address }: IncomingMessage,
): IncomingReaction | null => {
  const given = tapbacks.find(({ name, number }) => type === name || String(type) === String(number));
  const messageId = /^(?:p:\d+\/|bp:)?(.+)$/.exec(associatedMessageGuid ?? '')?.[1];
  if (given === undefined || messageId === undefined) return null;
  const emojis = [given.emoji];
  return { type: 'reaction', conversation, sender, messageId, emojis, sentAt, address };
};

const readMessage = (given: BlueBubblesMessage): IncomingMessage | null => {
  const { guid, text, isFromMe, dateCreated, handle, chats, attachments } = given;
  const [, prefix = '', sign] = chatPattern.exec(chats[0]?.guid ?? '') ?? [];
  if (isFromMe || !handle || sign === undefined) return null;
  // The sender of an SMS can be forged, and a paired sender is an account here.
  if ((prefix === 'any' ? handle.service : prefix) !== 'iMessage') return null;
  const id = handle.address.trim().toLowerCase();
  const isGroup = sign === '+';
  return {
    type: 'message',
    conversation: isGroup ? (chats[0]?.guid ?? '') : id,
    // Nothing there names the bot.
    group: isGroup ? { title: '', isMention: false } : null,
    sender: { id, name: id },
    text: cutText((text ?? '').replace(filePlace, ''), channelLimits.textLength),
    files: attachments.map(({ guid, transferName, totalBytes }) => ({
      id: guid,
      name: transferName ?? 'file',
      size: totalBytes ?? null,
    })),
    sentAt: dateCreated,
    messageId: guid,
    address: { chatGuid: chats[0]?.guid ?? '' },
  };
};

const readEvent = (given: BlueBubblesMessage): Update['event'] => {
  const read = readMessage(given);
  return read !== null && given.associatedMessageGuid ? readReaction(given, read) : read;
};

/** Null for what is no message. */
export const toUpdate = (given: unknown): Update | null => {
  const { data } = message.safeParse(given);
  return data ? { updateId: data.guid, cursor: String(data.dateCreated), event: readEvent(data) } : null;
};

const post = z.object({ type: z.literal('new-message'), data: z.unknown() });

/** Without a cursor: a post may pass over another one that did not arrive. */
export const readPost = (body: unknown): Update | null => {
  const update = toUpdate(post.safeParse(body).data?.data);
  return update && { ...update, cursor: null };
};

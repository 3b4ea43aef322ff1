import { channelLimits } from '@drawbridge/contracts/outside/channels';
import { cutText } from '@drawbridge/kit';
import { z } from 'zod';
import type { IncomingMessage, Update } from '../adapter.ts';

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
  /** Of a reaction: the message that it is for. */
  associatedMessageGuid: z.string().nullish(),
});
type BlueBubblesMessage = z.infer<typeof message>;

/** What stands in a text where a file is. */
const filePlace = /\uFFFC/g;

/** A chat is `<service>;-;<address>`, and with `+` a group. The newest systems name no service there. */
const chatPattern = /^([^;]+);([+-]);/;

const readMessage = (given: BlueBubblesMessage): IncomingMessage | null => {
  const { text, isFromMe, dateCreated, handle, chats, attachments, associatedMessageGuid } = given;
  const [, prefix = '', sign] = chatPattern.exec(chats[0]?.guid ?? '') ?? [];
  if (isFromMe || !handle || sign === undefined || associatedMessageGuid) return null;
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
    address: { chatGuid: chats[0]?.guid ?? '' },
  };
};

/** Null for what is no message. */
export const toUpdate = (given: unknown): Update | null => {
  const { data } = message.safeParse(given);
  return data ? { updateId: data.guid, cursor: String(data.dateCreated), event: readMessage(data) } : null;
};

const post = z.object({ type: z.literal('new-message'), data: z.unknown() });

/** Without a cursor: a post may pass over another one that did not arrive. */
export const readPost = (body: unknown): Update | null => {
  const update = toUpdate(post.safeParse(body).data?.data);
  return update && { ...update, cursor: null };
};

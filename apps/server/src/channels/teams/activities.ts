import { channelLimits } from '@drawbridge/contracts/outside/channels';
import { cutText } from '@drawbridge/kit';
import { z } from 'zod';
import type { IncomingMessage, IncomingPress, IncomingReaction, Update } from '../adapter.ts';
import { hostsIn } from '../format/links.ts';

export const buttonValue = 'drawbridge';

const id = z.string().min(1).max(300);
const activity = z.object({
  type: z.enum(['message', 'messageReaction']),
  id,
  timestamp: z.string().optional(),
  channelId: z.literal('msteams'),
  serviceUrl: z.string().max(2_048),
  recipient: z.object({ id }).optional(),
  entities: z.array(z.object({ type: z.string(), mentioned: z.object({ id }).optional() })).default([]),
  from: z.object({ id, name: z.string().default(''), aadObjectId: id.optional() }),
  conversation: z.object({
    id,
    conversationType: z.string().optional(),
    name: z.string().optional(),
    tenantId: z.string(),
  }),
  text: z.string().nullish(),
  attachments: z.array(z.object({ contentType: z.string() })).default([]),
  /** Of a pressed button. */
  value: z.unknown().optional(),
  /** The message with the button, or with the emoji. */
  replyToId: id.optional(),
  reactionsAdded: z.array(z.object({ type: z.string().min(1).max(100) })).default([]),
});
export type Activity = z.infer<typeof activity>;

export const readActivity = (body: unknown): Activity | null => activity.safeParse(body).data ?? null;

/** The bot's name, as it stands in a text that mentions it. */
const mention = /<at[^>]*>[^<]*<\/at>/gi;

const isDirect = ({ conversation }: Activity): boolean => conversation.conversationType === 'personal';

/** The person in the directory; an account that is in none has an id of this bot's own. */
const senderOf = ({ from }: Activity) => {
  const senderId = from.aadObjectId ?? from.id;
  return { id: senderId, name: from.name.trim() || senderId };
};
/** A chat with one person has the id of the person. */
const conversationOf = (given: Activity) => (isDirect(given) ? senderOf(given).id : given.conversation.id);

/** The bot is who gets the activity. */
const groupOf = (given: Activity) => {
  if (isDirect(given)) return null;
  const own = given.recipient?.id;
  const isMention = given.entities.some(
    ({ type, mentioned }) => type === 'mention' && own !== undefined && mentioned?.id === own,
  );
  return { title: given.conversation.name ?? '', isMention };
};

const timeOf = ({ timestamp = '' }: Activity, now: number): number => {
  const sentAt = Date.parse(timestamp);
  return Number.isNaN(sentAt) ? now : sentAt;
};

const readMessage = (given: Activity, now: number): IncomingMessage => {
  const text = (given.text ?? '').replace(mention, '').trim();
  // A text that is formatted is there twice, as HTML too.
  const files = given.attachments.filter(({ contentType }) => contentType !== 'text/html');
  return {
    type: 'message',
    conversation: conversationOf(given),
    group: groupOf(given),
    sender: senderOf(given),
    text: cutText(text, channelLimits.textLength),
    files: files.map(() => ({ id: null, name: 'file', size: null })),
    sentAt: timeOf(given, now),
    messageId: null,
    address: {
      serviceUrl: given.serviceUrl,
      conversationId: given.conversation.id,
      hosts: hostsIn(text),
    },
  };
};

const pressed = z.object({ [buttonValue]: z.string().max(64) });

const readPress = (given: Activity, data: string): IncomingPress => ({
  type: 'press',
  id: given.id,
  conversation: conversationOf(given),
  sender: senderOf(given),
  messageId: given.replyToId ?? '',
  data,
});

/** What Teams calls the emojis of its short list. */
const emojiOf: Readonly<Record<string, string>> = {
  like: '👍',
  heart: '❤',
  laugh: '😆',
  surprised: '😮',
  sad: '😢',
  angry: '😠',
};

/** Null where emojis were only removed. Another emoji is there by its name in Teams. */
const readReaction = (given: Activity, now: number): IncomingReaction | null => {
  const { reactionsAdded, replyToId, serviceUrl, conversation } = given;
  if (reactionsAdded.length === 0 || replyToId === undefined) return null;
  return {
    type: 'reaction',
    conversation: conversationOf(given),
    sender: senderOf(given),
    messageId: replyToId,
    emojis: reactionsAdded.map(({ type }) => emojiOf[type] ?? cutText(type, 32)),
    sentAt: timeOf(given, now),
    address: { serviceUrl, conversationId: conversation.id, hosts: [] },
  };
};

const readEvent = (given: Activity, now: number): Update['event'] => {
  if (given.type === 'messageReaction') return readReaction(given, now);
  const press = pressed.safeParse(given.value).data?.[buttonValue];
  return press === undefined ? readMessage(given, now) : readPress(given, press);
};

/** `now`: for an activity without its time. */
export const toUpdate = (given: Activity, now: number): Update => ({
  updateId: `${given.conversation.id}|${given.id}`,
  cursor: null,
  event: readEvent(given, now),
});

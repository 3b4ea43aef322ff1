import { channelLimits } from '@drawbridge/contracts/outside/channels';
import { cutText } from '@drawbridge/kit';
import { z } from 'zod';
import type { IncomingMessage, IncomingPress, Update } from '../adapter.ts';
import { hostsIn } from '../format/links.ts';

export const buttonValue = 'drawbridge';

const id = z.string().min(1).max(300);
const activity = z.object({
  type: z.literal('message'),
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
  /** The message with the button. */
  replyToId: id.optional(),
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

const readMessage = (given: Activity, now: number): IncomingMessage => {
  const text = (given.text ?? '').replace(mention, '').trim();
  const sentAt = Date.parse(given.timestamp ?? '');
  // A text that is formatted is there twice, as HTML too.
  const files = given.attachments.filter(({ contentType }) => contentType !== 'text/html');
  return {
    type: 'message',
    conversation: conversationOf(given),
    group: groupOf(given),
    sender: senderOf(given),
    text: cutText(text, channelLimits.textLength),
    files: files.map(() => ({ id: null, name: 'file', size: null })),
    sentAt: Number.isNaN(sentAt) ? now : sentAt,
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

/** `now`: for an activity without its time. */
export const toUpdate = (given: Activity, now: number): Update => {
  const press = pressed.safeParse(given.value).data?.[buttonValue];
  return {
    updateId: `${given.conversation.id}|${given.id}`,
    cursor: null,
    event: press === undefined ? readMessage(given, now) : readPress(given, press),
  };
};

import { channelLimits } from '@drawbridge/contracts/outside/channels';
import { cutText, jsonOf } from '@drawbridge/kit';
import { z } from 'zod';
import type { IncomingMessage, IncomingPress, Update } from '../adapter.ts';
import { hostsIn } from '../format/links.ts';

export const buttonParameter = 'drawbridge';

const spaceName = z.string().regex(/^spaces\/[\w-]{1,100}$/);
export const messageName = z.string().regex(/^spaces\/[\w-]{1,100}\/messages\/[\w.-]{1,200}$/);

const user = z.object({
  name: z.string().regex(/^users\/[\w-]{1,100}$/),
  displayName: z.string().default(''),
  type: z.string().default('HUMAN'),
});
const space = z.object({
  name: spaceName,
  spaceType: z.string().optional(),
  type: z.string().optional(),
  displayName: z.string().default(''),
  singleUserBotDm: z.boolean().default(false),
});
const message = z.object({
  name: messageName,
  text: z.string().default(''),
  /** Without the name of the bot. */
  argumentText: z.string().optional(),
  createTime: z.string().optional(),
  attachment: z.array(z.unknown()).default([]),
  annotations: z
    .array(z.object({ userMention: z.object({ user: z.object({ type: z.string() }) }).optional() }))
    .catch([]),
});
const event = z.object({
  type: z.enum(['MESSAGE', 'CARD_CLICKED']),
  eventTime: z.string().optional(),
  space,
  user,
  message,
  common: z.object({ parameters: z.record(z.string(), z.string()).optional() }).optional(),
  action: z
    .object({ parameters: z.array(z.object({ key: z.string(), value: z.string() })).default([]) })
    .optional(),
});
type ChatEvent = z.infer<typeof event>;

const isDirect = ({ spaceType, type, singleUserBotDm }: ChatEvent['space']): boolean =>
  singleUserBotDm || spaceType === 'DIRECT_MESSAGE' || type === 'DM';

const senderOf = ({ user: { name, displayName } }: ChatEvent) => ({
  id: name,
  name: displayName.trim() || name,
});
/** A chat with one person has the name of the person. */
const conversationOf = ({ space: at, user: { name } }: ChatEvent) => (isDirect(at) ? name : at.name);

/** Of other bots Google gives no messages. */
const groupOf = ({ space: at, message: { annotations } }: ChatEvent) =>
  isDirect(at)
    ? null
    : {
        title: at.displayName,
        isMention: annotations.some(({ userMention }) => userMention?.user.type === 'BOT'),
      };

const readMessage = (given: ChatEvent, now: number): IncomingMessage => {
  const { argumentText, createTime, attachment } = given.message;
  const text = isDirect(given.space) ? given.message.text : (argumentText ?? given.message.text).trim();
  const sentAt = Date.parse(createTime ?? given.eventTime ?? '');
  return {
    type: 'message',
    conversation: conversationOf(given),
    group: groupOf(given),
    sender: senderOf(given),
    text: cutText(text, channelLimits.textLength),
    files: attachment.map(() => ({ id: null, name: 'file', size: null })),
    sentAt: Number.isNaN(sentAt) ? now : sentAt,
    messageId: null,
    address: { space: given.space.name, hosts: hostsIn(text) },
  };
};

const pressedOf = ({ common, action }: ChatEvent): string | null =>
  common?.parameters?.[buttonParameter] ??
  action?.parameters.find(({ key }) => key === buttonParameter)?.value ??
  null;

const readPress = (given: ChatEvent, data: string): IncomingPress => ({
  type: 'press',
  id: given.message.name,
  conversation: conversationOf(given),
  sender: senderOf(given),
  messageId: given.message.name,
  data,
});

/** An event of Google Chat; null for another one. `now`: for an event without its time. */
export const toUpdate = (body: unknown, now: number): Update | null => {
  const { data: given } = event.safeParse(body);
  if (!given || given.user.type === 'BOT') return null;
  const { name } = given.message;
  if (given.type === 'MESSAGE') return { updateId: name, cursor: null, event: readMessage(given, now) };
  const pressed = pressedOf(given);
  if (pressed === null) return null;
  // The same button can be pressed again.
  return {
    updateId: `${name}|${pressed}|${given.eventTime ?? ''}`,
    cursor: null,
    event: readPress(given, pressed),
  };
};

const pulled = z.object({
  receivedMessages: z
    .array(z.object({ ackId: z.string(), message: z.object({ data: z.string().default('') }) }))
    .default([]),
});

/** What a pull of Pub/Sub gave: events, and the ids that acknowledge all of it. Null for another answer. */
export const readPulled = (answer: unknown, now: number): { updates: Update[]; ackIds: string[] } | null => {
  const all = pulled.safeParse(answer).data?.receivedMessages;
  if (!all) return null;
  return {
    ackIds: all.map(({ ackId }) => ackId),
    updates: all.flatMap(
      (one) => toUpdate(jsonOf(Buffer.from(one.message.data, 'base64').toString()), now) ?? [],
    ),
  };
};

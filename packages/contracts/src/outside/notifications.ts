import { z } from 'zod';
import { channelAnswer, channelAnswerLevel } from './channels.ts';
import { httpUrl } from '../input/invalid-input.ts';

/** Devices of one person that get notifications. */
export const maxDevices = 20;

/** When a question is sent to the devices and the webhook of its person. */
export const notifyTimes = ['always', 'panel-closed', 'never'] as const;
export const notifyTime = z.enum(notifyTimes);
export type NotifyTime = z.infer<typeof notifyTime>;

/** `{enabled, configured, publicKey}`: the key that a browser subscribes with, in base64url. */
export const pushKey = z.object({
  enabled: z.literal(true),
  configured: z.literal(true),
  publicKey: z.string(),
});
export type PushKey = z.infer<typeof pushKey>;

export const pushCount = z.object({ count: z.number().int(), cap: z.literal(maxDevices) });
export type PushCount = z.infer<typeof pushCount>;

const endpoint = z.string().max(1_024);
/** 65 and 16 bytes in base64url. */
const p256dh = z.string().regex(/^[A-Za-z0-9_-]{87}=?$/);
const authSecret = z.string().regex(/^[A-Za-z0-9_-]{22}(==)?$/);

/** `PushSubscription.toJSON()` of a browser. */
export const pushSubscription = z.object({
  endpoint,
  keys: z.object({ p256dh, auth: authSecret }),
});
export type PushSubscriptionInput = z.infer<typeof pushSubscription>;

export const pushEndpoint = z.object({ endpoint });

/** A question in a notification: what every device shows of it, and for how long it is answered there. */
export const noticeLimits = { lines: 4, columns: 40, answerMs: 10 * 60_000 } as const;

export const noticeAnswer = channelAnswer.extract(['allow', 'deny']);
export type NoticeAnswer = z.infer<typeof noticeAnswer>;

/** A question that one device may answer, once. */
export const pushAsk = z.object({
  /** The whole of it. */
  text: z.string(),
  token: z.string(),
  offers: z.array(noticeAnswer),
});
export type PushAsk = z.infer<typeof pushAsk>;

/** What a device receives, encrypted; without `ask` it does not say what the question is about. */
export const pushMessage = z.object({
  /** The confirmation, the ask or the run; `test` for a test. */
  id: z.string(),
  title: z.string(),
  /** A path of the panel. */
  path: z.string(),
  ask: pushAsk.optional(),
});
export type PushMessage = z.infer<typeof pushMessage>;

export const notificationSettings = z.object({
  when: notifyTime,
  /** A run of a minute or more that ends is sent to the devices too. */
  runEnds: z.boolean(),
  devices: z.number().int(),
  /** The address that gets each question as a signed POST; null without one. */
  webhookUrl: z.string().nullable(),
  /** The most that the owner allows devices to answer. */
  mostAnswers: channelAnswerLevel,
});
export type NotificationSettings = z.infer<typeof notificationSettings>;

export const changeNotificationsInput = z
  .strictObject({ when: notifyTime, runEnds: z.boolean() })
  .partial()
  .refine((change) => Object.keys(change).length > 0, 'nothing to change');
export type ChangeNotifications = z.infer<typeof changeNotificationsInput>;

/** What a device may answer. */
export const deviceSettings = z.object({ answers: channelAnswerLevel });
export type DeviceSettings = z.infer<typeof deviceSettings>;
export const changeDeviceInput = z.strictObject({ endpoint, answers: channelAnswerLevel });
export type ChangeDevice = z.infer<typeof changeDeviceInput>;
export const configureNoticesInput = z.strictObject({ mostAnswers: channelAnswerLevel });

/** An answer from a notification, by the device that has shown it. */
export const noticeAnswerInput = z.strictObject({
  endpoint,
  token: z.string().max(64),
  answer: noticeAnswer,
});
export type NoticeAnswerInput = z.infer<typeof noticeAnswerInput>;

/** What happened, in words; false: this answer did not count. */
export const noticeReply = z.object({ isAnswered: z.boolean(), text: z.string() });
export type NoticeReply = z.infer<typeof noticeReply>;

export const setWebhookInput = z.strictObject({
  url: httpUrl,
});

/** The secret of the webhook is shown once, when its address is set. */
export const webhookSecret = z.object({ secret: z.string() });

/** How a test ended: the status of the answer, or null for none. */
export const testReply = z.object({ delivered: z.boolean(), status: z.number().int().nullable() });
export type TestReply = z.infer<typeof testReply>;

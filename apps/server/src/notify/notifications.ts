import {
  type ChangeNotifications,
  type NotificationSettings,
  type NotifyTime,
  type TestReply,
} from '@drawbridge/contracts/outside/notifications';
import { createPerMinute } from '@drawbridge/kit';
import { errors } from '../errors.ts';
import type { Network } from '../outside/index.ts';
import type { AnswersStore } from './answers/answers.store.ts';
import type { MostAnswers } from './answers/most-answers.ts';
import { createOfferAnswer, noticeOffers, type ShownOnDevice } from './answers/offer-answer.ts';
import type { Device } from './notify.store.ts';
import { createDevices, type DevicesNeeds } from './devices.ts';
import { createPost } from './post.ts';
import { createSendPush, type Push } from './send-push.ts';
import type { Vapid } from './vapid.ts';
import { createWebhook, type WebhookNeeds } from './webhook.ts';

/** Questions and tests in a minute for one person; a question beyond is in the panel alone. */
const perMinute = 20;
const longestSeconds = 24 * 60 * 60;
const testSeconds = 60;
/** A used or expired token is known for a day. */
const keptMs = 24 * 60 * 60 * 1_000;
/** A run that took less is not worth a notification. */
const longRunMs = 60_000;

export interface Question {
  userId: string;
  id: string;
  /** The name of the machine whose call waits; null for a question of the agent itself. */
  machine: string | null;
  /** A path of the panel. */
  path: string;
  /** In milliseconds since 1970; null: it does not expire. */
  expiresAt: number | null;
  /** As a notification shows it whole; null where it is answered in the panel. */
  shown(): Promise<ShownOnDevice | null>;
}

/** A run that has ended, and how long it took, in milliseconds. */
export interface EndedRun {
  userId: string;
  id: string;
  /** A path of the panel. */
  path: string;
  ms: number;
}

interface Needs extends DevicesNeeds, WebhookNeeds {
  outside: Network;
  vapid: Vapid;
  answers: AnswersStore;
  most: MostAnswers;
  /** The origin of the server. */
  url(): string;
  /** Sends to the nodes of a person that have a push token. */
  sendToNodes(userId: string, push: Push): Promise<void>;
  /** Whether a window of that person's panel is open. */
  isPanelOpen(userId: string): Promise<boolean>;
  onError(error: unknown): void;
}

const toTestReply = (status: number | null): TestReply => ({
  delivered: status !== null && status >= 200 && status < 300,
  status,
});

const isDue = async (
  { isPanelOpen }: Pick<Needs, 'isPanelOpen'>,
  userId: string,
  when: NotifyTime,
): Promise<boolean> => {
  switch (when) {
    case 'always':
      return true;
    case 'panel-closed':
      return !(await isPanelOpen(userId));
    case 'never':
      return false;
    default:
      return when satisfies never;
  }
};

/** Devices with what each may answer; a failure leaves the question to the panel. */
const createWithAsks = (needs: Needs) => {
  const offer = createOfferAnswer(needs);
  return async (devices: readonly Device[], question: Question) => {
    try {
      const offers = await Promise.all(devices.map((device) => noticeOffers(needs.most, device)));
      const shown = offers.some(({ length }) => length > 0) ? await question.shown() : null;
      return await Promise.all(
        devices.map(async (device) => ({ device, ask: shown && (await offer(device, shown)) })),
      );
    } catch (error) {
      needs.onError(error);
      return devices.map((device) => ({ device, ask: null }));
    }
  };
};

/** When a person is notified, and what they have set. */
const createSettings = (
  { store, clock, most }: Pick<Needs, 'store' | 'clock' | 'most'>,
  devices: ReturnType<typeof createDevices>,
) => ({
  settings: async (userId: string): Promise<NotificationSettings> => {
    const { when, webhookUrl, runEnds } = await store.settings(userId);
    return {
      when,
      webhookUrl,
      runEnds: runEnds === 1,
      devices: (await devices.live(userId)).length,
      mostAnswers: await most.get(),
    };
  },
  change: (userId: string, { when, runEnds }: ChangeNotifications): Promise<void> => {
    const set = {
      ...(when !== undefined && { when }),
      ...(runEnds !== undefined && { runEnds: Number(runEnds) }),
    };
    return store.change(userId, set, clock.now());
  },
});

/** Sends people questions and ends of runs outside of the panel: by Web Push, questions by a webhook too. */
export const createNotifications = (needs: Needs) => {
  const { store, clock, vapid, url, sendToNodes, most, onError } = needs;
  const post = createPost(needs);
  const sendPush = createSendPush({ store, post, vapid, url });
  const devices = createDevices(needs);
  const webhook = createWebhook({ ...needs, post });
  const limit = createPerMinute({ clock, max: perMinute });
  const withAsks = createWithAsks(needs);

  const notify = async (question: Question) => {
    const { userId, id, machine, path, expiresAt } = question;
    const { when } = await store.settings(userId);
    if (!(await isDue(needs, userId, when)) || limit.use(userId) !== null) return;
    const left = expiresAt === null ? longestSeconds : Math.floor((expiresAt - clock.now()) / 1_000);
    const ttlSeconds = Math.max(0, Math.min(left, longestSeconds));
    const title = machine === null ? 'The agent has a question for you' : `A question waits on ${machine}`;
    const payload = { type: 'question.waiting', id, machine, title, url: url() + path };
    const push = { message: { id, title, path }, ttlSeconds };
    // Read first: a webhook that fails while this is awaited would end the process.
    const live = await devices.live(userId);
    await Promise.all([
      webhook.send(userId, { id, payload }),
      sendToNodes(userId, push),
      ...(await withAsks(live, question)).map(({ device, ask }) =>
        sendPush(device, { ...push, message: { ...push.message, ...(ask && { ask }) } }),
      ),
    ]);
  };

  /** Nothing of the run is in it, and a webhook gets questions alone. */
  const notifyOfEnd = async ({ userId, id, path, ms }: EndedRun) => {
    if (ms < longRunMs) return;
    const { when, runEnds } = await store.settings(userId);
    if (runEnds === 0 || !(await isDue(needs, userId, when)) || limit.use(userId) !== null) return;
    const push = { message: { id, title: 'A run has ended', path }, ttlSeconds: longestSeconds };
    const live = await devices.live(userId);
    await Promise.all([sendToNodes(userId, push), ...live.map((device) => sendPush(device, push))]);
  };

  const countTest = (userId: string) => {
    if (limit.use(userId) !== null) throw errors.tooManyRequests();
  };

  return {
    publicKey: vapid.publicKey,
    devices,
    setWebhook: webhook.set,
    removeWebhook: webhook.remove,
    /** Sends a question out, later; a failure goes to `onError`. */
    asked: (question: Question): void => void notify(question).catch(onError),
    /** Sends out that a long run has ended, later, to who wants that. */
    ended: (run: EndedRun): void => void notifyOfEnd(run).catch(onError),
    ...createSettings(needs, devices),
    /** Throws `notFound` for a device that is not subscribed, `tooManyRequests`. */
    testDevice: async (userId: string, endpoint: string): Promise<TestReply> => {
      const device = (await devices.live(userId)).find((one) => one.endpoint === endpoint);
      if (!device) throw errors.notFound();
      countTest(userId);
      const message = {
        id: 'test',
        title: 'Notifications reach this device',
        path: '/settings/notifications',
      };
      return toTestReply(await sendPush(device, { message, ttlSeconds: testSeconds }));
    },
    /** Throws `notFound` without a webhook, `tooManyRequests`. */
    testWebhook: async (userId: string): Promise<TestReply> => {
      countTest(userId);
      const event = { id: `test_${clock.now()}`, payload: { type: 'test', url: url() } };
      const status = await webhook.send(userId, event);
      if (status === undefined) throw errors.notFound();
      return toTestReply(status);
    },
    /** For the owner: the most that devices may answer. */
    configure: most.set,
    forgetOld: (): Promise<void> => needs.answers.forget(clock.now() - keptMs),
    /** Deletes what an account leaves. */
    removeUser: store.removeUser,
  };
};

export type Notifications = ReturnType<typeof createNotifications>;

import {
  createStored,
  readPushKey,
  removePush,
  savePush,
  unreachable,
  type Failure,
} from '../../api/index.ts';
import { serviceWorker } from './service-worker.ts';

/** `insecure`: needs https. `unsupported`: needs another browser. `blocked`: refused in its settings. */
export type DeviceState = 'insecure' | 'unsupported' | 'blocked' | 'off' | 'on';

/** The person who has turned notifications on in this browser. */
const ownerOfDevice = createStored('drawbridge-notifications');

export const subscriptionOf = async (): Promise<PushSubscription | null> =>
  (await serviceWorker())?.pushManager.getSubscription() ?? null;

export const readDevice = async (userId: string): Promise<DeviceState> => {
  if (!isSecureContext) return 'insecure';
  if (!('Notification' in globalThis) || !('PushManager' in globalThis)) return 'unsupported';
  if ((await serviceWorker()) === null) return 'unsupported';
  if (Notification.permission === 'denied') return 'blocked';
  return ownerOfDevice.read() === userId && (await subscriptionOf()) !== null ? 'on' : 'off';
};

const noPush: Failure = {
  code: 'NO_PUSH_SERVICE',
  message: "The browser's push service does not answer",
  fix: 'Some browsers have to be signed in, or allow push messages in their settings.',
};

/** Asks for the permission and subscribes this browser. Never throws. */
export const turnOn = async (userId: string): Promise<Failure | null> => {
  if ((await Notification.requestPermission()) !== 'granted') return null;
  const worker = await serviceWorker();
  const publicKey = await readPushKey().catch(() => null);
  if (worker === null || publicKey === null) return unreachable;
  // A subscription with another key would never receive anything.
  await (await worker.pushManager.getSubscription())?.unsubscribe();
  const options = { userVisibleOnly: true, applicationServerKey: publicKey };
  const subscription = await worker.pushManager.subscribe(options).catch(() => null);
  if (subscription === null) return noPush;
  const failure = await savePush(subscription);
  if (failure === null) ownerOfDevice.write(userId);
  return failure;
};

/** Never throws. */
export const turnOff = async (): Promise<Failure | null> => {
  ownerOfDevice.write(null);
  const subscription = await subscriptionOf();
  if (subscription === null) return null;
  const failure = await removePush(subscription);
  await subscription.unsubscribe();
  return failure;
};

/** After a sign-in: the subscription goes on with the new session of the same person. */
export const renewDevice = async (userId: string): Promise<void> => {
  if ((await readDevice(userId)) !== 'on') return;
  const subscription = await subscriptionOf();
  if (subscription) await savePush(subscription);
};

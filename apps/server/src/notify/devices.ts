import {
  maxDevices,
  type ChangeDevice,
  type DeviceSettings,
  type PushCount,
  type PushSubscriptionInput,
} from '@drawbridge/contracts/outside/notifications';
import { createKeyedQueue, type Clock } from '@drawbridge/kit';
import type { Session } from '../auth/index.ts';
import { errors } from '../errors.ts';
import { isPushEndpoint } from './push-host.ts';
import type { Device, NotifyStore } from './notify.store.ts';

export interface DevicesNeeds {
  store: NotifyStore;
  clock: Clock;
  /** Those of the sessions, by their keys, that have not ended. */
  liveSessions(keys: string[]): Promise<Set<string>>;
}

/** The browsers that a person wants notifications on, each while its session lasts. */
export const createDevices = ({ store, clock, liveSessions }: DevicesNeeds) => {
  const queue = createKeyedQueue();

  /** The devices whose session has not ended; the others are forgotten. */
  const live = async (userId: string): Promise<Device[]> => {
    const devices = await store.devices(userId);
    if (devices.length === 0) return [];
    const sessions = await liveSessions(devices.map(({ session }) => session));
    for (const { session, endpoint } of devices)
      if (!sessions.has(session)) await store.remove(userId, endpoint);
    return devices.filter(({ session }) => sessions.has(session));
  };

  return {
    live,
    count: async (userId: string): Promise<PushCount> => ({
      count: (await live(userId)).length,
      cap: maxDevices,
    }),
    /** Adds or updates one. Throws `badRequest` for an unknown push service, `tooManyDevices`. */
    subscribe: (
      { key, user: { id: userId } }: Session,
      { endpoint, keys: { p256dh, auth } }: PushSubscriptionInput,
    ): Promise<PushCount> =>
      queue.run(userId, async () => {
        if (!isPushEndpoint(endpoint))
          throw errors.badRequest({ message: 'This is not the address of a known push service' });
        const devices = await live(userId);
        const isNew = devices.every((device) => device.endpoint !== endpoint);
        if (isNew && devices.length >= maxDevices) throw errors.tooManyDevices();
        await store.save({ userId, endpoint, p256dh, auth, session: key }, clock.now());
        return { count: devices.length + Number(isNew), cap: maxDevices };
      }),
    /** What this device may answer, in this session. Throws `notFound`. */
    settings: async ({ key, user }: Session, endpoint: string): Promise<DeviceSettings> => {
      const devices = await live(user.id);
      const device = devices.find((one) => one.endpoint === endpoint && one.session === key);
      if (!device) throw errors.notFound();
      return { answers: device.answers };
    },
    /** Throws `notFound` for a device of another session. */
    setAnswers: async ({ key, user }: Session, { endpoint, answers }: ChangeDevice): Promise<void> => {
      const changed = await store.setAnswers({ userId: user.id, session: key, endpoint, answers });
      if (!changed) throw errors.notFound();
    },
    /** A device that is not there is no error. */
    unsubscribe: async (userId: string, endpoint: string): Promise<PushCount> => {
      await store.remove(userId, endpoint);
      return { count: (await live(userId)).length, cap: maxDevices };
    },
  };
};

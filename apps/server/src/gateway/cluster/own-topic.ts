import type { Bus, BusMessage, Subscription } from '../bus.ts';

type Listener = (message: BusMessage) => void;

/** The messages for this server, under its present id, and whether the bus carries them. */
export const createOwnTopic = (bus: Bus, id: () => string) => {
  const listeners = new Map<Listener, Subscription>();
  let isHeard = true;

  const listen = (listener: Listener): Subscription => {
    const subscription = bus.subscribe(`server:${id()}`, listener);
    listeners.set(listener, subscription);
    return subscription;
  };

  const subscribe = (listener: Listener): Subscription => {
    const { ready } = listen(listener);
    const stop = () => {
      listeners.get(listener)?.stop();
      listeners.delete(listener);
    };
    return { ready, stop };
  };

  const echo = subscribe((message) => {
    isHeard ||= message.type === 'echo';
  });

  return {
    subscribe,
    /** The server has another id. */
    moved: () => {
      isHeard = true;
      for (const [listener, subscription] of [...listeners]) {
        subscription.stop();
        listen(listener);
      }
    },
    /**
     * Whether the message to itself of the last time has arrived, or the bus knows that none can: then the
     * store is read instead. Sends another one.
     */
    works: (): boolean => {
      const works = isHeard || bus.isAway();
      isHeard = false;
      bus.publish(`server:${id()}`, { type: 'echo' });
      return works;
    },
    stop: echo.stop,
  };
};

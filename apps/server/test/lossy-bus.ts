import { createEmitter, type Clock } from '@drawbridge/kit';
import type { Bus, BusMessage } from '../src/gateway/bus.ts';

/** What happens to a message on its way to another server. */
export type Fate = 'arrives' | 'is late' | 'arrives twice' | 'is lost';

const lateMs = 500;

interface Needs {
  clock: Clock;
  /** Asked for each message and each server that it goes to. */
  fate(): Fate;
  /** When a subscription begins to get messages; at once when left out. */
  isReady?(): Promise<void>;
  onError(error: unknown): void;
}

/** Returns each server a bus; between two of them messages may be late, come twice, or be lost. */
export const createLossyHub = ({ clock, fate, isReady, onError }: Needs) => {
  const gaps = createEmitter<null>(onError);
  const servers = new Map<string, ReturnType<typeof createEmitter<BusMessage>>>();
  const send = (deliver: () => void) => {
    switch (fate()) {
      case 'arrives':
        return deliver();
      case 'is late':
        return void clock.after(lateMs, deliver);
      case 'arrives twice':
        deliver();
        return void clock.after(lateMs, deliver);
      case 'is lost':
        return;
    }
  };
  const open = (here: string, { pollMs }: { pollMs: number | null }): Bus => {
    const messages = createEmitter<BusMessage>(onError);
    servers.set(here, messages);
    return {
      here,
      pollMs,
      publish: (topic, message) => {
        for (const [name, emitter] of servers)
          if (name === here) emitter.emit(topic, message);
          else send(() => emitter.emit(topic, message));
      },
      subscribe: (topic, listener) => {
        if (isReady === undefined) return { ready: Promise.resolve(), stop: messages.on(topic, listener) };
        let stop = () => {};
        let isStopped = false;
        const ready = isReady().then(() => {
          if (!isStopped) stop = messages.on(topic, listener);
        });
        return {
          ready,
          stop: () => {
            isStopped = true;
            stop();
          },
        };
      },
      onGap: (refresh) => gaps.on('', refresh),
      isAway: () => false,
    };
  };
  /** `gap`: every server learns that it may have missed messages. */
  return { open, gap: () => gaps.emit('', null) };
};

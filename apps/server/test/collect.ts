import type { LiveEvent, LiveTopic } from '@drawbridge/contracts/live';
import type { Panel } from './panel.ts';

/** Reads a subscription into a list; `until` waits for so many. */
const collect = <T>(
  subscribe: (observer: {
    onStarted(): void;
    onData(event: { id: string; data: T }): void;
    onError(error: unknown): void;
  }) => { unsubscribe(): void },
) =>
  new Promise<{ events: T[]; failed: unknown[]; until(count: number): Promise<T[]>; stop(): void }>(
    (resolve) => {
      const events: T[] = [];
      const failed: unknown[] = [];
      let wake: () => void = () => {};
      const subscription = subscribe({
        onStarted: () =>
          resolve({
            events,
            failed,
            until: async (count) => {
              while (events.length < count) await new Promise<void>((more) => (wake = more));
              return events;
            },
            stop: () => subscription.unsubscribe(),
          }),
        onData: ({ data }) => {
          events.push(data);
          wake();
        },
        onError: (error) => {
          failed.push(error);
          wake();
        },
      });
    },
  );

type EventOf<Topic extends LiveTopic> = Extract<LiveEvent, { topic: Topic }>['event'];

/** The events of one topic of a panel's live subscription; `input` is that of a reader that comes back. */
export const collectTopic = async <Topic extends LiveTopic>(
  panel: Panel,
  topic: Topic,
  input?: { lastEventId: string },
) => {
  const { events, until, ...rest } = await collect<LiveEvent>((observer) =>
    panel.live.onEvent.subscribe(input, observer),
  );
  const ofTopic = () => events.flatMap((one) => (one.topic === topic ? [one.event as EventOf<Topic>] : []));
  return {
    ...rest,
    events: ofTopic,
    until: async (count: number): Promise<EventOf<Topic>[]> => {
      while (ofTopic().length < count) await until(events.length + 1);
      return ofTopic();
    },
  };
};

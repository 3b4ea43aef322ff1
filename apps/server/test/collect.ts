/** Reads a subscription into a list; `until` waits for so many. */
export const collect = <T>(
  subscribe: (hear: {
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

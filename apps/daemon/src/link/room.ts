/** A few places; whoever finds none free waits, in the order in which they came. */
export interface Room {
  /** Resolves with what gives the place back; rejects with the signal's reason when it is aborted first. */
  take(signal: AbortSignal): Promise<() => void>;
}

export const createRoom = (places: number): Room => {
  const line = new Set<() => void>();
  let taken = 0;

  const begin = () => {
    taken += 1;
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      taken -= 1;
      const [next] = line;
      next?.();
    };
  };

  const wait = (signal: AbortSignal): Promise<() => void> =>
    new Promise((resolve, reject) => {
      const leave = () => {
        line.delete(enter);
        signal.removeEventListener('abort', giveUp);
      };
      const enter = () => {
        leave();
        resolve(begin());
      };
      const giveUp = () => {
        leave();
        reject(signal.reason);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      line.add(enter);
    });

  return {
    take: async (signal) => {
      signal.throwIfAborted();
      return taken < places ? begin() : wait(signal);
    },
  };
};

import { sleep, systemClock } from '@drawbridge/kit';

/** Asks again and again until the answer is there; the test's own time limit ends it. */
export const until = async <T>(ask: () => Promise<T | undefined | null | false>): Promise<T> => {
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== null && answer !== false) return answer;
    await sleep(systemClock, 50);
  }
};

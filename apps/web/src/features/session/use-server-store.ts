import { createTimer } from '@drawbridge/kit';
import { defineStore } from 'pinia';
import { ref } from 'vue';
import { useClock } from '../../api/index.ts';

/** A shorter interruption is not shown. */
const quietMs = 1_500;
/** A request may take this long on a slow line. */
const answerMs = 8_000;
/** Without the stream for this long after an answer, the lists are read at intervals. */
const streamMs = 3_000;
const readEveryMs = 5_000;

interface Needs {
  /** Resolves to whether the server responds. Never throws. */
  ping(): Promise<boolean>;
  /** Reads all lists. */
  read(): void;
}

/** Of the stream. `responded`: null while the first ping has no answer. */
interface Interruption {
  responded: boolean | null;
  isShort: boolean;
}

/** Whether the server responds, and whether its live updates arrive. */
export const useServerStore = defineStore('server', () => {
  const clock = useClock();
  const [quiet, answer, next] = [createTimer(clock), createTimer(clock), createTimer(clock)];
  const away = ref(false);
  /** When the lists were last read, while live updates do not arrive. */
  const checkedAt = ref<string | null>(null);
  let interruption: Interruption | null = null;

  const onUp = () => {
    for (const timer of [quiet, answer, next]) timer.cancel();
    interruption = null;
    away.value = false;
    checkedAt.value = null;
  };

  /** The stream is interrupted, or has not begun. */
  const onDown = ({ ping, read }: Needs) => {
    if (interruption !== null) return;
    const own: Interruption = { responded: null, isShort: true };
    interruption = own;

    const show = () => {
      if (!own.isShort && own.responded !== null) away.value = !own.responded;
    };
    const ask = async (waitMs: number) => {
      answer.start(answerMs, () => (away.value = true));
      const responded = await ping();
      if (interruption !== own) return;
      answer.cancel();
      own.responded = responded;
      show();
      next.start(waitMs, () => void check());
    };
    const check = async () => {
      await ask(readEveryMs);
      if (interruption !== own || !own.responded) return;
      read();
      checkedAt.value = new Date(clock.now()).toISOString();
    };
    void ask(streamMs);
    quiet.start(quietMs, () => {
      own.isShort = false;
      show();
    });
  };

  return { away, checkedAt, onUp, onDown };
});

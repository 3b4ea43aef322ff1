import { createTimer } from '@drawbridge/kit';
import { defineStore } from 'pinia';
import { ref } from 'vue';
import { useClock } from '../../api/index.ts';

/** A shorter interruption is not shown. */
const quietMs = 1_500;
/** Without the stream for this long, the lists are read at intervals. */
const streamMs = 3_000;
const readEveryMs = 5_000;

interface Needs {
  /** Resolves to whether the server responds. Never throws. */
  ping(): Promise<boolean>;
  /** Reads all lists. */
  read(): void;
}

/** Whether the server responds, and whether its live updates arrive. */
export const useServerStore = defineStore('server', () => {
  const clock = useClock();
  const timer = createTimer(clock);
  const away = ref(false);
  /** When the lists were last read, while live updates do not arrive. */
  const checkedAt = ref<string | null>(null);
  /** One interruption of the stream. `isAsking`: the last ping has had no answer yet. */
  let interruption: { responded: boolean; isAsking: boolean } | null = null;

  const onUp = () => {
    timer.cancel();
    interruption = null;
    away.value = false;
    checkedAt.value = null;
  };

  /** The stream is interrupted, or has not begun. */
  const onDown = ({ ping, read }: Needs) => {
    if (interruption !== null) return;
    const own = { responded: false, isAsking: false };
    interruption = own;

    const ask = async () => {
      own.isAsking = true;
      own.responded = await ping();
      own.isAsking = false;
    };
    const check = async () => {
      timer.start(readEveryMs, () => void check());
      if (own.isAsking) own.responded = false;
      else await ask();
      if (interruption !== own) return;
      away.value = !own.responded;
      if (!own.responded) return;
      read();
      checkedAt.value = new Date(clock.now()).toISOString();
    };
    void ask();
    timer.start(quietMs, () => {
      away.value = !own.responded;
      timer.start(streamMs - quietMs, () => void check());
    });
  };

  return { away, checkedAt, onUp, onDown };
});

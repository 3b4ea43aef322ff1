import { createTimer, type Clock } from '@drawbridge/kit';
import { computed, onScopeDispose, ref, watch } from 'vue';
import { useClock } from '../../../api/index.ts';
import { useServerStore } from '../../session/use-server-store.ts';
import { useSelecting } from './use-selecting.ts';

/** A click that was aimed at something else must not hit a button that has just appeared. */
const sleepMs = 500;
/** Enough for keys after an answer by key, if nothing was pressed since: a double press is faster. */
const quietSleepMs = 300;
/** An answer that took longer shortens no sleep. */
const longestAnswerMs = 1_000;

/** The last answer by key of this window; `isOver`: its key is up, and nothing else was pressed. */
let lastAnswer = { at: -Infinity, isOver: false };

/** Says that a question was answered by this key. */
export const answeredByKey = (key: string, clock: Clock): void => {
  const answer = { at: clock.now(), isOver: false };
  lastAnswer = answer;
  const listening = new AbortController();
  const options = { capture: true, signal: listening.signal };
  const disturb = () => {
    answer.isOver = false;
    listening.abort();
  };
  window.addEventListener('keydown', disturb, options);
  window.addEventListener('pointerdown', disturb, options);
  const onUp = (event: KeyboardEvent) => (answer.isOver ||= event.key === key);
  window.addEventListener('keyup', onUp, options);
};

/**
 * Both are false for a moment after the start and after each change of `key` (`takesKeys` maybe less long),
 * while no answer would reach the server, and while questions are selected.
 */
export const useAwake = (key: () => string) => {
  const clock = useClock();
  const timer = createTimer(clock);
  const quiet = createTimer(clock);
  const awake = ref(false);
  const isQuiet = ref(false);
  const sleep = () => {
    awake.value = false;
    isQuiet.value = false;
    timer.start(sleepMs, () => (awake.value = true));
    quiet.cancel();
  };
  // Synchronous: a changed question is never rendered with active buttons.
  watch(key, sleep, { immediate: true, flush: 'sync' });
  const answer = lastAnswer;
  if (clock.now() - answer.at <= longestAnswerMs)
    quiet.start(quietSleepMs, () => (isQuiet.value = answer.isOver));
  onScopeDispose(() => {
    timer.cancel();
    quiet.cancel();
  });
  const server = useServerStore();
  const selecting = useSelecting();
  const isOff = computed(() => server.away || selecting.value !== null);
  return {
    awake: computed(() => awake.value && !isOff.value),
    takesKeys: computed(() => (awake.value || isQuiet.value) && !isOff.value),
    /** Whether it can be answered at all, maybe in a moment. */
    isOn: computed(() => !isOff.value),
  };
};

import type { MachinesEvent, MachineSummary, RefusedPairing } from '@drawbridge/contracts/machines/summary';
import { useToast } from '@nuxt/ui/composables/useToast';
import { defineStore } from 'pinia';
import { computed, shallowRef } from 'vue';
import { attempt, createLoaded, useApi } from '../../api/index.ts';
import { counted } from '../../ui/text/format.ts';

/** Refused daemons that are shown. */
const refusedShown = 10;

interface Open {
  calls: number;
  questions: number;
}

/** One toast at a time: the newest replaces the one before. */
const id = 'machines';

/** "Paused: no new calls", "3 calls run on, 26 questions stay." */
const pausedWords = ({ calls, questions }: Open) => {
  const left = [
    ...(calls > 0 ? [`${counted(calls, 'call')} ${calls === 1 ? 'runs' : 'run'} on`] : []),
    ...(questions > 0 ? [`${counted(questions, 'question')} ${questions === 1 ? 'stays' : 'stay'}`] : []),
  ];
  const description = left.length > 0 ? `${left.join(', ')}.` : 'Nothing runs.';
  return { id, icon: 'i-lucide-pause', title: 'Paused: no new calls', description };
};

const resumedWords = {
  id,
  icon: 'i-lucide-play',
  title: 'Resumed',
  description: 'New calls are accepted again.',
};

/** "Stopped: 3 calls, 26 questions, 1 chat" */
const stoppedWords = ({ calls, questions, chats }: Open & { chats: number }) => {
  const ended = [
    ...(calls > 0 ? [counted(calls, 'call')] : []),
    ...(questions > 0 ? [counted(questions, 'question')] : []),
    ...(chats > 0 ? [counted(chats, 'chat')] : []),
  ];
  const title = ended.length > 0 ? `Stopped: ${ended.join(', ')}` : 'Stopped: nothing was running';
  return { id, icon: 'i-lucide-octagon-x', title, description: 'All machines are paused until you resume.' };
};

/** The user's machines, connected or away, as last reported by the server. */
export const useMachinesStore = defineStore('machines', () => {
  const api = useApi();
  const toast = useToast();
  const { value, failure, load, set } = createLoaded(() => api.machines.list.query());
  const { value: forgotten, load: loadForgotten } = createLoaded(() => api.machines.forgotten.query());
  const refused = shallowRef<readonly RefusedPairing[]>([]);
  const machines = computed(() => value.value ?? []);
  /** The machine that is used where none is named. */
  const standard = computed(() => machines.value.find(({ isDefault }) => isDefault) ?? machines.value[0]);
  const of = (idOrName: string): MachineSummary | undefined =>
    machines.value.find(({ id }) => id === idOrName) ?? machines.value.find(({ name }) => name === idOrName);
  /** Also of a machine that was removed; its calls remain. */
  const nameOf = (machineId: string): string | null =>
    machines.value.find(({ id }) => id === machineId)?.name ??
    forgotten.value?.find(({ id }) => id === machineId)?.name ??
    null;

  return {
    machines,
    isLoaded: computed(() => value.value !== null),
    standard,
    of,
    nameOf,
    failure,
    load: () => Promise.all([load(), loadForgotten()]).then(() => undefined),
    /** Daemons that came with a token of the user and were refused, newest first. */
    refused,
    forgetRefused: () => void (refused.value = []),
    onEvent: (event: MachinesEvent) => {
      switch (event.type) {
        case 'machines':
          return set(event.machines);
        case 'refused':
          refused.value = [event.refused, ...refused.value].slice(0, refusedShown);
          return;
        default:
          event satisfies never;
      }
    },
    /** Each resolves to its failure, or to null; the new state arrives as an event. Null: all machines. */
    pause: (machineId: string | null) =>
      attempt(async () => toast.add(pausedWords(await api.machines.pause.mutate({ machineId })))),
    resume: (machineId: string | null) =>
      attempt(async () => {
        await api.machines.resume.mutate({ machineId });
        toast.add(resumedWords);
      }),
    stopEverything: () =>
      attempt(async () => toast.add(stoppedWords(await api.machines.stopEverything.mutate()))),
    rename: (machineId: string, name: string) =>
      attempt(() => api.machines.rename.mutate({ machineId, name })),
    setDefault: (machineId: string) => attempt(() => api.machines.setDefault.mutate({ machineId })),
    disconnect: (machineId: string) => attempt(() => api.machines.disconnect.mutate({ machineId })),
    forget: (machineId: string) =>
      attempt(async () => {
        await api.machines.forget.mutate({ machineId });
        await Promise.all([load(), loadForgotten()]);
      }),
  };
});

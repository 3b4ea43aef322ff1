import { createTimer } from '@drawbridge/kit';
import { computed, onScopeDispose, ref, shallowRef, watch, type Ref } from 'vue';
import { useClock, type Failure } from '../../api/index.ts';
import { useAgentStore } from '../chat/use-agent-store.ts';
import { useOpenAsksStore } from '../chat/asks/use-open-asks-store.ts';
import type { Closed } from '../confirmations/closed-notes.ts';
import { useConfirmationsStore } from '../confirmations/use-confirmations-store.ts';
import { useMachinesStore } from '../machines/use-machines-store.ts';
import { heldEntries, inboxEntries, type InboxEntry } from './inbox-entries.ts';

/** The agent of the chats, as a choice of the filter. */
const chats = 'thread';

/** How long what is known already waits for the rest, which may belong above it. */
const longestWaitMs = 1_000;

interface Loading {
  isKnown: Ref<boolean>;
  failure: Ref<Failure | null>;
  isSomeKnown(): boolean;
}

/** Whether the list is shown: once all of it is known, or a failure, or some of it for a moment. */
const useMayShow = ({ isKnown, failure, isSomeKnown }: Loading): Ref<boolean> => {
  const mayShow = ref(false);
  const wait = createTimer(useClock());
  onScopeDispose(wait.cancel);
  watch(
    [isKnown, failure, isSomeKnown],
    ([all, failed, some]) => {
      mayShow.value ||= all || failed !== null;
      if (some && !mayShow.value && !wait.isWaiting())
        wait.start(longestWaitMs, () => (mayShow.value = true));
    },
    { immediate: true },
  );
  return mayShow;
};

/** What waits, filtered by agent and machine. While `isHeld` is true, no entry moves. */
export const useInbox = () => {
  const store = useConfirmationsStore();
  const open = useOpenAsksStore();
  const chat = useAgentStore();
  const machines = useMachinesStore();
  const agent = ref('');
  const machine = ref('');
  const isHeld = ref(false);

  const agentOf = (via: (typeof store.open)[number]['via']) =>
    via === undefined ? 'panel' : via.kind === 'thread' ? chats : via.id;

  const agents = computed(() => {
    const names = new Map<string, string>();
    for (const { via } of store.open)
      names.set(
        agentOf(via),
        via === undefined ? 'You, in Tools' : via.kind === 'thread' ? 'Chat' : via.name,
      );
    if (open.asks.length > 0) names.set(chats, 'Chat');
    return [...names].map(([value, label]) => ({ value, label }));
  });
  const machineChoices = computed(() =>
    machines.machines
      .filter(({ id }) => store.open.some(({ machineId }) => machineId === id))
      .map(({ id, name }) => ({ value: id, label: name })),
  );

  const entries = computed(() =>
    inboxEntries({
      open: store.open.filter(
        ({ via, machineId }) =>
          (agent.value === '' || agentOf(via) === agent.value) &&
          (machine.value === '' || machineId === machine.value),
      ),
      asks: machine.value === '' && (agent.value === '' || agent.value === chats) ? open.asks : [],
      closed: [...store.closed, ...open.closed],
    }),
  );
  /** Until then, an empty list says nothing. */
  const isKnown = computed(() => store.isLoaded && chat.status !== null && (!chat.enabled || open.isLoaded));
  const failure = computed(() => store.failure ?? chat.failure ?? open.failure);
  const mayShow = useMayShow({ isKnown, failure, isSomeKnown: () => store.isLoaded });
  const shown = ref<readonly InboxEntry[]>([]);
  /** Whether `shown` is what waits, also where that is nothing. */
  const isShown = ref(false);
  watch(
    [entries, isHeld, mayShow],
    ([now, held, may]) => {
      if (!may) return;
      shown.value = held ? heldEntries(shown.value, now) : now;
      isShown.value = true;
    },
    { immediate: true },
  );
  watch([agents, machineChoices], ([known, places]) => {
    if (!known.some(({ value }) => value === agent.value)) agent.value = '';
    if (!places.some(({ value }) => value === machine.value)) machine.value = '';
  });

  const load = () => {
    void store.load();
    void chat.load();
    if (chat.enabled) void open.load();
  };

  /** The answer that this window gave last, while its note is shown. */
  const answered = shallowRef<Closed>();
  for (const kind of [store, open])
    watch(
      () => kind.closed.find(({ own }) => own),
      (note) => (answered.value = note),
    );
  const dismiss = (id: string) => {
    store.dismiss(id);
    open.dismiss(id);
  };

  return {
    ...{ shown, isShown, answered, dismiss, isKnown, failure, load, isHeld },
    ...{ agent, agents, machine, machines: machineChoices },
  };
};

import { computed } from 'vue';
import { useMachinesStore } from '../../machines/use-machines-store.ts';
import { useThread } from '../chat-context.ts';

/** The machine that the calls of the chat go to, and whether it is connected. */
export const useChatMachine = () => {
  const machines = useMachinesStore();
  const { machineId } = useThread();
  const machine = computed(() =>
    machineId.value === null ? machines.standard : machines.machines.find(({ id }) => id === machineId.value),
  );
  const isConnected = computed(() => machine.value?.state === 'online');
  return { machines, machine, isConnected };
};

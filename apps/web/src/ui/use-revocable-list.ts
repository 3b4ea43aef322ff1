import { onMounted, ref, shallowRef } from 'vue';
import { failureOf, type Failure } from '../api/index.ts';

interface Needs<Item> {
  list(): Promise<Item[]>;
  revoke(id: string): Promise<unknown>;
}

/** A list of what the person has let in, loaded when the part is mounted, and the question before one is taken back. */
export const useRevocableList = <Item extends { id: string }>({ list, revoke }: Needs<Item>) => {
  const items = shallowRef<Item[] | null>(null);
  const failure = ref<Failure | null>(null);
  const revoking = shallowRef<Item | null>(null);
  const askOpen = ref(false);

  const load = async () => {
    try {
      items.value = await list();
      failure.value = null;
    } catch (error) {
      failure.value = failureOf(error);
    }
  };
  onMounted(load);

  return {
    items,
    failure,
    revoking,
    askOpen,
    load,
    ask: (item: Item) => {
      revoking.value = item;
      askOpen.value = true;
    },
    revoke: async (): Promise<Failure | null> => {
      try {
        if (revoking.value) await revoke(revoking.value.id);
      } catch (error) {
        const found = failureOf(error);
        // Revoked elsewhere, or run out: what was asked for is so.
        if (found.code !== 'NOT_FOUND') return found;
      }
      await load();
      return null;
    },
  };
};

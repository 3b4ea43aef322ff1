import type { GatewayStatus, StateChanged } from '@drawbridge/contracts/gateway';
import { defineStore } from 'pinia';
import { ref, shallowRef } from 'vue';
import { failureOf, useApi, type Failure } from '../../api/index.ts';

/** The machine: its state as the server last told it. */
export const useGatewayStore = defineStore('gateway', () => {
  const api = useApi();
  const status = shallowRef<GatewayStatus | null>(null);
  const failure = ref<Failure | null>(null);

  let heard = 0;

  const load = async () => {
    const before = heard;
    try {
      const asked = await api.gateway.status.query();
      // What was heard meanwhile is newer than the answer.
      if (heard === before) status.value = asked;
      failure.value = null;
    } catch (error) {
      failure.value = failureOf(error);
    }
  };

  const onState = ({ payload }: StateChanged) => {
    heard += 1;
    status.value = payload;
    failure.value = null;
  };

  /** Ends the pairing; gives why it could not. The new state comes by itself. */
  const disconnect = async (): Promise<Failure | null> => {
    try {
      await api.gateway.disconnect.mutate();
      return null;
    } catch (error) {
      return failureOf(error);
    }
  };

  return { status, failure, load, onState, disconnect };
});

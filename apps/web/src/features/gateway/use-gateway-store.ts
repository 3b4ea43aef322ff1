import type { StateChanged } from '@drawbridge/contracts/gateway';
import { defineStore } from 'pinia';
import { attempt, createLoaded, useApi } from '../../api/index.ts';

/** The machine's state, as last reported by the server. */
export const useGatewayStore = defineStore('gateway', () => {
  const api = useApi();
  const { value: status, failure, load, set } = createLoaded(() => api.gateway.status.query());
  return {
    status,
    failure,
    load,
    onState: ({ payload }: StateChanged) => set(payload),
    /** Ends the pairing; resolves to its failure, or to null. The new state arrives as an event. */
    disconnect: () => attempt(() => api.gateway.disconnect.mutate()),
  };
});

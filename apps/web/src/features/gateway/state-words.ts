import type { GatewayState } from '@drawbridge/contracts';

export const stateWords: Record<GatewayState, { label: string; dot: string }> = {
  offline: { label: 'Offline', dot: 'bg-neutral-400 dark:bg-neutral-500' },
  online: { label: 'Online', dot: 'bg-success' },
  grace: { label: 'Reconnecting', dot: 'bg-warning animate-pulse' },
};

import type { Mode } from '@drawbridge/contracts/groups';

export const modeWords: Record<Mode, { label: string; about: string }> = {
  allow: { label: 'Allow', about: 'Runs without asking' },
  ask: { label: 'Ask', about: 'Asks you each time' },
  deny: { label: 'Off', about: 'Not available to agents' },
};

import type { RuntimeMachine } from '../../ports/machine.ts';

/** A machine that can run it now: that of the thread, else the default one, else any. */
export const machineFor = (
  machines: readonly RuntimeMachine[],
  id: string,
  preferred: string | null,
): RuntimeMachine | undefined => {
  const able = machines.filter(
    ({ isConnected, isPaused, runtimes }) => isConnected && !isPaused && runtimes.includes(id),
  );
  return able.find((machine) => machine.id === preferred) ?? able[0];
};

import type { RuntimeMachine } from '../../ports/machine.ts';
import { hookOf, type Sender } from '../../rows/sender.ts';

export type RuntimeSender = Pick<Sender, 'key' | 'groups'>;

/** A webhook starts no program of a machine, and a client only with that group. */
export const mayUseRuntimes = ({ key, groups }: RuntimeSender): boolean =>
  hookOf(key) === null && (groups === null || groups.includes('runtime'));

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

import type { Confirmation } from '@drawbridge/contracts/confirmation';
import { titleOf } from '../title.ts';

/**
 * The titles of the other open questions that a lasting answer with this reach settles as well: those whose
 * own reaches need no rule that it does not make. The machine may settle more.
 */
export const alsoAnswered = (
  { id, machineId, reaches }: Confirmation,
  reachId: string | undefined,
  open: readonly Confirmation[],
): string[] => {
  const made = new Set(reaches.find((one) => one.id === reachId)?.covers);
  const isCovered = (covers: readonly string[] = []) =>
    covers.length > 0 && covers.every((one) => made.has(one));
  return open
    .filter((one) => one.id !== id && one.machineId === machineId)
    .filter((one) => one.reaches.some(({ covers }) => isCovered(covers)))
    .map(titleOf);
};

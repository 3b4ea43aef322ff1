import type { Clock } from '@drawbridge/kit';
import type { Found } from '../journal/index.ts';
import type { Talk } from '../terminal/talk.ts';

/** Clears what the last process left half-done, and tells the person what became of it. */
export const clearLeftovers = async (
  found: Found,
  { clock, talk }: { clock: Clock; talk: Talk },
): Promise<void> => {
  if (found.lost.length > 0) {
    const { endTree, removeHalfWritten } = await import('../tools/leftovers.ts');
    const endAll = found.lost.map(
      (mark) => new Promise<void>((resolve) => endTree({ mark }, clock, resolve)),
    );
    await Promise.all(endAll);
    await removeHalfWritten({ calls: found.lost, paths: found.paths });
  }
  if (found.broken !== null) {
    talk.problem(
      `The journal of this machine was damaged; it is kept as ${found.broken}`,
      'Calls that were under way are reported as lost: look at what they changed.',
    );
  }
  for (const requestId of found.lost)
    talk.line('lost', `call ${requestId} may have run when drawbridge ended`, 'yellow');
};

import type { Found } from '../journal/index.ts';
import type { Talk } from '../terminal/talk.ts';
import { removeHalfWritten } from '../tools/index.ts';

/** Clears what the last process left half-done, and tells the person what became of it. */
export const clearLeftovers = async (found: Found, talk: Talk): Promise<void> => {
  await removeHalfWritten(found.paths);
  if (found.broken !== null) {
    talk.problem(
      `The journal of this machine was damaged; it is kept as ${found.broken}`,
      'Calls that were under way are reported as lost: look at what they changed.',
    );
  }
  for (const requestId of found.lost)
    talk.line('lost', `call ${requestId} may have run when drawbridge ended`, 'yellow');
};

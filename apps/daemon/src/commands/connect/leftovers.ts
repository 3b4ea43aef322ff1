import type { Clock } from '@drawbridge/kit';
import type { Found } from '../../journal/index.ts';
import type { TerminalOutput } from '../../terminal/terminal-output.ts';

/** Clears what the last process left half-done, and reports the result to the user. */
export const clearLeftovers = async (
  found: Found,
  { clock, terminal }: { clock: Clock; terminal: TerminalOutput },
): Promise<void> => {
  if (found.lost.length > 0) {
    const { endTree, removeTempFiles } = await import('../../tools/leftovers.ts');
    const endAll = found.lost.map((tag) => new Promise<void>((resolve) => endTree({ tag }, clock, resolve)));
    await Promise.all(endAll);
    await removeTempFiles({ calls: found.lost, paths: found.paths });
  }
  if (found.broken !== null) {
    terminal.problem(
      `The journal of this machine was damaged; it is kept as ${found.broken}`,
      'Calls that were under way are reported as lost: look at what they changed.',
    );
  }
  for (const requestId of found.lost)
    terminal.line('lost', `call ${requestId} may have run when drawbridge ended`, 'yellow');
};

import type { Clock } from '@drawbridge/kit';
import type { OpenedJournal } from '../../journal/index.ts';
import { callTag } from '../../link/index.ts';
import type { TerminalOutput } from '../../terminal/terminal-output.ts';

export const clearLeftovers = async (
  { journal: { recovered }, instance }: Pick<OpenedJournal, 'journal' | 'instance'>,
  { clock, terminal }: { clock: Clock; terminal: TerminalOutput },
): Promise<void> => {
  if (recovered.lost.length > 0) {
    const { endLeftTree, removeTempFiles } = await import('../../tools/leftovers.ts');
    const tags = recovered.lost.map((requestId) => callTag(instance, requestId));
    await Promise.all(tags.map((tag) => endLeftTree(tag, clock)));
    await removeTempFiles({ tags, paths: recovered.paths });
  }
  if (recovered.broken !== null) {
    terminal.problem(
      `The journal of this machine was damaged; it is kept as ${recovered.broken}`,
      'Calls that were under way are reported as lost: check what they changed.',
    );
  }
  for (const requestId of recovered.lost)
    terminal.line('lost', `call ${requestId} may have run when drawbridge ended`, 'yellow');
};

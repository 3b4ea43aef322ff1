import { join } from 'node:path';
import { type Clock, visible } from '@drawbridge/kit';
import { withoutKeys } from '@drawbridge/kit/node';
import { createLogFile } from '../../../log/index.ts';

/** Full logs of one server that are kept beside the one that is written. */
const olderLogs = 1;
const maxLineLength = 2_000;

/** Writes `logs/mcp-<name>.log` in the private folder. */
export const createServerLog = (needs: { folder: string; name: string; clock: Clock }) => {
  const { folder, name, clock } = needs;
  const path = join(folder, 'logs', `mcp-${name}.log`);
  const file = createLogFile({ path, older: olderLogs, clock });
  return {
    path,
    /** `text` may hold anything: it becomes one line of visible characters. */
    line: (kind: 'stderr' | 'stdout' | 'drawbridge', text: string) => {
      const cut = text.length > maxLineLength ? `${text.slice(0, maxLineLength)}…` : text;
      file.line(`${new Date(clock.now()).toISOString()} ${kind} ${withoutKeys(visible(cut))}`);
    },
    settled: file.settled,
  };
};

export type ServerLog = ReturnType<typeof createServerLog>;

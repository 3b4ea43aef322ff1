import type { RequestCaller } from '@drawbridge/contracts/daemon-event';
import type { Mode } from '@drawbridge/contracts/groups';
import type { Clock } from '@drawbridge/kit';
import type { LocalProcessesQuery } from '@drawbridge/contracts/machines/processes';
import type { ProcessHosts } from '../../common/network/process-hosts.ts';
import type { DaemonTool, Resource } from '../../common/tool.ts';
import type { Surroundings } from '../asked-command.ts';
import type { Launcher } from '../launch.ts';
import { besidesWords } from '../network/besides.ts';
import { answerProcessesQuery } from './answer-query.ts';
import { createGoOn } from './go-on.ts';
import { createProcessList } from './list.ts';
import { createProcessRead } from './read.ts';
import { createProcesses } from './registry.ts';
import { createReports } from './report.ts';
import { createProcessStart } from './start.ts';
import { createProcessStop } from './stop.ts';
import type { ProcessTools } from './tools.ts';
import { createProcessWrite } from './write.ts';

interface Needs {
  clock: Clock;
  root: string;
  prepare: Launcher;
  surroundings: Surroundings;
  hosts: Pick<ProcessHosts, 'provide'>;
  access(resource: Resource): Promise<Mode>;
}

/** The tools of background processes, and the processes themselves. */
export const createProcessTools = ({ clock, root, prepare, hosts, access, ...needs }: Needs) => {
  const processes = createProcesses({ clock, access });
  const surroundings = {
    ...needs.surroundings,
    ...(needs.surroundings.network && {
      besides: (caller?: RequestCaller) => besidesWords(processes.withHosts(), caller),
    }),
  };
  hosts.provide(processes.findPort);
  const tools: ProcessTools = {
    clock,
    prepare,
    processes,
    report: createReports(root, surroundings),
    surroundings,
  };
  return {
    /** With what a question says of processes. */
    surroundings,
    close: processes.close,
    goOn: createGoOn(tools),
    answer: (query: LocalProcessesQuery) => answerProcessesQuery(processes, query),
    tools: [
      createProcessStart(tools),
      createProcessRead(tools),
      createProcessWrite({ ...tools, access }),
      createProcessStop(tools),
      createProcessList(tools),
    ] satisfies DaemonTool[],
  };
};

export type ProcessToolset = ReturnType<typeof createProcessTools>;

import { z } from 'zod';
import { textResult } from '../../common/result.ts';
import { defineTool, type DaemonTool } from '../../common/tool.ts';
import { summaryOf } from './report.ts';
import type { ProcessTools } from './tools.ts';

/** `process_list`: the caller's own, the newest last; for the person those of everybody. */
export const createProcessList = ({ processes }: ProcessTools): DaemonTool =>
  defineTool({
    name: 'process_list',
    title: 'List processes',
    description: 'The processes that you have started, with those that ended in the last 24 hours.',
    group: 'shell',
    category: 'shell',
    effect: 'reads',
    lane: 'process',
    input: z.strictObject({}),
    resources: async () => [],
    asks: async () => 'List processes?',
    run: async (_input, { caller }) =>
      textResult(JSON.stringify({ processes: processes.list(caller).map(summaryOf) })),
  });

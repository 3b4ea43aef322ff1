import { z } from 'zod';
import { count, flag } from '../../common/inputs.ts';
import { defineTool, type DaemonTool } from '../../common/tool.ts';
import { processLimits } from './limits.ts';
import { endedWithDaemon } from './report.ts';
import { defaultChars, processInput, waitingInput, type ProcessTools } from './tools.ts';
import { waitForOutput } from './wait.ts';

const input = z.strictObject({
  process: processInput,
  cursor: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe('The `cursor` of an earlier result: gives what came after it (default: the end of the output)'),
  ...waitingInput,
  maxChars: count('How many characters to give at most (default 20000)', processLimits.resultChars),
  raw: flag('Keep colours and control characters'),
});

/** `process_read`. It waits only where it is told to. */
export const createProcessRead = (tools: ProcessTools): DaemonTool => {
  const { clock, processes, report } = tools;
  return defineTool({
    name: 'process_read',
    title: 'Read process',
    description:
      'Output and state of a process: `cursor` for the next call, `lost` characters that are not kept any more (the last ' +
      '1,048,576 are), `ended` with the cause, `waits` where it reads its input or asks for a password.',
    group: 'shell',
    category: 'shell',
    effect: 'reads',
    lane: 'process',
    input,
    resources: async () => [],
    asks: async () => 'Read the output of a process?',
    run: async (
      { process: id, cursor, waitFor: texts = [], waitMs = 0, maxChars = defaultChars, raw },
      context,
    ) => {
      if (processes.isOfEarlier(id)) return endedWithDaemon(id);
      const process = processes.find(id, context.caller);
      process.touch();
      const from = cursor ?? process.output.end();
      const { signal } = context;
      const wait = () => waitForOutput(process, clock, { from, texts, waitMs, signal });
      const found = waitMs > 0 ? await context.outside(wait) : undefined;
      return report(process, { cursor, maxChars, raw }, found);
    },
  });
};

import { sleep } from '@drawbridge/kit';
import { z } from 'zod';
import { defineTool, type DaemonTool } from '../../common/tool.ts';
import { endedWithDaemon } from './report.ts';
import { defaultChars, processInput, type ProcessTools } from './tools.ts';

const interruptMs = 2_000;

const input = z.strictObject({
  process: processInput,
  signal: z
    .enum(['INT', 'TERM', 'KILL'])
    .optional()
    .describe(
      'INT: what control + C sends, which it may ignore. TERM (default): all of it ends, by KILL after 2 s',
    ),
});

/** `process_stop`: with everything that the process has started. */
export const createProcessStop = (tools: ProcessTools): DaemonTool => {
  const { clock, processes, report } = tools;
  return defineTool({
    name: 'process_stop',
    title: 'Stop process',
    description: 'Stop a process and all that it has started, and give its last output.',
    group: 'shell',
    category: 'shell',
    effect: 'destroys',
    lane: 'process',
    input,
    resources: async () => [],
    asks: async ({ process }) => `Stop ${process}?`,
    run: async ({ process: id, signal: name = 'TERM' }, context) => {
      if (processes.isOfEarlier(id)) return endedWithDaemon(id);
      const process = processes.find(id, context.caller);
      if (name === 'INT') {
        await process.interrupt();
        await Promise.race([process.done, sleep(clock, interruptMs, context.signal)]);
      } else {
        if (name === 'KILL') await process.kill('stopped');
        else process.stop('stopped');
        await process.done;
      }
      return report(process, { maxChars: defaultChars });
    },
  });
};

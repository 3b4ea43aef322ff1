import type { ToolResult } from '@drawbridge/contracts/tool-result';
import type { RunContext } from '../../common/tool.ts';
import type { DeniedPaths } from '../../../permission/index.ts';
import { defaultTimeoutMs } from '../command.ts';
import { hostsOf, type InspectedCommand } from '../asked-command.ts';
import type { CommandEgress } from '../network/command-egress.ts';
import type { Continuation } from '../run-command.ts';
import { processLimits } from './limits.ts';
import { createOutputBuffer } from './output.ts';
import { defaultChars, type ProcessTools } from './tools.ts';

const note =
  `The command did not end within ${defaultTimeoutMs / 1000} s and goes on in the background. ` +
  '`process_read` gives its further output and how it ends, `process_stop` stops it.';

/** A command in the foreground, as it was started. */
export interface ForegroundCommand {
  command: string;
  inspected: InspectedCommand;
  context: RunContext;
  egress: CommandEgress | undefined;
  closedPaths: DeniedPaths;
}

export type GoOn = (command: ForegroundCommand) => Continuation<ToolResult>;

/** Makes a process of a command whose time is over, with its output since the start. */
export const createGoOn =
  ({ clock, processes, report }: ProcessTools): GoOn =>
  ({ command, inspected, context, egress, closedPaths }) => {
    const { tag, caller: owner, deniedPaths, root } = context;
    const { folder, wanted: resource } = inspected;
    const spec = { tag, command, folder, hosts: hostsOf(inspected), resource, owner, takesInput: false };
    const early = createOutputBuffer(processLimits.outputChars);
    return {
      open: () => {
        early.clear();
        return early.add;
      },
      accept: ({ follow, startedAtMs }) => {
        if (!processes.canStart(owner)) return undefined;
        const process = processes.start(spec, {
          root,
          clock,
          startedAtMs,
          egress,
          opened: undefined,
          closedPaths,
          deniedPaths,
          follow: (options) =>
            follow({
              ...options,
              open: (handle) => {
                const add = options.open(handle);
                add('stdout', Buffer.from(early.read(0).text));
                early.clear();
                return add;
              },
            }),
        });
        return report(process, { cursor: 0, maxChars: defaultChars, note });
      },
    };
  };

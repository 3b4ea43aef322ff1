import { defineTool, type DaemonTool } from '../common/tool.ts';
import {
  createCommandQuestions,
  inForeground,
  inputPreview,
  networkInput,
  sandboxWords,
  seesAll,
  stdinInput,
  type GivenCommand,
  type Surroundings,
} from './asked-command.ts';
import { clampTimeout, commandInput, toCommandResource, toResult } from './command.ts';
import { explain } from './explain.ts';
import type { Launcher } from './launch.ts';
import { openCommandEgress } from './network/command-egress.ts';
import type { FailedCommands } from './outside/failed-commands.ts';
import { outsideName } from './outside/shell-execute-outside.ts';
import { runCommand } from './run-command.ts';

const input = commandInput.extend(stdinInput);

const outsideNote = `The user can let exactly this command run once outside of the sandbox: ask with ${outsideName}.`;

interface Given extends GivenCommand {
  timeout?: number | undefined;
}

interface Executed extends Surroundings {
  /** Present where the user lets failed commands be asked about outside of the sandbox. */
  failedCommands?: FailedCommands;
}

/** `shell_execute` with the launcher that decides what a command can reach, and whether that is a sandbox. */
export const createShellExecute = (prepare: Launcher, surroundings: Executed): DaemonTool => {
  const { sandbox, look = seesAll, network, hasProcesses = false, failedCommands } = surroundings;
  const questions = createCommandQuestions(surroundings);
  return defineTool({
    name: 'shell_execute',
    title: 'Run command',
    description: `Run a shell command and give its output and exit code. ${sandboxWords(sandbox)}`,
    group: 'shell',
    category: 'shell',
    effect: 'destroys',
    input: network === undefined ? input : input.extend(networkInput),
    resources: (given: Given, context) => questions.resources(given, context, inForeground),
    asks: (given: Given) => questions.title(given, ''),
    preview: async (given: Given) => inputPreview(given),
    run: async (given: Given, context) => {
      const { command, timeout, stdin } = given;
      const { folder, hasNetwork, ...grants } = await questions.granted(given, context, inForeground);
      const timeoutMs = clampTimeout(timeout);
      const egress = hasNetwork && network ? await openCommandEgress(network, grants) : undefined;
      try {
        const ended = await runCommand(
          {
            ...context,
            text: command,
            cwd: folder,
            timeoutMs,
            deniedPaths: context.deniedPaths(),
            egress,
            ...(stdin !== undefined && { stdin }),
          },
          prepare,
        );
        const about = { root: context.root, timeoutMs, sandbox, look, hasNetwork, hasProcesses };
        const blocked = egress?.notes() ?? [];
        const { notes: sentences, causes } = explain(command, ended, about);
        const notes = [...blocked, ...sentences];
        // Outside it would have no input.
        if (failedCommands && ended.exitCode !== 0 && !ended.timedOut && stdin === undefined) {
          const words = causes.map((one) => one.words);
          if (blocked.length > 0) words.unshift('it was not let to a host or a repository');
          failedCommands.failed(toCommandResource(command, folder), words);
          if (words.length > 0) notes.push(outsideNote);
        }
        return toResult(ended, { notes: sandbox ? [...notes, ...ended.left.notes] : notes, egress });
      } finally {
        egress?.close();
      }
    },
  });
};

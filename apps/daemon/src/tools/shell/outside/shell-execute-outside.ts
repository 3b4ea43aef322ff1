import type { z } from 'zod';
import { errors } from '../../common/errors.ts';
import { commandWords } from '../../common/question-words.ts';
import {
  defineTool,
  isGranted,
  type DaemonTool,
  type Resource,
  type ToolContext,
} from '../../common/tool.ts';
import { clampTimeout, commandInput, folderOf, toCommandResource, toResult } from '../command.ts';
import { explain } from '../explain.ts';
import type { Launcher } from '../launch.ts';
import { runCommand } from '../run-command.ts';
import type { FailedCommand, FailedCommands } from './failed-commands.ts';

export const outsideName = 'shell_execute_outside';

type Given = z.infer<typeof commandInput>;

const resourceOf = (resource: string, { id, words }: FailedCommand): Resource => ({
  toolGroup: 'shell',
  resource,
  description:
    'Run this command once outside of the sandbox: it can do whatever you can do on this machine. ' +
    `In the sandbox it failed: ${words.join('; ')}`,
  fingerprint: `outside ${id}`,
  explicit: true,
  once: true,
  alone: true,
});

const mustHaveFailed = (commands: FailedCommands, resource: string): FailedCommand => {
  const entry = commands.find(resource);
  if (entry?.kind === 'denied') throw errors.deniedOutside();
  if (entry === undefined) throw errors.notFailedInside();
  return entry.failed;
};

/** Runs a command that the sandbox has just made fail, without it, after a question of its own. */
export const createShellExecuteOutside = (prepare: Launcher, commands: FailedCommands): DaemonTool => {
  const inspect = ({ command, cwd }: Given, context: ToolContext) => {
    const folder = folderOf(context, cwd);
    return { folder, resource: toCommandResource(command, folder) };
  };
  return defineTool({
    name: outsideName,
    title: 'Run command outside of the sandbox',
    description:
      'Run a shell command once without the sandbox, with the rights of the user. Only a command that shell_execute has ' +
      'run in the last 10 minutes, with the same text and folder, and that failed because of the sandbox; the user is asked each time.',
    group: 'shell',
    category: 'shell',
    effect: 'destroys',
    input: commandInput,
    resources: async (given: Given, context) => {
      const { resource } = inspect(given, context);
      return [resourceOf(resource, mustHaveFailed(commands, resource))];
    },
    asks: (given: Given, _resources, context) => {
      commands.asked(inspect(given, context).resource);
      return `Run ${commandWords(given.command)} outside of the sandbox?`;
    },
    refused: (given: Given, context) => commands.denied(inspect(given, context).resource),
    run: async (given: Given, context) => {
      const { folder, resource } = inspect(given, context);
      const wanted = resourceOf(resource, mustHaveFailed(commands, resource));
      if (!isGranted(context, wanted)) throw errors.notGranted();
      commands.started(resource);
      const { command, timeout } = given;
      const timeoutMs = clampTimeout(timeout);
      const deniedPaths = context.deniedPaths();
      const ended = await runCommand(
        { ...context, text: command, cwd: folder, timeoutMs, deniedPaths },
        prepare,
      );
      const look = () => ({ sees: () => true, isClosed: () => false });
      const { notes } = explain(command, ended, { root: context.root, timeoutMs, sandbox: false, look });
      return toResult(ended, { notes });
    },
  });
};

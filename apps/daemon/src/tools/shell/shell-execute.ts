import type { ToolResult } from '@drawbridge/contracts/tool-result';
import { defineTool, type DaemonTool, type RunContext } from '../common/tool.ts';
import {
  createCommandQuestions,
  inForeground,
  inputPreview,
  networkInput,
  sandboxWords,
  seesAll,
  stdinInput,
  type GivenCommand,
  type Manner,
  type Surroundings,
} from './asked-command.ts';
import { clampTimeout, commandInput, defaultTimeoutMs, toCommandResource, toResult } from './command.ts';
import { explain } from './explain.ts';
import type { Launcher } from './launch.ts';
import { openCommandEgress, type CommandEgress } from './network/command-egress.ts';
import type { GoOn } from './processes/go-on.ts';
import type { FailedCommands } from './outside/failed-commands.ts';
import { outsideName } from './outside/shell-execute-outside.ts';
import { runOrContinue, type Ended } from './run-command.ts';

const input = commandInput.extend(stdinInput);

const outsideNote = `The user can let exactly this command run once outside of the sandbox: ask with ${outsideName}.`;

interface Given extends GivenCommand {
  timeout?: number | undefined;
}

interface Ran {
  root: string;
  folder: string;
  hasNetwork: boolean;
  egress: CommandEgress | undefined;
}

const goesOnWords = `. After ${defaultTimeoutMs / 1000} s it continues in the background`;

interface Executed extends Surroundings {
  /** Present where the user lets failed commands be asked about outside of the sandbox. */
  failedCommands?: FailedCommands;
  /** Present where a command may go on in the background. */
  goOn?: GoOn;
}

/** `shell_execute` with the launcher that decides what a command can reach, and whether that is a sandbox. */
export const createShellExecute = (prepare: Launcher, surroundings: Executed): DaemonTool => {
  const { sandbox, look = seesAll, network, goOn, failedCommands } = surroundings;
  const questions = createCommandQuestions(surroundings);
  const mannerOf = ({ timeout }: Given): Manner =>
    timeout === undefined && goOn !== undefined ? { ...inForeground, says: goesOnWords } : inForeground;

  const toFinalResult = (
    ended: Ended,
    given: Given,
    { root, folder, hasNetwork, egress }: Ran,
  ): ToolResult => {
    const { command, timeout, stdin } = given;
    const about = { root, timeoutMs: clampTimeout(timeout), sandbox, look, hasNetwork };
    const blocked = egress?.notes() ?? [];
    const hasProcesses = goOn !== undefined;
    const { notes: sentences, causes } = explain(command, ended, { ...about, hasProcesses });
    const notes = [...blocked, ...sentences];
    // Outside it would have no input.
    if (failedCommands && ended.exitCode !== 0 && !ended.timedOut && stdin === undefined) {
      const words = causes.map((one) => one.words);
      if (blocked.length > 0) words.unshift('it was not let to a host or a repository');
      failedCommands.failed(toCommandResource(command, folder), words);
      if (words.length > 0) notes.push(outsideNote);
    }
    return toResult(ended, { notes: sandbox ? [...notes, ...ended.left.notes] : notes, egress });
  };

  const run = async (given: Given, context: RunContext): Promise<ToolResult> => {
    const { command, timeout, stdin } = given;
    const inspected = await questions.granted(given, context, mannerOf(given));
    const { folder, hasNetwork } = inspected;
    const deniedPaths = context.deniedPaths();
    const egress = hasNetwork && network ? await openCommandEgress(network, inspected) : undefined;
    const started = { command, inspected, context, egress, closedPaths: deniedPaths };
    const next = timeout === undefined ? goOn?.(started) : undefined;
    const asStarted = {
      ...context,
      text: command,
      cwd: folder,
      timeoutMs: clampTimeout(timeout),
      deniedPaths,
      egress,
      ...(stdin !== undefined && { stdin }),
    };
    let goesOn = false;
    try {
      const outcome = await runOrContinue(asStarted, prepare, next);
      goesOn = 'continued' in outcome;
      if ('continued' in outcome) return outcome.continued;
      return toFinalResult(outcome.ended, given, { root: context.root, folder, hasNetwork, egress });
    } finally {
      if (!goesOn) egress?.close();
    }
  };

  return defineTool({
    name: 'shell_execute',
    title: 'Run command',
    description:
      'Run a shell command and give its output and exit code. ' +
      (goOn === undefined
        ? ''
        : 'Without `timeout` a command that takes longer than 30 s goes on in the background, and its id is given. ') +
      sandboxWords(sandbox),
    group: 'shell',
    category: 'shell',
    effect: 'destroys',
    input: network === undefined ? input : input.extend(networkInput),
    resources: (given: Given, context) => questions.resources(given, context, mannerOf(given)),
    asks: (given: Given) => questions.title(given, ''),
    preview: async (given: Given) => inputPreview(given),
    run,
  });
};

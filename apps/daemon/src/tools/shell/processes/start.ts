import { flag } from '../../common/inputs.ts';
import { defineTool, type DaemonTool, type RunContext } from '../../common/tool.ts';
import {
  createCommandQuestions,
  inputPreview,
  networkInput,
  hostsOf,
  sandboxWords,
  stdinInput,
  type GivenCommand,
  type Manner,
} from '../asked-command.ts';
import { commandInput } from '../command.ts';
import { followCommand } from '../follow-command.ts';
import { openCommandEgress } from '../network/command-egress.ts';
import { createProcessPorts, portsInput, portWords, readPorts } from '../ports/process-ports.ts';
import { terminalInput, type TerminalSize } from '../terminal/terminal.ts';
import type { Process } from './process.ts';
import { defaultChars, waitingInput, type ProcessTools } from './tools.ts';
import { waitForOutput } from './wait.ts';

const defaultWaitMs = 2_000;
const defaultTextWaitMs = 10_000;

const input = commandInput.omit({ timeout: true }).extend({
  ...stdinInput,
  input: flag(
    'Whether what is typed into it later runs without a further question (default: each text is asked about)',
  ),
  ...waitingInput,
});

interface Given extends GivenCommand {
  input?: boolean | undefined;
  ports?: number[] | undefined;
  terminal?: TerminalSize | undefined;
  waitFor?: string[] | undefined;
  waitMs?: number | undefined;
}

const manner = ({ input: takesInput = false, ports: given, terminal }: Given): Manner => {
  const ports = readPorts(given);
  return {
    tags: [
      'background',
      ...(takesInput ? ['input'] : []),
      ...(terminal ? ['terminal'] : []),
      ...(ports.length > 0 ? [`ports=${ports.join(',')}`] : []),
    ],
    says:
      `. It runs in the background${terminal ? ', in a terminal,' : ''} until` +
      ' it ends, is stopped, or drawbridge ends' +
      (ports.length > 0 ? `, with ${portWords(ports)} open to the agent's browser` : '') +
      (takesInput ? '. What the agent types into it runs without a further question' : ''),
    sessionOnly: takesInput,
  };
};

/** Resolves at its start. Rejects, with nothing left of it, if that fails or the call is cancelled before. */
const begin = async (process: Process, drop: () => void, signal: AbortSignal): Promise<void> => {
  const stop = () => process.stop('stopped');
  signal.addEventListener('abort', stop, { once: true });
  try {
    await process.begun;
  } catch (error) {
    drop();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
};

/** `process_start`: a command as `shell_execute` runs it, without a time-out. */
export const createProcessStart = (tools: ProcessTools): DaemonTool => {
  const { clock, prepare, processes, report, surroundings } = tools;
  const { sandbox, network } = surroundings;
  const questions = createCommandQuestions(surroundings);

  const start = async (given: Given, context: RunContext): Promise<Process> => {
    const { command, stdin, terminal, input: takesInput = false } = given;
    const { folder, wanted, hasNetwork, ...granted } = await questions.granted(given, context, manner(given));
    const egress = hasNetwork && network ? await openCommandEgress(network, granted) : undefined;
    const ports = readPorts(given.ports);
    const opened =
      ports.length > 0 && network
        ? createProcessPorts(ports, { clock, ownPorts: network.ownPorts })
        : undefined;
    const { tag, caller: owner, deniedPaths } = context;
    const hosts = hostsOf(granted);
    const spec = { tag, command, folder, hosts, resource: wanted, owner, stdin, terminal, takesInput };
    const closedPaths = deniedPaths();
    const start = { tag, text: command, cwd: folder, clock, terminal, egress, relay: opened?.relay };
    try {
      const process = processes.start(spec, {
        root: context.root,
        clock,
        follow: (options) =>
          followCommand({ ...start, ...options, deniedPaths: closedPaths, hasInput: true }, prepare),
        egress,
        opened,
        closedPaths,
        deniedPaths,
      });
      await begin(process, () => processes.drop(process), context.signal);
      return process;
    } catch (error) {
      egress?.close();
      opened?.close();
      throw error;
    }
  };

  return defineTool({
    name: 'process_start',
    title: 'Start process',
    description:
      'Start a command that goes on in the background: a server, a watcher, a REPL, a long build. Gives its id and its first ' +
      `output. Its standard input is open. ${sandboxWords(sandbox)} It ends when it is stopped, after ` +
      '24 hours, after 2 hours in which nothing happens, and when drawbridge ends on the machine.',
    group: 'shell',
    category: 'shell',
    effect: 'destroys',
    lane: 'process',
    input: network === undefined ? input : input.extend({ ...networkInput, ...portsInput, ...terminalInput }),
    resources: (given: Given, context) => questions.resources(given, context, manner(given)),
    asks: (given: Given) => questions.title(given, ' in the background'),
    preview: async (given: Given) => inputPreview(given),
    run: async (given: Given, context) => {
      const process = await start(given, context);
      const { waitFor: texts = [], waitMs } = given;
      const longest = waitMs ?? (texts.length > 0 ? defaultTextWaitMs : defaultWaitMs);
      const { signal } = context;
      const wait = () => waitForOutput(process, clock, { from: 0, texts, waitMs: longest, signal });
      // A cancelled start leaves nothing: its caller has no id to stop it by.
      const found = await context.outside(wait).catch(async (error: unknown) => {
        process.stop('stopped');
        await process.done;
        throw error;
      });
      return report(process, { cursor: 0, maxChars: defaultChars }, found);
    },
  });
};

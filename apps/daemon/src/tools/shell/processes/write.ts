import type { Mode } from '@drawbridge/contracts/groups';
import { z } from 'zod';
import { errors } from '../../common/errors.ts';
import { flag } from '../../common/inputs.ts';
import { textWords } from '../../common/question-words.ts';
import {
  defineTool,
  isGranted,
  type DaemonTool,
  type Resource,
  type ToolContext,
} from '../../common/tool.ts';
import { toCommandResource } from '../command.ts';
import { processLimits } from './limits.ts';
import { interruptKey, keyNames, toSequence } from '../terminal/keys.ts';
import type { Process } from './process.ts';
import { defaultChars, processInput, waitInput, type ProcessTools } from './tools.ts';
import { waitForOutput } from './wait.ts';

const defaultWaitMs = 2_000;

const input = z.strictObject({
  process: processInput,
  text: z
    .string()
    .max(processLimits.inputBytes)
    .optional()
    .describe('What to write, as it is: a line needs "\\n" at its end. At most 64 KiB'),
  keys: z
    .array(z.enum(keyNames))
    .max(32)
    .optional()
    .describe(
      'Keys that are pressed after the text, of a process with a terminal: ["up", "enter"], ["ctrl-c"]',
    ),
  endInput: flag('Ends the standard input after the text; in a terminal: control + D'),
  ...waitInput,
});

interface Given {
  process: string;
  text?: string | undefined;
  keys?: string[] | undefined;
  endInput?: boolean | undefined;
  waitMs?: number | undefined;
}

const typedBy = ({ text = '', keys = [] }: Given) => text + toSequence(keys);

/** Whether it only interrupts: that stops something, and starts nothing. */
const isInterrupt = ({ text = '', keys = [] }: Given): boolean =>
  text === '' && keys.every((key) => key === interruptKey);

/** The text in quotes, and the keys by their names. */
const typedWords = ({ text = '', keys = [] }: Given): string =>
  [...(text === '' ? [] : [textWords(text)]), ...keys.map((key) => `[${key}]`)].join(' + ');

/** Deny rules for commands apply to typed text; answers for commands do not allow it. */
const toTyped = ({ id, command, folder }: Process, given: Given): Resource => ({
  toolGroup: 'shell',
  resource: toCommandResource(typedBy(given), folder),
  description: `Type ${typedWords(given)} into ${id}, which runs ${textWords(command)}`,
  fingerprint: `typed ${id}`,
  once: true,
});

interface WriteTools extends ProcessTools {
  access(resource: Resource): Promise<Mode>;
}

/** `process_write`. Each text is asked about, unless the question of the start said that none will be. */
export const createProcessWrite = (tools: WriteTools): DaemonTool => {
  const { access, clock, processes, report } = tools;
  const find = ({ process: id, text = '', keys = [] }: Given, { caller }: ToolContext) => {
    if (Buffer.byteLength(text) > processLimits.inputBytes)
      throw errors.badArguments({ message: 'text: is longer than 64 KiB' });
    const process = processes.find(id, caller);
    if (keys.length > 0 && process.terminal === undefined)
      throw errors.inputRefused({ message: 'keys: the process was started without `terminal`' });
    return process;
  };
  return defineTool({
    name: 'process_write',
    title: 'Write to process',
    description:
      'Write to the standard input of a process and give what it prints then. The user is asked about each text, unless the ' +
      'process was started with `input`.',
    group: 'shell',
    category: 'shell',
    effect: 'destroys',
    lane: 'process',
    input,
    resources: async (given: Given, context) => {
      const process = find(given, context);
      return isInterrupt(given) || process.takesInput ? [] : [toTyped(process, given)];
    },
    asks: async (given: Given) => `Type ${typedWords(given)} into ${given.process}?`,
    run: async (given: Given, context) => {
      const { endInput: ends = false, waitMs = defaultWaitMs } = given;
      const process = find(given, context);
      const typed = toTyped(process, given);
      const isAllowed = process.takesInput ? (await access(typed)) !== 'deny' : isGranted(context, typed);
      if (!isInterrupt(given) && !isAllowed) throw errors.notGranted();
      if (!isInterrupt(given) && process.waits() === 'password') throw errors.asksForPassword();
      const from = process.output.end();
      process.write(typedBy(given), { ends });
      const { signal } = context;
      const wait = () => waitForOutput(process, clock, { from, texts: [], waitMs, signal });
      await context.outside(wait);
      return report(process, { cursor: from, maxChars: defaultChars });
    },
  });
};

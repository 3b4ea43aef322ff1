import type { Sender } from '../lanes/api.ts';
import type { Command, CommandContext } from './command.ts';
import { queueCommand } from './queue.ts';
import { runtimeCommand } from './runtime.ts';
import { stopCommand } from './stop.ts';
import { subagentsCommand } from './subagents.ts';

const commands = new Map<string, Command>([
  ['/queue', queueCommand],
  ['/stop', stopCommand],
  ['/cancel', stopCommand],
  ['/runtime', runtimeCommand],
  ['/backend', runtimeCommand],
  ['/subagents', subagentsCommand],
]);

/** The answer to a command; null for any other text, which is a message to the agent. */
export const runCommand = async (
  context: CommandContext,
  { sender, threadId, text }: { sender: Sender; threadId: string; text: string },
): Promise<string | null> => {
  const [name = '', ...words] = text.trim().toLowerCase().split(/\s+/);
  const command = commands.get(name);
  return command ? command(context, { sender, threadId, words }) : null;
};

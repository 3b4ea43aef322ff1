import type { Sender } from '../../rows/sender.ts';
import type { Command, CommandContext } from './command.ts';
import { queueCommand } from './queue.ts';
import { runtimeCommand } from './runtime.ts';
import { stopCommand } from './stop.ts';
import { subagentsCommand } from './subagents.ts';

const listed: readonly { usage: string; says: string; run: Command }[] = [
  { usage: '/queue', says: 'how messages wait in this chat, and what waits', run: queueCommand },
  { usage: '/stop', says: 'end what waits, then the run; also /cancel', run: stopCommand },
  { usage: '/subagents', says: 'the sub-agents and background tasks of this chat', run: subagentsCommand },
  {
    usage: '/runtime',
    says: 'what answers this chat: the model, or a coding agent of a machine; also /backend',
    run: runtimeCommand,
  },
];

const help: Command = async () => listed.map(({ usage, says }) => `${usage}: ${says}`).join('\n');

const commands = new Map<string, Command>([
  ...listed.map(({ usage, run }) => [usage, run] as const),
  ['/cancel', stopCommand],
  ['/backend', runtimeCommand],
  ['/help', help],
]);

/** The answer to a command; null for any other text, which is a message to the agent. */
export const runCommand = async (
  context: CommandContext,
  { sender, threadId, text }: { sender: Sender; threadId: string; text: string },
): Promise<string | null> => {
  const [name = '', ...given] = text.trim().split(/\s+/);
  const command = commands.get(name.toLowerCase());
  const words = given.map((word) => word.toLowerCase());
  return command ? command(context, { sender, threadId, words, given }) : null;
};

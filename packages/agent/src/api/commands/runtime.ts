import type { RuntimeMachine } from '../../ports/machine.ts';
import { openRunOf, threadOf } from '../../rows/load.ts';
import type { Runtime, ThreadRow } from '../../rows/rows.ts';
import { mayUseRuntimes, type Sender } from '../../rows/sender.ts';
import { update } from '../../rows/store.ts';
import { threadFor } from '../../turns/runs/accept.ts';
import { machineFor } from '../../tools/common/runtimes.ts';
import { native } from '../../turns/runtimes/route.ts';
import type { Command, CommandContext, CommandUse } from './command.ts';

const usage =
  'Usage: /runtime status | list | activate <name> [on <machine>] [in <folder>] | deactivate <name> | use config | new';

const stateOf = ({ isConnected, isPaused }: RuntimeMachine): string =>
  isPaused ? 'paused' : isConnected ? 'ready' : 'not connected';

const nameOf = ({ id, machineId, folder }: Runtime, machines: readonly RuntimeMachine[]): string => {
  const machine = machines.find((one) => one.id === machineId)?.name ?? 'a machine that does not offer it';
  return `${id} on ${machine}${folder === null ? '' : ` in ${folder}`}`;
};

const modelOf = async ({ ctx }: CommandContext): Promise<string> =>
  `Runtime: native. Model: ${(await ctx.model.info('main'))?.id ?? 'none'}.`;

const status = async (context: CommandContext, { sender, threadId }: CommandUse): Promise<string> => {
  const { ctx } = context;
  const { userId } = sender;
  const thread = await threadOf(ctx, userId, threadId);
  const { runtimeBackends } = await ctx.config();
  const listed = runtimeBackends.join(', ') === native ? '' : ` Settings: ${runtimeBackends.join(', ')}.`;
  if (!thread?.runtime || thread.runtime.id === native) return `${await modelOf(context)}${listed}`;
  const run = await openRunOf(ctx, userId, threadId);
  const session = thread.runtimeSession === null ? 'none yet' : 'continues';
  const now = run ? ' It works.' : '';
  const machines = await ctx.machine.runtimes(userId);
  return `Runtime: ${nameOf(thread.runtime, machines)}, chosen in this chat. Its conversation: ${session}.${now}`;
};

const list = async ({ ctx }: CommandContext, { sender: { userId } }: CommandUse): Promise<string> => {
  const machines = await ctx.machine.runtimes(userId);
  const lines = machines.flatMap((machine) =>
    machine.runtimes.map((id) => `${id} on ${machine.name}: ${stateOf(machine)}`),
  );
  const model = (await ctx.model.info('main'))?.id;
  return [
    model === undefined ? 'native: no model is set' : `native: ready, ${model}`,
    ...lines,
    ...(lines.length === 0 ? ['No machine offers a coding agent. Run drawbridge runtimes on one.'] : []),
  ].join('\n');
};

const store = async (
  { runner }: CommandContext,
  { userId, id }: ThreadRow,
  set: Partial<Pick<ThreadRow, 'runtime' | 'runtimeSession'>>,
): Promise<void> => {
  await runner.exclusive({ userId, threadId: id }, async (own) => {
    await own.store.commit([update('agentThreads', { userId, id }, set)], 'synced');
    own.bus.changed(userId, id);
  });
};

const aliases: Readonly<Record<string, string>> = { pi: 'pi_embedded' };

/** What follows a word, up to the next one of these: names of machines and folders have blanks. */
const after = (words: readonly string[], word: string): string | null => {
  const from = words.indexOf(word);
  if (from === -1) return null;
  const rest = words.slice(from + 1);
  const end = rest.findIndex((one) => one === 'on' || one === 'in');
  return (end === -1 ? rest : rest.slice(0, end)).join(' ') || null;
};

const choose = async (
  context: CommandContext,
  { sender, threadId, words, given }: CommandUse,
): Promise<string> => {
  const { ctx } = context;
  const id = aliases[words[1] ?? ''] ?? words[1];
  if (id === undefined) return usage;
  const machines = await ctx.machine.runtimes(sender.userId);
  const named = after(words, 'on');
  const offering = machines.filter(
    (one) =>
      one.runtimes.includes(id) &&
      (named === null || one.name.toLowerCase() === named || one.id.toLowerCase() === named),
  );
  const [first] = offering;
  if (first === undefined && id !== native)
    return `No machine offers ${id}. Run drawbridge runtimes enable ${id} on the one that should, and see /runtime list.`;
  const thread = await threadFor(ctx, sender, { threadId, machineId: null });
  if (first === undefined || id === native) {
    await store(context, thread, { runtime: { id: native, machineId: '', folder: null } });
    return modelOf(context);
  }
  const machine = machineFor(offering, id, thread.machineId) ?? first;
  const runtime = { id, machineId: machine.id, folder: after(given, 'in') };
  await store(context, thread, { runtime });
  const ready = stateOf(machine) === 'ready' ? '' : ` The machine is ${stateOf(machine)}.`;
  return `Runtime: ${nameOf(runtime, machines)}, chosen in this chat.${ready}`;
};

const release = async (context: CommandContext, { sender, threadId, words }: CommandUse): Promise<string> => {
  const id = aliases[words[1] ?? ''] ?? words[1];
  const thread = await threadFor(context.ctx, sender, { threadId, machineId: null });
  if (id !== undefined && thread.runtime?.id !== id) return `${id} is not the runtime of this chat.`;
  await store(context, thread, { runtime: null, runtimeSession: null });
  return modelOf(context);
};

const cannot = ({ key, groups }: Pick<Sender, 'key' | 'groups'>): string | null =>
  mayUseRuntimes({ key, groups })
    ? null
    : 'This client may not use coding agents: it needs the scope runtime.';

/** `/runtime` and `/backend`: what answers this chat. */
export const runtimeCommand: Command = async (context, use) => {
  const { sender, threadId, words } = use;
  const [verb = 'status', what] = words;
  if (verb === 'status') return status(context, use);
  if (verb === 'list') return list(context, use);
  const refused = cannot(sender);
  if (refused !== null) return refused;
  if (verb === 'activate') return choose(context, use);
  if (verb === 'deactivate') return release(context, use);
  if (verb === 'use' && what === 'config') return release(context, { ...use, words: ['use'] });
  if (verb === 'new') {
    const thread = await threadFor(context.ctx, sender, { threadId, machineId: null });
    await store(context, thread, { runtimeSession: null });
    return 'The next message begins a new conversation of the coding agent.';
  }
  return usage;
};

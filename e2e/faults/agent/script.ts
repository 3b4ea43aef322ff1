import { unpaired } from '../../agent/crash-script.ts';
import type { ScriptedCall } from '../../agent/model-turn.ts';
import type { ScriptedRequest, Turn } from '../../agent/scripted-model.ts';
import type { History } from '../history.ts';
import { opIn, toolCallOf } from '../marks.ts';
import type { PlannedTool } from '../plan.ts';
import type { ModelFault, PlannedMessage, windows, Work } from './plan.ts';

type Message = ScriptedRequest['body']['messages'][number];
type Task = Pick<PlannedMessage, 'work' | 'takesMs' | 'ops' | 'model'>;

/** What a coding agent says around the command of that op. */
export const saidBefore = (op: string): string => `begins with ${op}.`;
export const saidAfter = (op: string): string => `has done with ${op}.`;

/** A message of the person, which the model follows. */
export const messageText = ({ work, takesMs, model, ops }: Task): string => {
  const task = `work:${work} takes:${takesMs} model:${model ?? 'well'} ${ops.join(' ')}`;
  const [op = ''] = ops;
  if (work !== 'coding') return task;
  const { command } = toolCallOf({ op, tool: 'shell', takesMs }).arguments;
  return [task, `SAY ${saidBefore(op)}`, `RUN ${command}`, `SAY ${saidAfter(op)}`].join('\n');
};

const textOf = ({ content }: Message): string =>
  typeof content === 'string' ? content : (JSON.stringify(content) ?? '');

const pattern = /work:(\w+) takes:(\d+) model:([\w-]+)((?: op-\d{6})+)/;

/** The newest message that sets a task, and the steps with calls since then. */
const taskIn = (messages: readonly Message[]): { task: Task; steps: number } | undefined => {
  const at = messages.findLastIndex((one) => one.role === 'user' && pattern.test(textOf(one)));
  const [, work = '', takes = '', model = '', ops = ''] =
    pattern.exec(textOf(messages[at] ?? messages[0]!)) ?? [];
  if (at === -1) return undefined;
  const steps = messages.slice(at).filter(({ tool_calls }) => Array.isArray(tool_calls)).length;
  return {
    // The plan wrote them.
    task: {
      work: work as Work,
      takesMs: Number(takes),
      model: model === 'well' ? null : (model as ModelFault),
      ops: ops.trim().split(' '),
    },
    steps,
  };
};

/** The calls of a task, step by step. */
const stepsOf = ({ work, takesMs, ops }: Task): ScriptedCall[][] => {
  const [first = '', second = '', third = ''] = ops;
  const tools = ['shell_execute', 'edit_file'];
  const shell = (op: string) => toolCallOf({ op, tool: 'shell', takesMs });
  const edit = (op: string) => toolCallOf({ op, tool: 'edit', takesMs });
  const read = (op: string) => toolCallOf({ op, tool: 'read', takesMs });
  const told = (inner: Work, op: string) => messageText({ work: inner, takesMs, model: null, ops: [op] });
  const helper = (inner: Work, op: string, background: boolean): ScriptedCall => ({
    name: 'delegate',
    arguments: { role: 'helper', instructions: told(inner, op), tools, background },
  });
  const task = (id: string, deps: string[], spec: string) => ({
    id,
    title: id,
    kind: 'machine',
    deps,
    spec,
    tools,
  });
  const question = { id: 'a', question: `Which, for ${first}?`, type: 'single', options: ['red', 'blue'] };
  switch (work) {
    case 'talk':
    case 'coding':
      return [];
    case 'shell':
      return [[shell(first)]];
    case 'edit':
      return [[edit(first)]];
    case 'read':
      return [[read(first)]];
    case 'several':
      return [[read(first), edit(second)], [shell(third)]];
    case 'question':
      return [[{ name: 'ask-user', arguments: { questions: [question] } }], [edit(first)]];
    case 'ring':
      return [[{ name: 'mcp__bell__ring', arguments: { op: first, takesMs } }]];
    case 'delegate':
      return [[helper('shell', first, false), helper('edit', second, false)]];
    case 'background':
      return [[helper('shell', first, true), edit(second)]];
    case 'plan': {
      const tasks = [task('a', [], told('shell', first)), task('b', ['a'], told('edit', second))];
      return [[{ name: 'plan', arguments: { title: `Plan ${first}`, tasks } }]];
    }
    default:
      return work satisfies never;
  }
};

type Tool = PlannedTool | 'ring';

const toolsOf: Record<Work, Tool[]> = {
  talk: [],
  shell: ['shell'],
  edit: ['edit'],
  read: ['read'],
  several: ['read', 'edit', 'shell'],
  question: ['edit'],
  ring: ['ring'],
  delegate: ['shell', 'edit'],
  background: ['shell', 'edit'],
  plan: ['shell', 'edit'],
  coding: ['shell'],
};

/** The tool that each op of a task is for. */
export const effectsOf = ({ work, ops }: Pick<Task, 'work' | 'ops'>): { op: string; tool: Tool }[] =>
  toolsOf[work].flatMap((tool, at) => (ops[at] === undefined ? [] : [{ op: ops[at], tool }]));

const spoiled: Record<ModelFault, (turn: Turn) => Turn> = {
  busy: () => ({ status: 429, headers: { 'retry-after': '1' } }),
  fails: () => ({ status: 500 }),
  refuses: () => ({ status: 401 }),
  cut: (turn) => ({ ...turn, end: 'cut' }),
  'no-finish': (turn) => ({ ...turn, end: 'no-finish' }),
  silent: (turn) => ({ ...turn, end: 'silent' }),
  slow: (turn) => ({ ...turn, delayMs: 3_000 }),
  'always-slow': (turn) => ({ ...turn, delayMs: 3_000 }),
};

interface SentCall {
  id: string;
  function: { name: string; arguments: string };
}

/** Results that speak of another op than their call. */
const crossed = ({ body: { messages } }: ScriptedRequest): string[] => {
  const results = new Map(messages.map((one) => [one['tool_call_id'], textOf(one)]));
  const calls = messages.flatMap(({ tool_calls }) => (tool_calls ?? []) as SentCall[]);
  return calls.flatMap(({ id, function: { name, arguments: text } }) => {
    const own = opIn(text);
    const isOfOne = ['shell_execute', 'edit_file', 'read_file', 'mcp__bell__ring'].includes(name);
    const others = (results.get(id) ?? '').match(/op-\d{6}/g) ?? [];
    return isOfOne ? others.filter((op) => op !== own).map((op) => `${own} has the result of ${op}`) : [];
  });
};

/** What the model answers: each message names its work, and what happens to the first call of the model. */
export const createScript = (history: History) => {
  const met = new Set<string>();
  const asked = new Map<string, number>();
  let window: (typeof windows)[number] | null = null;
  return {
    /** For a time every call ends like this; gives the end of that time. */
    begin: (fault: (typeof windows)[number]) => {
      window = fault;
      return () => {
        window = null;
      };
    },
    /** How often the model was asked about the task of that op. */
    asked: (op: string): number => asked.get(op) ?? 0,
    script: (request: ScriptedRequest): Turn => {
      const found = taskIn(request.body.messages);
      const wrong = [...unpaired(request).map((id) => `${id} has not one result`), ...crossed(request)];
      history.note({ type: 'model-request', op: found?.task.ops[0] ?? null, wrong });
      const isHelper = request.tools.length === 0;
      // A long run would keep them all.
      Object.assign(request, { text: '', body: { model: '', messages: [] } });
      if (isHelper || !found) return { text: 'A title' };
      const { task, steps } = found;
      const [op = ''] = task.ops;
      asked.set(op, (asked.get(op) ?? 0) + 1);
      const calls = stepsOf(task)[steps];
      const turn: Turn = calls === undefined ? { text: 'Done.' } : { text: 'I work.', calls };
      if (window !== null) return spoiled[window](turn);
      const key = task.ops.join();
      if (task.model === null) return turn;
      if (met.has(key) && task.model !== 'always-slow') return turn;
      met.add(key);
      return spoiled[task.model](turn);
    },
  };
};

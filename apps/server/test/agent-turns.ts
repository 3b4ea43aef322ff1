import type { ScriptedRequest, Turn } from '../../../e2e/agent/scripted-model.ts';

/** A turn with one call. */
export const use = (name: string, args: unknown = {}): Turn => ({ calls: [{ name, arguments: args }] });

/** All messages of a request, as JSON. */
export const textOf = ({ body }: ScriptedRequest): string => JSON.stringify(body.messages);

const systemOf = ({ body }: ScriptedRequest): string =>
  body.messages
    .filter(({ role }) => role === 'system')
    .map(({ content }) => String(content))
    .join('\n');

/** Titles, notes and summaries. */
export const isHelper = (request: ScriptedRequest): boolean =>
  /^You (give a conversation its title|keep the notes|summarise|condense)/.test(systemOf(request));

/** The task of a sub-agent; null for another request. */
const taskOf = (request: ScriptedRequest): string | null =>
  /^You are a sub-agent[^]*?# Your task\n([^]*?)\n\n# How to work/.exec(systemOf(request))?.[1] ?? null;

type Turns = readonly Turn[] | ((request: ScriptedRequest, number: number) => Turn | Promise<Turn>);

/** The turns of the main agent, and of sub-agents by the first words of their task; then each says `End.` */
export const story = (main: Turns, others: Record<string, Turns> = {}) => {
  const counts = new Map<string, number>();
  return (request: ScriptedRequest): Turn | Promise<Turn> => {
    if (isHelper(request)) return { text: 'Title' };
    const task = taskOf(request);
    const name = task === null ? 'main' : (Object.keys(others).find((one) => task.startsWith(one)) ?? '?');
    const number = (counts.get(name) ?? 0) + 1;
    counts.set(name, number);
    const turns = name === 'main' ? main : (others[name] ?? []);
    return typeof turns === 'function' ? turns(request, number) : (turns[number - 1] ?? { text: 'End.' });
  };
};

/** The requests of the main agent, or of the sub-agents whose task begins with `task`. */
export const requestsOf = (requests: readonly ScriptedRequest[], task?: string): ScriptedRequest[] =>
  requests.filter((request) =>
    task === undefined
      ? taskOf(request) === null && !isHelper(request)
      : taskOf(request)?.startsWith(task) === true,
  );

import type { ScriptedRequest, Turn } from '../../../e2e/agent/scripted-model.ts';

/** A turn with one call. */
export const use = (name: string, args: unknown = {}): Turn => ({ calls: [{ name, arguments: args }] });

/** All text that reached the model in this request. */
export const textOf = ({ body }: ScriptedRequest): string => JSON.stringify(body.messages);

const systemOf = ({ body }: ScriptedRequest): string => JSON.stringify(body.messages[0]?.content ?? '');

/** Titles, notes and summaries are asked for without tools. */
export const isHelper = (request: ScriptedRequest): boolean =>
  /You give a conversation its title|You keep the notes|You summarise|You condense/.test(systemOf(request));

const helperAnswer: Turn = { text: 'Title' };

type Speaker = (request: ScriptedRequest, number: number) => Turn | Promise<Turn>;

/** The main agent's turns in their order, and `others` for sub-agents by a word of their instructions. */
export const story = (
  main: readonly Turn[] | Speaker,
  others: Record<string, readonly Turn[] | Speaker> = {},
): Speaker => {
  const counts = new Map<string, number>();
  const speak = (who: string, turns: readonly Turn[] | Speaker, request: ScriptedRequest) => {
    const number = (counts.get(who) ?? 0) + 1;
    counts.set(who, number);
    return typeof turns === 'function' ? turns(request, number) : (turns[number - 1] ?? { text: 'End.' });
  };
  return (request) => {
    if (isHelper(request)) return helperAnswer;
    const isMain = request.tools.includes('plan');
    const name = isMain
      ? undefined
      : Object.keys(others).find((one) => systemOf(request).includes(one) || firstOf(request).includes(one));
    return name === undefined ? speak('main', main, request) : speak(name, others[name] ?? [], request);
  };
};

const firstOf = ({ body }: ScriptedRequest): string => JSON.stringify(body.messages[1]?.content ?? '');

/** The requests of the main agent. */
export const mainRequests = (requests: readonly ScriptedRequest[]): ScriptedRequest[] =>
  requests.filter((request) => request.tools.includes('plan') && !isHelper(request));

/** The requests of the sub-agent whose instructions have that word. */
export const requestsOf = (requests: readonly ScriptedRequest[], word: string): ScriptedRequest[] =>
  requests.filter(
    (request) =>
      !request.tools.includes('plan') && !isHelper(request) && firstOf(request).includes(word),
  );

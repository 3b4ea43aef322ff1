import type { ScriptedRequest, Turn } from './scripted-model.ts';

type Message = ScriptedRequest['body']['messages'][number];

const textOf = ({ content }: Message): string =>
  typeof content === 'string' ? content : JSON.stringify(content);

/** What the newest message of the user names by `case:name`, and what came after it. */
export interface Step {
  name: string;
  /** The results of tools since then. */
  results: string[];
  /** A note of the server is the newest message: a task or a plan has ended. */
  isNote: boolean;
  /** How many requests this case has made, this one included. */
  count: number;
}

/** The scripts of several threads by case; a helper's request, which has no tools, gets a title. */
export const byCase = (cases: Record<string, (step: Step) => Turn>) => {
  const counts = new Map<string, number>();
  return {
    /** How many requests a case has made. */
    count: (name: string) => counts.get(name) ?? 0,
    script: ({ body, tools }: ScriptedRequest): Turn => {
      const { messages } = body;
      const named = messages.flatMap((message, at) => {
        const name = message.role === 'user' ? /case:(\w+)/.exec(textOf(message))?.[1] : undefined;
        return name === undefined ? [] : [{ name, at }];
      });
      const last = named.at(-1);
      if (tools.length === 0 || !last) return { text: 'A title' };
      const count = (counts.get(last.name) ?? 0) + 1;
      counts.set(last.name, count);
      const since = messages.slice(last.at + 1);
      const results = since.filter(({ role }) => role === 'tool').map(textOf);
      const isNote = since.some((message) => message.role === 'user' && /^\W*\[/.test(textOf(message)));
      return cases[last.name]?.({ name: last.name, results, isNote, count }) ?? { text: 'Done.' };
    },
  };
};

/** Ids of calls in a request without exactly one result, and of results without a call. */
export const unpaired = ({ body }: ScriptedRequest): string[] => {
  const calls = body.messages.flatMap(({ tool_calls }) =>
    Array.isArray(tool_calls) ? tool_calls.map(({ id }: { id: string }) => id) : [],
  );
  const results = body.messages.flatMap(({ tool_call_id }) =>
    typeof tool_call_id === 'string' ? [tool_call_id] : [],
  );
  const countOf = (ids: string[], wanted: string) => ids.filter((id) => id === wanted).length;
  return [...new Set([...calls, ...results])].filter(
    (id) => countOf(calls, id) !== 1 || countOf(results, id) !== 1,
  );
};

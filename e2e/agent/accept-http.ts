import type { Person } from '../harness/index.ts';

export interface Reply {
  status: number;
  body: unknown;
}

/** Requests to the agent over HTTP; a path is below `/api/v1/instance-ai`. */
export const agentOf = (person: Person) => {
  const send =
    (method: string) =>
    async (path: string, body?: object): Promise<Reply> => {
      const reply = await person.fetch(`/api/v1/instance-ai${path}`, {
        method,
        ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      });
      return { status: reply.status, body: await reply.json() };
    };
  return {
    get: send('GET'),
    post: send('POST'),
    patch: send('PATCH'),
    /** Opens the stream of an existing thread; `found` resolves with what has come once it holds the text. */
    listen: async (
      threadId: string,
      text: string,
      { query = '', headers = {} }: { query?: string; headers?: Record<string, string> } = {},
    ): Promise<{ found: Promise<string> }> => {
      const { body } = await person.fetch(`/api/v1/instance-ai/events/${threadId}${query}`, { headers });
      if (!body) throw new Error('the stream has a body');
      const read = async () => {
        let got = '';
        for await (const piece of body.pipeThrough(new TextDecoderStream())) {
          got += piece;
          if (got.includes(text)) return got;
        }
        throw new Error(`the stream ended without ${text}`);
      };
      return { found: read() };
    },
  };
};

/** One use of a tool as a turn of the model. */
export const use = (name: string, args: object) => ({ calls: [{ name, arguments: args }] });

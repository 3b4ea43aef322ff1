import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ToolListChangedNotificationSchema, type ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import type { JsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js';
import type { ProgressBody } from '@drawbridge/contracts/daemon-surface';
import type { Clock } from '@drawbridge/kit';
import { z } from 'zod';
import { questionRequest, type QuestionRequest } from './calls/question.ts';
import type { ServerLog } from './transport/server-log.ts';
import { createTransport, type ServerProcess } from './transport/transport.ts';

/** Pages of a list of tools that are read, and tools in all. A server that has more is not believed. */
const maxPages = 100;
const maxListed = 1_000;
/** The SDK's own timer must not end what our clock and the server's deadline end. */
const never = 2 ** 31 - 1;
const maxProgressLength = 2_000;

const page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });
const anything = z.looseObject({});

export interface ConnectNeeds {
  clock: Clock;
  log: ServerLog;
  /** Aborted: the start is given up, and what was started ends. */
  signal: AbortSignal;
  listChanged(): void;
  /** The server asks a question; `signal` aborts when it cancels it. A rejection refuses it. */
  asked(params: QuestionRequest['params'], signal: AbortSignal): Promise<ElicitResult>;
}

/** Nothing of a server's schemas is compiled here: a pattern in one could stop the daemon. */
const noValidation = {
  getValidator:
    <T>(): JsonSchemaValidator<T> =>
    (input) => ({
      valid: true,
      // The SDK's type promises more than is looked at: results are parsed where they are used.
      data: input as T,
      errorMessage: undefined,
    }),
};

/** Starts a server and initialises it. Rejects on failure or abort; no process is left then. */
export const connectServer = async (server: ServerProcess, needs: ConnectNeeds) => {
  const { clock, log, signal, listChanged, asked } = needs;
  // A server can ask the client of a call, through Drawbridge; it can use no model and gets no folders.
  const client = new Client(
    { name: 'drawbridge', version: '1' },
    { capabilities: { elicitation: { form: {}, url: {} } }, jsonSchemaValidator: noValidation },
  );
  const transport = createTransport(server, { clock, log });
  const closed = new Promise<void>((resolve) => {
    client.onclose = resolve;
  });
  client.onerror = (error) => log.line('drawbridge', error.message);
  client.setRequestHandler(questionRequest, ({ params }, { signal: cancelled }) => asked(params, cancelled));
  client.setNotificationHandler(ToolListChangedNotificationSchema, listChanged);
  try {
    await client.connect(transport, { signal, timeout: never });
  } catch (error) {
    await transport.close();
    throw error;
  }

  const list = async (aborted: AbortSignal) => {
    const tools: unknown[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < maxPages; pages += 1) {
      const params = cursor === undefined ? {} : { cursor };
      const got = await client.request({ method: 'tools/list', params }, page, {
        // One of its own for each page: the SDK never stops listening.
        signal: AbortSignal.any([aborted]),
        timeout: never,
      });
      tools.push(...got.tools.slice(0, maxListed + 1 - tools.length));
      cursor = got.nextCursor;
      if (cursor === undefined || tools.length > maxListed) break;
    }
    const cut = tools.length > maxListed || cursor !== undefined;
    return { tools: tools.slice(0, maxListed), cut };
  };

  return {
    /** What it lists, page by page, unread: at most `maxListed`. `cut`: it has more. */
    list,
    /** The raw result. Rejects with `McpError` for a protocol error and when the server has ended. */
    call: (
      tool: string,
      args: Record<string, unknown>,
      options: { signal: AbortSignal; progress(update: ProgressBody): void },
    ) =>
      client.request({ method: 'tools/call', params: { name: tool, arguments: args } }, anything, {
        signal: options.signal,
        timeout: never,
        onprogress: ({ progress, total, message }) =>
          options.progress({
            progress,
            ...(total !== undefined && { total }),
            ...(message !== undefined && { message: message.slice(0, maxProgressLength) }),
          }),
      }),
    /** Resolves when the server has ended, and all that it started. */
    closed,
    close: () => transport.close(),
  };
};

export type McpConnection = Awaited<ReturnType<typeof connectServer>>;

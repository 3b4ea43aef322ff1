import {
  Client,
  ProtocolError,
  StreamableHTTPClientTransport,
  type jsonSchemaValidator,
} from '@modelcontextprotocol/client';
import { cutText, type Clock } from '@drawbridge/kit';
import { z } from 'zod';
import { createDeadline } from '../../outside/index.ts';
import { createLimitedFetch } from './limited-fetch.ts';

const maxPages = 20;
const maxTools = 128;
const maxSentenceLength = 500;
/** Our clock ends what takes too long, and not the timer of the SDK. */
const never = 2 ** 31 - 1;
const connectMs = 10_000;
const listMs = 10_000;
const callMs = 5 * 60_000;

const page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });
const anything = z.looseObject({});

/** Nothing of a server's schemas is compiled here: a pattern in one could stop the process. */
const noValidation: jsonSchemaValidator = {
  getValidator: () => (input) => ({
    valid: true,
    // Results are parsed where they are used.
    data: input as never,
    errorMessage: undefined,
  }),
};

export interface McpConnection {
  /** What the server lists, unread: at most 128 tools. */
  list(signal: AbortSignal): Promise<unknown[]>;
  /** The unread result. */
  call(tool: string, args: Record<string, unknown>, signal: AbortSignal): Promise<unknown>;
  isOpen(): boolean;
  close(): Promise<void>;
}

/** A failure of the connection, in words that follow the name of the server. */
export class McpFailure extends Error {
  readonly isLate: boolean;
  constructor(words: string, isLate = false) {
    super(words);
    this.isLate = isLate;
  }
}

/** Connects to a server by streamable HTTP, of either revision. Rejects with an `McpFailure`. */
export const connectMcp = async (
  address: string,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<McpConnection> => {
  const url = new URL(address);
  let isOpen = true;
  let broken: unknown = null;
  const client = new Client(
    { name: 'drawbridge', version: '1' },
    {
      capabilities: {},
      jsonSchemaValidator: noValidation,
      versionNegotiation: { mode: 'auto' },
      inputRequired: { autoFulfill: false },
    },
  );
  const close = async () => {
    isOpen = false;
    await client.close().catch(() => {});
  };
  const failed = (error: unknown) => {
    broken = error;
    void close();
  };
  const transport = new StreamableHTTPClientTransport(url, {
    fetch: createLimitedFetch({ origin: url.origin, failed }),
  });

  /** Runs a request until `limitMs`; a failure that is not the server's own answer closes the connection. */
  const within = async <T>(limitMs: number, outer: AbortSignal, ask: (signal: AbortSignal) => Promise<T>) => {
    const deadline = createDeadline({ clock, ms: limitMs }, outer);
    try {
      return await ask(deadline.signal);
    } catch (error) {
      outer.throwIfAborted();
      if (deadline.isOver()) throw new McpFailure(`did not answer within ${limitMs / 1_000} seconds`, true);
      if (broken === null && error instanceof ProtocolError)
        throw new McpFailure(`answered: ${cutText(error.message.replace(/\s+/g, ' '), maxSentenceLength)}`);
      await close();
      throw new McpFailure(
        broken instanceof RangeError ? 'gave an answer longer than 1 MiB' : 'could not be reached',
      );
    } finally {
      deadline.stop();
    }
  };

  await within(connectMs, signal, (either) =>
    client.connect(transport, { signal: either, timeout: never }),
  ).catch(async (error: unknown) => {
    await close();
    throw error;
  });

  return {
    list: (outer) =>
      within(listMs, outer, async (either) => {
        const tools: unknown[] = [];
        let cursor: string | undefined;
        for (let pages = 0; pages < maxPages && tools.length < maxTools; pages += 1) {
          const params = cursor === undefined ? {} : { cursor };
          const options = { signal: either, timeout: never };
          const got = await client.request({ method: 'tools/list', params }, page, options);
          tools.push(...got.tools);
          cursor = got.nextCursor;
          if (cursor === undefined) break;
        }
        return tools.slice(0, maxTools);
      }),
    call: (tool, args, outer) =>
      within(callMs, outer, (either) =>
        client.request({ method: 'tools/call', params: { name: tool, arguments: args } }, anything, {
          signal: either,
          timeout: never,
        }),
      ),
    isOpen: () => isOpen,
    close,
  };
};

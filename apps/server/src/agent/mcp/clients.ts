import {
  createMcpNames,
  OutsideError,
  type McpPort,
  type McpTool,
  type NameMcpTool,
} from '@drawbridge/agent';
import type { CheckLine } from '@drawbridge/contracts/agent/settings';
import { toolResult } from '@drawbridge/contracts/tool-result';
import { createBoundedMap, type Clock } from '@drawbridge/kit';
import { connectMcp, McpFailure, type McpConnection } from './connect.ts';
import { readOffered } from './offered.ts';

/** How long a list of tools is used before it is read again. */
const listedMs = 60_000;
/** A server that did not answer in time is not waited for again so soon. */
const pauseMs = 60_000;
const maxWarnings = 1_000;

export interface McpServerConfig {
  name: string;
  url: string;
}

interface Needs {
  clock: Clock;
  /** The servers of the owner, read at each use. */
  servers(): Promise<McpServerConfig[]>;
  /** Names of tools of machines and products: no tool of a server may be named like one of them. */
  reserved: readonly string[];
  /** One sentence for the log, once for each cause. */
  warn(sentence: string): void;
}

interface Listed {
  tools: McpTool[];
  left: string[];
  untilMs: number;
}

/** One configured server: its connection, opened at the first use and again after a failure. */
const createServer = (
  config: McpServerConfig,
  { clock, nameTool }: { clock: Clock; nameTool: NameMcpTool },
) => {
  const ending = new AbortController();
  let opening: Promise<McpConnection> | null = null;
  let open: McpConnection | null = null;
  let listing: Promise<Listed> | null = null;
  let listed: Listed | null = null;
  let pausedUntilMs = 0;

  const connect = async (): Promise<McpConnection> => {
    if (open?.isOpen() === true) return open;
    opening ??= connectMcp(config.url, { clock, signal: ending.signal }).finally(() => {
      opening = null;
    });
    open = await opening;
    return open;
  };
  const readList = async (): Promise<Listed> => {
    try {
      const connection = await connect();
      const named = { server: config.name, nameTool };
      const { offered, left } = readOffered(named, await connection.list(ending.signal));
      return { tools: offered, left, untilMs: clock.now() + listedMs };
    } catch (error) {
      if (error instanceof McpFailure && error.isLate) pausedUntilMs = clock.now() + pauseMs;
      throw error;
    }
  };

  return {
    config,
    list: async (): Promise<Listed> => {
      if (listed !== null && listed.untilMs > clock.now()) return listed;
      if (pausedUntilMs > clock.now()) throw new McpFailure('did not answer in time');
      listing ??= readList().finally(() => {
        listing = null;
      });
      listed = null;
      listed = await listing;
      return listed;
    },
    call: async (tool: string, args: Record<string, unknown>, signal: AbortSignal): Promise<unknown> => {
      try {
        return await (await connect()).call(tool, args, AbortSignal.any([signal, ending.signal]));
      } catch (error) {
        if (open?.isOpen() !== true) listed = null;
        throw error;
      }
    },
    close: async () => {
      ending.abort(new McpFailure('is no longer configured'));
      await opening?.catch(() => {});
      await open?.close();
    },
  };
};

type Server = ReturnType<typeof createServer>;

const keyOf = ({ name, url }: McpServerConfig): string => JSON.stringify([name, url]);

const sentenceOf = (server: string, error: unknown): string =>
  `The MCP server "${server}" ${error instanceof McpFailure ? error.message : 'could not be used'}.`;

export interface McpClients extends McpPort {
  /** One line for each server: its tools, what is left out, or why it cannot be used. */
  test(): Promise<CheckLine[]>;
  close(): Promise<void>;
}

/** The MCP servers that the owner configured, each with one client until its configuration changes. */
export const createMcpClients = ({ clock, servers, reserved, warn }: Needs): McpClients => {
  const nameTool = createMcpNames(reserved);
  const running = new Map<string, Server>();
  const warned = createBoundedMap<string, true>({ maxEntries: maxWarnings });

  const warnOnce = (sentence: string) => {
    if (warned.has(sentence)) return;
    warned.set(sentence, true);
    warn(sentence);
  };
  const current = async (): Promise<Server[]> => {
    const configs = new Map((await servers()).map((config) => [keyOf(config), config]));
    for (const [key, server] of running) {
      if (configs.has(key)) continue;
      running.delete(key);
      void server.close();
    }
    for (const [key, config] of configs)
      if (!running.has(key)) running.set(key, createServer(config, { clock, nameTool }));
    return [...running.values()];
  };
  const toolsOf = async (server: Server): Promise<McpTool[]> => {
    try {
      const { tools, left } = await server.list();
      for (const sentence of left) warnOnce(sentence);
      return tools;
    } catch (error) {
      warnOnce(sentenceOf(server.config.name, error));
      return [];
    }
  };
  const testOf = async (server: Server): Promise<CheckLine> => {
    const { name } = server.config;
    try {
      const { tools, left } = await server.list();
      return { name, state: 'ok', text: [`Offers ${tools.length} tools.`, ...left].join(' ') };
    } catch (error) {
      return { name, state: 'failed', text: `${sentenceOf(name, error)} Check its address.` };
    }
  };

  return {
    tools: async () => (await Promise.all((await current()).map(toolsOf))).flat(),
    call: async ({ server: name, tool }, args, signal) => {
      const server = (await current()).find(({ config }) => config.name === name);
      if (!server) throw new OutsideError(`The MCP server "${name}" is no longer configured.`);
      const given = await server.call(tool, args, signal).catch((error: unknown) => {
        signal.throwIfAborted();
        throw new OutsideError(sentenceOf(name, error));
      });
      const result = toolResult.safeParse(given);
      if (!result.success)
        throw new OutsideError(`The MCP server "${name}" gave a result that cannot be read.`);
      return result.data;
    },
    test: async () => Promise.all((await current()).map(testOf)),
    close: async () => {
      const all = [...running.values()];
      running.clear();
      await Promise.all(all.map((server) => server.close()));
    },
  };
};

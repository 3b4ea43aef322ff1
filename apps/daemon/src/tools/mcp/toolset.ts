import { mkdir } from 'node:fs/promises';
import { createSerialQueue, visible } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { ownCommand } from '../../program/own-command.ts';
import { serversFolder } from '../../paths/server-programs.ts';
import { toLazyTool, type LazyTool } from '../common/lazy-tool.ts';
import type { ToolsetContext, Toolset } from '../common/toolset.ts';
import { serverEnvironment } from './config.ts';
import { toDaemonTool } from './mcp-tool.ts';
import { digestOf } from './offered-tools.ts';
import { changedPrograms } from './programs.ts';
import type { RunningServer, ServerNeeds } from './server.ts';
import { createServerLog } from './transport/server-log.ts';
import { openMcpServers, type McpServer, type McpServers } from './servers-file.ts';
import { withinLimits } from './within-limits.ts';

export interface McpToolsetNeeds {
  notify(sentence: string): void;
  random?: () => number;
}

interface Started {
  digest: string;
  running: RunningServer;
}

const maxReason = 500;
const noServers = () => `no MCP server is set up here; see ${ownCommand('mcp add --help')}`;

const programsChanged = (name: string, paths: readonly string[]): string =>
  `${visible(paths.slice(0, 3).join(', '))} changed since it was confirmed. Start it again? If you know the change: ${ownCommand(`mcp confirm ${name}`)}`;

const openServer = async (
  context: ToolsetContext,
  { name, server }: { name: string; server: McpServer },
  needs: Pick<ServerNeeds, 'random' | 'notify' | 'changed'>,
): Promise<RunningServer> => {
  // Loaded when there is a server to connect to.
  const [{ connectServer }, { runServer }] = await Promise.all([
    import('./connect.ts'),
    import('./server.ts'),
  ]);
  const { clock, privateFolder, root } = context;
  const cwd = serversFolder(privateFolder);
  await mkdir(cwd, { recursive: true, mode: 0o700 });
  const log = createServerLog({ folder: privateFolder, name, clock });
  const process = {
    command: server.command,
    args: server.args,
    env: { ...serverEnvironment(root), ...server.env },
    cwd,
    tag: `mcp-${nanoid()}`,
  };
  const connect: ServerNeeds['connect'] = async (events) => {
    const changed = await changedPrograms(server, context);
    if (changed.length > 0) throw new Error(programsChanged(name, changed));
    return connectServer(process, { ...events, clock, log });
  };
  return runServer({ ...needs, clock, name, server, log, connect });
};

/** The tools of all running servers within the limits; `notify` reports tools that are left out. */
const createToolList = (notify: (sentence: string) => void) => {
  let tools: LazyTool[] = [];
  let notified = '';
  return {
    tools: () => tools,
    collect: (servers: readonly RunningServer[]) => {
      const { kept, left } = withinLimits(
        servers.flatMap((running) => running.tools().map((tool) => ({ ...tool, running }))),
      );
      tools = kept.map(({ running, ...tool }) => toLazyTool(toDaemonTool(tool, running)));
      const sentence = left.length === 0 ? '' : `${left.length} MCP tools are left out: there are too many`;
      if (sentence !== '' && sentence !== notified) notify(sentence);
      notified = sentence;
    },
  };
};

/** The file as it was read last; a file that cannot be understood permits no server. */
const createConfiguration = (notify: (sentence: string) => void) => {
  let state: { count: number; broken: string | null } = { count: 0, broken: null };
  return {
    state: () => state,
    read: async (file: McpServers): Promise<ReadonlyMap<string, McpServer>> => {
      try {
        const servers = await file.read();
        state = { count: servers.size, broken: null };
        return servers;
      } catch (error) {
        const broken = error instanceof Error ? error.message : 'the list of MCP servers cannot be read';
        state = { ...state, broken };
        notify(broken);
        return new Map();
      }
    },
  };
};

/** The MCP servers of this machine: each tool is `<server>__<tool>`, in the group `mcp`. */
export const mcpToolset = ({ notify, random = Math.random }: McpToolsetNeeds): Toolset => {
  const servers = new Map<string, Started>();
  const list = createToolList(notify);
  const configuration = createConfiguration(notify);
  const queue = createSerialQueue();
  let brokenBefore: string | null = null;
  let stopWatching: (() => void) | undefined;
  let closed = false;

  const collect = () => list.collect([...servers.values()].map(({ running }) => running));

  const follow = async (read: Promise<ReadonlyMap<string, McpServer>>, context: ToolsetContext) => {
    const wanted = closed ? new Map<string, McpServer>() : await read;
    const ended = [...servers].filter(([name, { digest }]) => {
      const server = wanted.get(name);
      return server === undefined || digestOf(server) !== digest;
    });
    for (const [name] of ended) servers.delete(name);
    // The tools of a removed server are not offered while it ends.
    collect();
    await Promise.all(ended.map(([, { running }]) => running.close()));
    const begun = [...wanted].filter(([name]) => !servers.has(name));
    const changed = () => {
      collect();
      context.changed();
    };
    for (const [name, server] of begun) {
      const running = await openServer(context, { name, server }, { random, notify, changed });
      servers.set(name, { digest: digestOf(server), running });
    }
    const { broken } = configuration.state();
    const isOther = ended.length > 0 || begun.length > 0 || broken !== brokenBefore;
    brokenBefore = broken;
    if (isOther) changed();
  };
  const inTurn = (run: () => Promise<void>) =>
    queue(run).catch((error: unknown) => {
      notify(`MCP servers: ${error instanceof Error ? error.message : 'they cannot be started'}`);
    });

  return {
    category: 'mcp',
    groups: ['mcp'],
    endsWhenOff: true,
    open: async (context) => {
      closed = false;
      const file = await openMcpServers(context.privateFolder, context.clock);
      stopWatching = file.watch(() => void inTurn(() => follow(configuration.read(file), context)));
      const wanted = configuration.read(file);
      // The servers start slowly; their tools are sent when they are there.
      void inTurn(() => follow(wanted, context));
      await wanted;
    },
    tools: list.tools,
    missing: () => {
      const { broken, count } = configuration.state();
      if (broken !== null) return broken.slice(0, maxReason);
      if (list.tools().length > 0) return null;
      if (count === 0) return noServers();
      const troubles = [...servers].flatMap(([name, { running }]) => {
        const trouble = running.trouble();
        return trouble === null ? [] : [`${name}: ${trouble}`];
      });
      return troubles.length === 0 ? null : troubles.join('; ').slice(0, maxReason);
    },
    close: async () => {
      closed = true;
      stopWatching?.();
      await inTurn(async () => {});
      const running = [...servers.values()];
      servers.clear();
      collect();
      await Promise.all(running.map((one) => one.running.close()));
    },
  };
};

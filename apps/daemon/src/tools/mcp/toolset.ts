import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { canonical, createSerialQueue } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { ownCommand } from '../../program/own-command.ts';
import { toLazyTool, type LazyTool } from '../common/lazy-tool.ts';
import type { ToolsetContext, Toolset } from '../common/toolset.ts';
import { serverEnvironment } from './config.ts';
import { toDaemonTool } from './mcp-tool.ts';
import type { RunningServer } from './server.ts';
import { createServerLog } from './transport/server-log.ts';
import { openMcpServers, type McpServer, type McpServers } from './servers-file.ts';
import { withinLimits } from './within-limits.ts';

export interface McpToolsetNeeds {
  /** One sentence for the person at the machine. */
  notify(sentence: string): void;
  random?: () => number;
}

interface Started {
  digest: string;
  running: RunningServer;
}

const maxReason = 500;
const noServers = () => `no MCP server is set up here; see ${ownCommand('mcp add --help')}`;

const digestOf = (server: McpServer) => createHash('sha256').update(canonical(server)).digest('hex');

/** The MCP servers that the person set up on this machine: each tool `<server>__<tool>`, behind the group `mcp`. */
export const mcpToolset = ({ notify, random = Math.random }: McpToolsetNeeds): Toolset => {
  const servers = new Map<string, Started>();
  let broken: string | null = null;
  let brokenBefore: string | null = null;
  let configured = 0;
  let stopWatching: (() => void) | undefined;
  const queue = createSerialQueue();
  let closed = false;
  let tools: LazyTool[] = [];
  let said = '';

  const collect = () => {
    const all = [...servers.values()].flatMap(({ running }) =>
      running.tools().map((tool) => ({ ...tool, running })),
    );
    const { kept, left } = withinLimits(all);
    tools = kept.map(({ running, ...tool }) => toLazyTool(toDaemonTool(tool, running)));
    const sentence = left.length === 0 ? '' : `${left.length} MCP tools are left out: there are too many`;
    if (sentence !== '' && sentence !== said) notify(sentence);
    said = sentence;
  };

  const start = async (name: string, server: McpServer, context: ToolsetContext): Promise<RunningServer> => {
    // Loaded when there is a server to speak to.
    const [{ connectServer }, { runServer }] = await Promise.all([
      import('./connect.ts'),
      import('./server.ts'),
    ]);
    const { clock, privateFolder, root } = context;
    const cwd = join(privateFolder, 'mcp');
    await mkdir(cwd, { recursive: true, mode: 0o700 });
    const log = createServerLog({ folder: privateFolder, name, clock });
    const process = {
      command: server.command,
      args: server.args,
      env: { ...serverEnvironment(root), ...server.env },
      cwd,
      tag: `mcp-${nanoid()}`,
    };
    return runServer({
      clock,
      random,
      name,
      server,
      log,
      notify,
      changed: () => {
        collect();
        context.changed();
      },
      connect: (needs) => connectServer(process, { ...needs, clock, log }),
    });
  };

  const wantedFrom = async (file: McpServers): Promise<ReadonlyMap<string, McpServer>> => {
    try {
      const wanted = await file.read();
      broken = null;
      configured = wanted.size;
      return wanted;
    } catch (error) {
      // What cannot be understood permits nothing.
      broken = error instanceof Error ? error.message : 'the list of MCP servers cannot be read';
      notify(broken);
      return new Map();
    }
  };

  const follow = async (read: Promise<ReadonlyMap<string, McpServer>>, context: ToolsetContext) => {
    const wanted = closed ? new Map<string, McpServer>() : await read;
    const ended = [...servers].filter(([name, { digest }]) => {
      const server = wanted.get(name);
      return server === undefined || digestOf(server) !== digest;
    });
    for (const [name] of ended) servers.delete(name);
    // What was taken away is not offered while it ends.
    collect();
    await Promise.all(ended.map(([, { running }]) => running.close()));
    const begun = [...wanted].filter(([name]) => !servers.has(name));
    for (const [name, server] of begun) {
      servers.set(name, { digest: digestOf(server), running: await start(name, server, context) });
    }
    const isOther = ended.length > 0 || begun.length > 0 || broken !== brokenBefore;
    brokenBefore = broken;
    if (!isOther) return;
    collect();
    context.changed();
  };

  const inTurn = (run: () => Promise<void>) =>
    queue(run).catch((error: unknown) => {
      notify(`MCP servers: ${error instanceof Error ? error.message : 'they cannot be started'}`);
    });

  return {
    category: 'mcp',
    groups: ['mcp'],
    open: async (context) => {
      const file = await openMcpServers(context.privateFolder, context.clock);
      stopWatching = file.watch(() => void inTurn(() => follow(wantedFrom(file), context)));
      const wanted = wantedFrom(file);
      // The servers start slowly; their tools are sent when they are there.
      void inTurn(() => follow(wanted, context));
      await wanted;
    },
    tools: () => tools,
    missing: () => {
      if (broken !== null) return broken.slice(0, maxReason);
      if (tools.length > 0) return null;
      if (configured === 0) return noServers();
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
      await Promise.all([...servers.values()].map(({ running }) => running.close()));
    },
  };
};

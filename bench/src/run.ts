import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentGroup } from './groups/agent.ts';
import { agentLoadGroup } from './groups/agent-load.ts';
import { besideCommandGroup } from './groups/beside-command.ts';
import { bigResultsGroup } from './groups/big-results.ts';
import { callGroup } from './groups/call.ts';
import { channelsGroup } from './groups/channels.ts';
import { cpuGroup } from './groups/cpu.ts';
import { daemonGroup } from './groups/daemon.ts';
import { eventsGroup } from './groups/events.ts';
import { growthGroup } from './groups/growth.ts';
import { historyGroup } from './groups/history.ts';
import { idleGroup } from './groups/idle.ts';
import { mcpGroup } from './groups/mcp.ts';
import { networkGroup } from './groups/network.ts';
import { processOutputGroup } from './groups/process-output.ts';
import { restartGroup } from './groups/restart.ts';
import { sandboxGroup } from './groups/sandbox.ts';
import { rpcGroup } from './groups/rpc.ts';
import { searchGroup } from './groups/search.ts';
import { serversGroup } from './groups/servers.ts';
import { storesGroup } from './groups/stores.ts';
import { startGroup } from './groups/start.ts';
import { trpcGroup } from './groups/trpc.ts';
import { measureGroup, showRows } from './measure.ts';
import { readOptions, usage } from './options.ts';
import { pageOf, tableOf, type Row } from './table.ts';

const groups = [
  callGroup,
  trpcGroup,
  mcpGroup,
  rpcGroup,
  cpuGroup,
  daemonGroup,
  searchGroup,
  eventsGroup,
  startGroup,
  restartGroup,
  besideCommandGroup,
  sandboxGroup,
  networkGroup,
  processOutputGroup,
  bigResultsGroup,
  growthGroup,
  historyGroup,
  idleGroup,
  agentGroup,
  agentLoadGroup,
  channelsGroup,
  serversGroup,
  storesGroup,
];

const args = process.argv.slice(2);
if (args.includes('--help')) console.log(usage);
else {
  const options = readOptions(args);
  const { only = '' } = options;
  const chosen = groups.filter(({ name }) => name.startsWith(only));
  // Everything that is started keeps its files in here.
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-bench-'));
  process.env['TMPDIR'] = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  // The end by a signal is an end like any other: what was started ends too.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const rows: Row[] = [];
  for (const group of chosen) {
    const measured = await measureGroup(group, options);
    showRows(measured);
    rows.push(...measured);
  }
  const isRecord = chosen.length === groups.length && !options.quick && options.profile === undefined;
  if (isRecord) writeFileSync(join(import.meta.dirname, '../results.md'), pageOf(rows));
  console.log(`\n${tableOf(rows).join('\n')}`);
  // A group that was given up leaves requests open that would hold the run for ever.
  process.exit(rows.length === 0 || rows.some((row) => row.problem !== undefined) ? 1 : 0);
}

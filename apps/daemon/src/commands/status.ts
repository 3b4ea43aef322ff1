import { toolGroups, type ToolGroup } from '@drawbridge/contracts/groups';
import { systemClock, visible } from '@drawbridge/kit';
import type { Command } from 'commander';
import type { KeptSession } from '../link/index.ts';
import { ownCommand } from '../program/own-command.ts';
import type { DaemonStatus } from '../status/index.ts';
import type { Row } from '../terminal/row.ts';
import { openRuntimes } from '../tools/index.ts';
import { jsonFlag, type Answer, type AnswerWith, type CommandContext } from './common/command.ts';
import { findKept } from './common/find-kept.ts';
import { pairInPanel, showDifference, showKept } from './common/sentences.ts';
import { sourceWords } from './common/mode-sources.ts';
import { showUrl } from './common/server-url.ts';
import { modeLine } from './common/summary.ts';
import { localTime, roughly } from './common/times.ts';

const stateColours = {
  connected: 'green',
  connecting: 'gray',
  reconnecting: 'yellow',
  unpaired: 'red',
} as const;

const showCalls = ({ running, ...ended }: DaemonStatus['calls']): string => {
  const parts = Object.entries(ended).filter(([, count]) => count > 0);
  const sum = parts.reduce((total, [, count]) => total + count, 0);
  const named = parts.map(([name, count]) => `${count} ${name}`);
  return `${sum} ended ${named.length > 0 ? `(${named.join(', ')}) ` : ''}· ${running} running`;
};

const linkWords = { socket: 'WebSocket', stream: 'event stream and posts' } as const;

const sourceOf = ({ sources }: DaemonStatus, group: ToolGroup): string => {
  const source = sources?.[group];
  return source === undefined ? '' : sourceWords[source];
};

const describe = (status: DaemonStatus, nowMs: number, row: Row): (string | false)[] => {
  const { link, machine, modes, release, offered } = status;
  const difference = release && offered ? showDifference(release, offered) : null;
  const since = `${localTime(link.since)} (${roughly(nowMs - Date.parse(link.since))})`;
  return [
    row(link.state, visible(status.url), stateColours[link.state]),
    row('since', link.reason === undefined ? since : `${since}: ${visible(link.reason)}`),
    link.way !== undefined && row('link', linkWords[link.way]),
    machine !== undefined &&
      row('name', `${visible(machine.name)}${machine.isDefault ? ', the default when it connected' : ''}`),
    row('machine', `${visible(status.host)}, process ${status.pid}, drawbridge ${visible(status.version)}`),
    row('folder', visible(status.folder)),
    difference !== null && row('update', difference),
    status.heldBack && row('proxy', `buffers the stream: see ${ownCommand('doctor')}`),
    row('calls', showCalls(status.calls)),
    '',
    ...toolGroups.map((group) => row('', modeLine(group, modes[group] ?? 'deny', sourceOf(status, group)))),
  ];
};

const idle = (kept: KeptSession | null, row: Row): (string | false)[] => {
  const next =
    kept === null
      ? pairInPanel
      : `Run ${ownCommand('connect')} to reconnect, or ${ownCommand('service install')} to keep it running.`;
  const pairing = kept === null ? 'not paired' : `paired with ${showUrl(new URL(kept.url))}`;
  return [
    row('not running', pairing, 'yellow'),
    kept?.folder !== undefined && row('folder', visible(kept.folder)),
    row('next', next, 'cyan'),
  ];
};

/** The status of this person's daemons and the saved session. Exits with 1 when none is connected. */
const status = async ({ environment }: CommandContext): Promise<Answer> => {
  const { readStatuses } = await import('../status/read-status.ts');
  const running = await readStatuses(environment.privateFolder);
  const kept = await findKept(environment.privateFolder);
  // `drawbridge doctor` reports a file that cannot be read.
  const enabled = await (await openRuntimes(environment.privateFolder, systemClock)).read().catch(() => null);
  const runtimes = [...(enabled?.keys() ?? [])];
  const isConnected = running.some(({ link }) => link.state === 'connected');
  return {
    text: (row) => [
      ...(running.length === 0 ? idle(kept, row) : []),
      ...running.flatMap((daemon, at) => [at > 0 && '', ...describe(daemon, systemClock.now(), row)]),
      (kept !== null || runtimes.length > 0) && '',
      runtimes.length > 0 && row('agents', `${runtimes.join(', ')}: see ${ownCommand('runtimes')}`),
      kept !== null && row('key', showKept(kept.keptIn, environment.privateFolder)),
    ],
    json: { connected: isConnected, daemons: running, runtimes, session: kept },
    code: isConnected ? 0 : 1,
  };
};

export const addStatus = (program: Command, answer: AnswerWith): void => {
  program
    .command('status')
    .description('show the connection, the folder and the modes; exits with 1 when not connected')
    .option(...jsonFlag)
    .addHelpText('after', '\nExample:\n  $ drawbridge status --json')
    .action((options: { json?: boolean }) => answer(options, status));
};

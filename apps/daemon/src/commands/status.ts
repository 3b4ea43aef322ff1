import { toolGroups } from '@drawbridge/contracts';
import { systemClock } from '@drawbridge/kit';
import type { Command } from 'commander';
import { createSessionFile, type KeptSession } from '../link/index.ts';
import { visible } from '../permission/index.ts';
import type { DaemonStatus } from '../status/index.ts';
import { row, type Answer, type Paint } from './answer.ts';
import { jsonFlag, type AnswerWith, type CommandContext } from './context.ts';
import { showKept } from './show-kept.ts';
import { groupLabel } from './summary.ts';
import { localTime, roughly } from './times.ts';

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
  return [
    `${sum} ended`,
    ...(named.length > 0 ? [`(${named.join(', ')})`] : []),
    `· ${running} running`,
  ].join(' ');
};

const describe = (status: DaemonStatus, now: number, paint: Paint): string[] => {
  const { link, modes } = status;
  const since = `${localTime(link.since)} (${roughly(now - Date.parse(link.since))})`;
  return [
    row(link.state, visible(status.url), (word) => paint(stateColours[link.state], word)),
    row('since', link.reason === undefined ? since : `${since}: ${visible(link.reason)}`),
    row('machine', `${visible(status.host)}, process ${status.pid}, drawbridge ${visible(status.version)}`),
    row('folder', visible(status.folder)),
    ...(status.heldBack ? [row('proxy', 'holds the stream back: see drawbridge doctor')] : []),
    row('calls', showCalls(status.calls)),
    '',
    ...toolGroups.map((group) => row('', `${groupLabel(group).padEnd(18)}${modes[group] ?? 'deny'}`)),
  ];
};

const idle = (kept: KeptSession | null, paint: Paint): string[] => {
  const word = row(
    'not running',
    kept === null ? 'and not paired' : `paired with ${visible(kept.url)}`,
    (text) => paint('yellow', text),
  );
  const next =
    kept === null
      ? 'Open the panel, choose Connect, and run the command that it shows.'
      : 'drawbridge connect goes on with the session; drawbridge service install keeps it running.';
  return [word, row('next', next, (text) => paint('cyan', text))];
};

/** What the daemons of this person say of themselves, and what is kept to go on with. 1 when none is connected. */
const status = async ({ environment }: CommandContext): Promise<Answer> => {
  const { readStatuses } = await import('../status/read-status.ts');
  const running = await readStatuses(environment.privateFolder);
  const kept = await createSessionFile({ folder: environment.privateFolder, clock: systemClock }).look();
  const isConnected = running.some(({ link }) => link.state === 'connected');
  return {
    text: (paint) =>
      [
        ...(running.length === 0 ? idle(kept, paint) : []),
        ...running.flatMap((one, at) => [
          ...(at > 0 ? [''] : []),
          ...describe(one, systemClock.now(), paint),
        ]),
        ...(kept === null ? [] : ['', row('key', showKept(kept.keptIn, environment.privateFolder))]),
      ].join('\n'),
    json: { connected: isConnected, daemons: running, session: kept },
    code: isConnected ? 0 : 1,
  };
};

export const addStatus = (program: Command, answer: AnswerWith): void => {
  program
    .command('status')
    .description('whether this machine is connected, to whom, and with what; exits with 1 when it is not')
    .option(...jsonFlag)
    .addHelpText('after', '\nExample:\n  $ drawbridge status --json')
    .action((options: { json?: boolean }) => answer(options, status));
};

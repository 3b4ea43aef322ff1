import type { Mode, ToolGroup } from '@drawbridge/contracts/groups';
import { sleep, systemClock, visible } from '@drawbridge/kit';
import { groupLabel, effectiveModes, openSettings } from '../../permission/index.ts';
import type { DaemonStatus } from '../../status/index.ts';
import { readStatuses } from '../../status/read-status.ts';
import type { Row } from '../../terminal/row.ts';
import { stillStarting } from '../../tools/index.ts';
import type { Answer, CommandContext } from '../common/command.ts';
import { sourceWords } from '../common/mode-sources.ts';

/** A running daemon reads the file at once; what it starts with a group takes its time. */
const followMs = 10_000;
const checkEveryMs = 50;

interface Wanted {
  group: ToolGroup;
  mode: Mode;
}

/** What set the group for the whole session; undefined where it follows the file. */
const sessionSource = ({ sources }: DaemonStatus, group: ToolGroup) => {
  const source = sources?.[group];
  return source === 'flag' || source === 'session' ? source : undefined;
};

/** Why a running daemon offers nothing of a group; undefined where it does. */
const reasonIn = ({ categories }: DaemonStatus, group: ToolGroup) =>
  categories.find(({ name, enabled }) => name === group && !enabled)?.reason;

const isSettled = (status: DaemonStatus, { group, mode }: Wanted): boolean =>
  sessionSource(status, group) !== undefined ||
  (status.modes[group] === mode && (mode === 'deny' || reasonIn(status, group) !== stillStarting));

/** The running daemons when all have the mode, at most 10 s later. */
const whenFollowed = async (privateFolder: string, wanted: Wanted): Promise<DaemonStatus[]> => {
  const endsAt = systemClock.now() + followMs;
  for (;;) {
    const running = await readStatuses(privateFolder);
    if (running.every((status) => isSettled(status, wanted)) || systemClock.now() > endsAt) return running;
    await sleep(systemClock, checkEveryMs);
  }
};

const effectIn = (status: DaemonStatus, { group, mode }: Wanted, row: Row): string => {
  const folder = visible(status.folder);
  const held = status.modes[group] ?? 'deny';
  if (held !== mode) {
    const source = sessionSource(status, group);
    const why =
      source === undefined
        ? `process ${status.pid} does not answer`
        : `set for ${sourceWords[source]}, until drawbridge restarts`;
    return row('not yet', `${folder}: still ${held}, ${why}`, 'yellow');
  }
  const reason = mode === 'deny' ? undefined : reasonIn(status, group);
  if (reason === undefined) return row('in effect', folder, 'green');
  return row(
    reason === stillStarting ? 'starting' : 'not offered',
    `${folder}: ${visible(reason)}`,
    'yellow',
  );
};

/** Saves a mode and waits until it is in effect. The mode of `system` is changed in the file only. */
export const setMode = async (
  group: Exclude<ToolGroup, 'system'>,
  mode: Mode,
  { environment }: CommandContext,
): Promise<Answer> => {
  const settings = await openSettings(environment.privateFolder, systemClock);
  await settings.setMode(group, mode);
  const wanted = { group, mode: effectiveModes(settings.modes())[group] };
  const running = await whenFollowed(settings.folder, wanted);
  return {
    text: (row) => [
      row('saved', `${groupLabel(group)}: ${mode}`),
      wanted.mode !== mode &&
        row('note', `${groupLabel(group)}: off while ${groupLabel('filesystemRead')} is on deny`),
      ...running.map((status) => effectIn(status, wanted, row)),
    ],
    json: null,
    code: 0,
  };
};

import { join } from 'node:path';
import { defaultModes, type Mode, type ToolGroup } from '@drawbridge/contracts/groups';
import { createEmitter, createSerialQueue, type Clock } from '@drawbridge/kit';
import { errors } from '../../private-files/errors.ts';
import { openPrivateFolder, readPrivateFile, writePrivateFile } from '../../private-files/private-folder.ts';
import { isSameRule, type Rule } from '../rules/rule.ts';
import { whileLocked } from '../../private-files/settings-lock.ts';
import { stampOf, watchFile } from '../../private-files/watch-file.ts';
import { isValidRule } from '../rules/validate-rule.ts';
import { emptySettings, formatSettings, parseSettings, type SettingsFile } from './settings-text.ts';

type EditPaths = (paths: readonly string[]) => string[];

export type RuleEffect = keyof SettingsFile['rules'];

/** A wider rule that cannot mean what it says is refused: what it allows is not known. */
const requireValidRules = async (rules: readonly Rule[], path: string): Promise<void> => {
  for (const [at, rule] of rules.entries()) {
    if (await isValidRule(rule)) continue;
    throw errors.settingsBroken({
      message: `${path}: rules.allow.${at}: ${rule.resource} cannot have the reach ${rule.reach}`,
    });
  }
};

const createChanges = () =>
  createEmitter<null>((error) => {
    throw error;
  });

const unchanged = Promise.resolve();

/**
 * Opens `settings.json` in `folder` (0700, file 0600). Throws `settingsBroken` and `settingsUnsafe`.
 * Several processes may share the file: each change starts from its present content, under a lock.
 */
export const openSettings = async (folder: string, clock: Clock) => {
  const realFolder = await openPrivateFolder(folder);
  const name = 'settings.json';
  const path = join(realFolder, name);
  const changes = createChanges();
  let current = emptySettings;
  let stamp: string | undefined;
  // No change starts from a state that another one is replacing.
  const inTurn = createSerialQueue();

  const adopt = (next: SettingsFile) => {
    const isOther = formatSettings(next) !== formatSettings(current);
    current = next;
    if (isOther) changes.emit('settings', null);
  };

  const load = async () => {
    const before = stampOf(path);
    const text = await readPrivateFile(path);
    const read = text === undefined ? emptySettings : parseSettings(text, path);
    await requireValidRules(read.rules.allow, path);
    stamp = before;
    adopt(read);
  };

  const change = <T>(run: () => Promise<T>): Promise<T> =>
    inTurn(() =>
      whileLocked({ folder: realFolder, clock }, async () => {
        await load();
        return run();
      }),
    );

  const save = async (changed: Partial<Pick<SettingsFile, 'modes' | 'rules' | 'sandboxReads'>>) => {
    const next = { ...current, ...changed };
    await writePrivateFile(path, formatSettings(next));
    stamp = stampOf(path);
    adopt(next);
  };

  /** Reads the file again where it has changed. */
  const refresh = () => (stampOf(path) === stamp ? unchanged : inTurn(load));

  await load();
  return {
    folder: realFolder,
    /** Calls when the content that was read last is another one; gives a function that stops it. */
    onChanged: (listen: () => void) => changes.on('settings', listen),
    /** Reads the file when it changes; `failed` gets why it cannot. Gives a function that stops it. */
    watch: (failed: (error: unknown) => void) =>
      watchFile({ folder: realFolder, name, clock }, () => void refresh().catch(failed)),
    /** The modes of the file over the defaults, at the last `refresh`. */
    modes: () => ({ ...defaultModes, ...current.modes }),
    savedModes: () => current.modes,
    browserMode: () => current.browser?.mode ?? 'ephemeral',
    offersOutside: () => current.outside === 'ask',
    readableFolders: (): readonly string[] => current.sandboxReads,
    setReadable: (edit: EditPaths) => change(() => save({ sandboxReads: edit(current.sandboxReads) })),
    rules: () => current.rules,
    /** Whether the panel may widen what is allowed. */
    remoteRules: () => current.remoteRules,
    /** Reads the file again where it has changed. `settingsBroken` where it cannot be understood. */
    refresh,
    addRules: (effect: RuleEffect, rules: readonly Rule[]) =>
      change(async () => {
        const known = current.rules[effect];
        const madeAt = new Date(clock.now()).toISOString();
        const added = rules
          .filter((one, at) => ![...known, ...rules.slice(0, at)].some((other) => isSameRule(one, other)))
          .map((one) => ({ ...one, madeAt }));
        if (added.length > 0) await save({ rules: { ...current.rules, [effect]: [...known, ...added] } });
      }),
    /** Sets those of the groups that are on deny to ask, on disk when this resolves; never to allow. */
    activate: (groups: readonly ToolGroup[]) =>
      change(async () => {
        const closed = groups.filter((group) => (current.modes[group] ?? defaultModes[group]) === 'deny');
        if (closed.length === 0) return;
        await save({
          modes: { ...current.modes, ...Object.fromEntries(closed.map((group) => [group, 'ask'])) },
        });
      }),
    setMode: (group: ToolGroup, mode: Mode) =>
      change(() => save({ modes: { ...current.modes, [group]: mode } })),
    clearRules: () => change(() => save({ rules: { allow: [], deny: [] } })),
    removeRule: (effect: RuleEffect, rule: Rule) =>
      change(async () => {
        const kept = current.rules[effect].filter((one) => !isSameRule(one, rule));
        const isRemoved = kept.length < current.rules[effect].length;
        if (isRemoved) await save({ rules: { ...current.rules, [effect]: kept } });
        return isRemoved;
      }),
  };
};

/** What the person settled for good, as it stands in their file. */
export type SettingsStore = Awaited<ReturnType<typeof openSettings>>;

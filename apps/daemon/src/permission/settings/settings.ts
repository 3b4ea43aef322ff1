import { statSync } from 'node:fs';
import { join } from 'node:path';
import { defaultModes, type Mode, type ToolGroup } from '@drawbridge/contracts/groups';
import { createSerialQueue, type Clock } from '@drawbridge/kit';
import { errors } from '../../private-files/errors.ts';
import { openPrivateFolder, readPrivateFile, writePrivateFile } from '../../private-files/private-folder.ts';
import { isSameRule, type Rule } from '../rules/rule.ts';
import { whileLocked } from '../../private-files/settings-lock.ts';
import { isValidRule } from '../rules/validate-rule.ts';
import { emptySettings, formatSettings, parseSettings, type SettingsFile } from './settings-text.ts';

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

const unchanged = Promise.resolve();

/** Differs between two states of the file, without reading it; undefined when there is no file. */
const stampOf = (path: string): string | undefined => {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ');
};

/**
 * Opens `settings.json` in `folder` (0700, file 0600). Throws `settingsBroken` and `settingsUnsafe`.
 * Several processes may share the file: each change starts from its present content, under a lock.
 */
export const openSettings = async (folder: string, clock: Clock) => {
  const realFolder = await openPrivateFolder(folder);
  const path = join(realFolder, 'settings.json');
  let current = emptySettings;
  let stamp: string | undefined;
  // No change starts from a state that another one is replacing.
  const inTurn = createSerialQueue();

  const load = async () => {
    const before = stampOf(path);
    const text = await readPrivateFile(path);
    const read = text === undefined ? emptySettings : parseSettings(text, path);
    await requireValidRules(read.rules.allow, path);
    current = read;
    stamp = before;
  };

  const change = <T>(run: () => Promise<T>): Promise<T> =>
    inTurn(() =>
      whileLocked({ folder: realFolder, clock }, async () => {
        await load();
        return run();
      }),
    );

  const save = async (changed: Partial<Pick<SettingsFile, 'modes' | 'rules'>>) => {
    const next = { ...current, ...changed };
    await writePrivateFile(path, formatSettings(next));
    current = next;
    stamp = stampOf(path);
  };

  await load();
  return {
    folder: realFolder,
    /** The modes of the file over the defaults, at the last `refresh`. */
    modes: () => ({ ...defaultModes, ...current.modes }),
    savedModes: () => current.modes,
    browserMode: () => current.browser?.mode ?? 'ephemeral',
    rules: () => current.rules,
    /** Whether the panel may widen what is allowed. */
    remoteRules: () => current.remoteRules,
    /** Reads the file again where it has changed. `settingsBroken` where it cannot be understood. */
    refresh: () => (stampOf(path) === stamp ? unchanged : inTurn(load)),
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
        const all = { ...defaultModes, ...current.modes };
        const closed = groups.filter((group) => all[group] === 'deny');
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

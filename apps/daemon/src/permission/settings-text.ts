import { mode, modes, type ToolGroup } from '@drawbridge/contracts';
import { z } from 'zod';
import { errors } from './errors.ts';
import { repeatedKey } from './repeated-key.ts';
import { rule } from './rules.ts';

const groupModes = {
  filesystemRead: mode,
  filesystemWrite: mode,
  shell: mode,
  computer: mode,
  browser: mode,
  mcp: mode,
  system: mode,
};
groupModes satisfies Record<ToolGroup, typeof mode>;

/** What `settings.json` holds. A group that is not named has its default mode. */
export const settingsFile = z.strictObject({
  version: z.literal(1),
  modes: z.strictObject(groupModes).partial().default({}),
  /** Whether the panel may add rules and take denials back, which needs nobody at the machine. */
  remoteRules: z.boolean().default(false),
  rules: z.strictObject({ allow: z.array(rule).default([]), deny: z.array(rule).default([]) }).prefault({}),
});
export type SettingsFile = z.infer<typeof settingsFile>;

export const emptySettings: SettingsFile = {
  version: 1,
  modes: {},
  remoteRules: false,
  rules: { allow: [], deny: [] },
};

const parseJson = (text: string, path: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'it is not JSON';
    throw errors.settingsBroken({ message: `${path}: ${reason}`, cause });
  }
};

/** Text -> settings; `settingsBroken` names the file and the place in it. Nothing is guessed or reset. */
export const parseSettings = (text: string, path: string): SettingsFile => {
  const json = parseJson(text, path);
  const twice = repeatedKey(text);
  if (twice !== undefined)
    throw errors.settingsBroken({ message: `${path}: the key "${twice}" stands there twice` });
  const parsed = settingsFile.safeParse(json);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(
    (issue) => `${issue.path.join('.') || 'the whole file'}: ${issue.message}`,
  );
  throw errors.settingsBroken({ message: `${path}: ${issues.join('; ')} (modes are ${modes.join(', ')})` });
};

export const formatSettings = (settings: SettingsFile): string => `${JSON.stringify(settings, null, 2)}\n`;

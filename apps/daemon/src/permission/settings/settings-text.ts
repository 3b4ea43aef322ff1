import { mode, perGroup } from '@drawbridge/contracts/groups';
import { z } from 'zod';
import { browserMode } from './browser-mode.ts';
import { parsePrivateJson } from '../../private-files/private-json.ts';
import { rule } from '../rules/rule.ts';

/** What `settings.json` holds. A group that is not named has its default mode. */
export const settingsFile = z.strictObject({
  version: z.literal(1),
  modes: z
    .strictObject(perGroup(() => mode))
    .partial()
    .default({}),
  /** Whether the panel may add rules and remove denials, without a user at the machine. */
  remoteRules: z.boolean().default(false),
  /** What the owner lets commands in the sandbox read, beside the shared folder: absolute paths. */
  sandboxReads: z.array(z.string().startsWith('/').max(4_096)).max(100).default([]),
  /** Present where commands that failed in the sandbox may be asked about outside of it. */
  outside: z.literal('ask').optional(),
  browser: z.strictObject({ mode: browserMode }).optional(),
  rules: z.strictObject({ allow: z.array(rule).default([]), deny: z.array(rule).default([]) }).prefault({}),
});
export type SettingsFile = z.infer<typeof settingsFile>;

export const emptySettings = settingsFile.parse({ version: 1 });

/** Text -> settings; `settingsBroken` names the file and the place in it. Nothing is guessed or reset. */
export const parseSettings = (text: string, path: string): SettingsFile =>
  parsePrivateJson(text, { path, schema: settingsFile });

export const formatSettings = (settings: SettingsFile): string => `${JSON.stringify(settings, null, 2)}\n`;

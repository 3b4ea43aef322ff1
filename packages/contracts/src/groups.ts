import { z } from 'zod';
import { decisions, modes, toolGroups } from './names/groups.ts';

export * from './names/groups.ts';

export const toolGroup = z.enum(toolGroups);

/** The groups that tools belong to. `network` is what a command of `shell` asks for beside it. */
export const toolScope = toolGroup.exclude(['network']);
export const toolScopes = toolScope.options;
export type ToolScope = z.infer<typeof toolScope>;

export const mode = z.enum(modes);
export const decision = z.enum(decisions);

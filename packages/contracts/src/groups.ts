import { z } from 'zod';

/** Groups of tools. Each group has a mode. */
export const toolGroups = [
  'filesystemRead',
  'filesystemWrite',
  'shell',
  'network',
  'computer',
  'browser',
  'mcp',
  'runtime',
  'system',
] as const;
export const toolGroup = z.enum(toolGroups);
export type ToolGroup = z.infer<typeof toolGroup>;

/** The groups that tools belong to. `network` is what a command of `shell` asks for beside it. */
export const toolScope = toolGroup.exclude(['network']);
export const toolScopes = toolScope.options;
export type ToolScope = z.infer<typeof toolScope>;

/** A record with one entry for each group. */
export const perGroup = <T>(valueOf: (group: ToolGroup) => T): Record<ToolGroup, T> =>
  // `fromEntries` forgets which keys it was given.
  Object.fromEntries(toolGroups.map((group) => [group, valueOf(group)])) as Record<ToolGroup, T>;

export const modes = ['deny', 'ask', 'allow'] as const;
export const mode = z.enum(modes);
export type Mode = z.infer<typeof mode>;

/** The five answers to a confirmation, the values of `_confirmation`. Specification 6.2. */
export const decisions = ['allowOnce', 'allowForSession', 'alwaysAllow', 'denyOnce', 'alwaysDeny'] as const;
export const decision = z.enum(decisions);
export type Decision = z.infer<typeof decision>;

export const denyingDecisions = ['denyOnce', 'alwaysDeny'] as const satisfies readonly Decision[];
export const isDenial = (decision: Decision | null): boolean =>
  denyingDecisions.some((denying) => denying === decision);

/** The default mode of each group. */
export const defaultModes = {
  filesystemRead: 'allow',
  filesystemWrite: 'ask',
  shell: 'deny',
  network: 'ask',
  computer: 'deny',
  browser: 'ask',
  mcp: 'ask',
  runtime: 'deny',
  system: 'ask',
} as const satisfies Record<ToolGroup, Mode>;

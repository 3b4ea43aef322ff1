// Without a schema: the panel's first page reads these, and no zod.

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
export type ToolGroup = (typeof toolGroups)[number];

/** A record with one entry for each group. */
export const perGroup = <T>(valueOf: (group: ToolGroup) => T): Record<ToolGroup, T> =>
  // `fromEntries` forgets which keys it was given.
  Object.fromEntries(toolGroups.map((group) => [group, valueOf(group)])) as Record<ToolGroup, T>;

export const modes = ['deny', 'ask', 'allow'] as const;
export type Mode = (typeof modes)[number];

/** The five answers to a confirmation, the values of `_confirmation`. Specification 6.2. */
export const decisions = ['allowOnce', 'allowForSession', 'alwaysAllow', 'denyOnce', 'alwaysDeny'] as const;
export type Decision = (typeof decisions)[number];

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

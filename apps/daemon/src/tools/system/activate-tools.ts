import { toolScope, toolScopes, type ToolGroup } from '@drawbridge/contracts/groups';
import { nanoid } from 'nanoid';
import { z } from 'zod';
import type { Modes } from '../../permission/index.ts';
import { errors } from '../common/errors.ts';
import { jsonResult } from '../common/result.ts';
import { defineTool, isGranted, type DaemonTool, type Resource, type ToolFacts } from '../common/tool.ts';

/** What a group permits, for the person who is asked to switch it on. */
const permits: Record<ToolGroup, string> = {
  filesystemRead: 'reading files in the folder',
  filesystemWrite: 'making, changing and deleting files in the folder',
  shell: 'running commands',
  network: 'connecting commands to hosts',
  computer: 'seeing the screen, moving the mouse and typing',
  browser: 'using a browser',
  mcp: "starting this machine's MCP servers and using their tools",
  runtime: 'starting coding agents, which the user enables at the machine',
  system: 'asking to switch tool groups on',
};

export interface ActivationNeeds {
  modes(): Modes;
  /** Whether the person switched the group off for this session, with a flag or at the start. */
  isOffForSession(group: ToolGroup): boolean;
  /** Starts what the group needs; gives why it cannot be used here, or null. Offers nothing yet. */
  prepare(group: ToolGroup): Promise<string | null>;
  /** Puts groups that are on deny on ask, for good. */
  activate(groups: readonly ToolGroup[]): Promise<void>;
}

const input = z.strictObject({
  groups: z
    .array(toolScope)
    .max(toolScopes.length)
    .optional()
    .describe('The groups to switch on; without it, only the list of groups is given'),
});

export const activateFacts = {
  name: 'activate_tools',
  title: 'Activate tools',
  description:
    'List the tool groups of this machine, or ask the user to switch some on that are on deny. For a task of the ' +
    "user's that cannot be done without them; a no is final.",
  group: 'system',
  category: 'system',
  effect: 'adds',
  input,
} satisfies ToolFacts;

/** Why nothing can switch the group on for this session, or null. */
const barredBy = (needs: ActivationNeeds, group: ToolGroup, wanted: readonly ToolGroup[]): string | null => {
  if (group === 'runtime') return 'the user enables coding agents at the machine, with drawbridge runtimes';
  if (needs.isOffForSession(group)) return 'the user switched it off for this session';
  const needsRead = group === 'filesystemWrite' && needs.modes().filesystemRead === 'deny';
  return needsRead && !wanted.includes('filesystemRead') ? 'it needs filesystemRead too' : null;
};

/** `activate_tools`: groups on deny become ask, after a yes of the person to exactly these, each time. */
export const activateTools = (needs: ActivationNeeds): DaemonTool => {
  // No rule is about the next time: what is asked is another thing each time.
  let occasion = nanoid();

  const closed = (groups: readonly ToolGroup[]) =>
    toolScopes.filter((group) => groups.includes(group) && needs.modes()[group] === 'deny');

  const toResource = (group: ToolGroup): Resource => ({
    toolGroup: 'system',
    resource: `switch on ${group}`,
    description: `Switch on ${group}, which permits ${permits[group]}. It stays on, and each use is asked about`,
    fingerprint: occasion,
    explicit: true,
    once: true,
  });

  const list = () =>
    toolScopes.map((group) => {
      const mode = needs.modes()[group];
      const reason = mode === 'deny' ? barredBy(needs, group, toolScopes) : null;
      return { group, permits: permits[group], mode, ...(reason !== null && { reason }) };
    });

  return defineTool({
    ...activateFacts,
    resources: async ({ groups = [] }) => {
      const wanted = closed(groups);
      for (const group of wanted) {
        const reason = barredBy(needs, group, wanted);
        if (reason !== null)
          throw errors.cannotActivate({ message: `${group} cannot be switched on: ${reason}` });
      }
      return wanted.map(toResource);
    },
    asks: ({ groups = [] }) => `Switch on ${closed(groups).join(' and ')} on this machine?`,
    run: async ({ groups = [] }, context) => {
      const wanted = closed(groups);
      if (!wanted.every((group) => isGranted(context, toResource(group)))) throw errors.notGranted();
      if (wanted.length === 0) return jsonResult({ groups: list() });
      occasion = nanoid();
      for (const group of wanted) {
        const missing = await needs.prepare(group);
        if (missing !== null) throw errors.cannotActivate({ message: `${group} cannot be used: ${missing}` });
      }
      await needs.activate(wanted);
      return jsonResult({ activated: wanted, groups: list() });
    },
  });
};

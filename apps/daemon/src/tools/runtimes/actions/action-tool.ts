import { actionTool } from '@drawbridge/contracts/machines/runtimes';
import { visible } from '@drawbridge/kit';
import { z } from 'zod';
import { locate, toResource } from '../../common/access.ts';
import { errors } from '../../common/errors.ts';
import { commandWords, resourcePath, textWords } from '../../common/question-words.ts';
import { textResult } from '../../common/result.ts';
import { defineTool, type DaemonTool, type Resource, type ToolContext } from '../../common/tool.ts';
import { mustFit, toCommandResource } from '../../shell/command.ts';
import type { ActionRequest, Edit } from '../driver.ts';
import { editsPreview } from './edits-preview.ts';
import type { OpenAction, OpenActions } from './open-actions.ts';

const input = z.looseObject({ action: z.string() });

/** Rules for commands of a coding agent hold for that one alone, and not for those of `shell_execute`. */
const fingerprintOf = ({ runtime }: OpenAction) => `runtime:${runtime}`;

const inWalls = 'It runs in the sandbox of the coding agent';

const toResources = (open: OpenAction, context: ToolContext): Resource[] => {
  const { request, runtime, title } = open;
  switch (request.kind) {
    case 'command': {
      const { command, cwd = '.' } = request;
      mustFit(command);
      const { path } = locate(context, cwd, { access: 'read' });
      return [
        {
          toolGroup: 'shell',
          resource: toCommandResource(command, path),
          description: `${title}: run a command. ${inWalls}, with its network`,
          fingerprint: fingerprintOf(open),
        },
      ];
    }
    case 'edit':
      return request.edits.map(({ path }) => {
        const place = locate(context, path, { access: 'write' });
        return toResource({ access: 'write', place, doing: `${title}: change file` });
      });
    case 'read':
      return request.paths.map((path) => {
        const place = locate(context, path, { access: 'read' });
        return toResource({ access: 'read', place, doing: `${title}: read` });
      });
    case 'other':
      return [
        {
          toolGroup: 'runtime',
          resource: `${runtime}:${request.name}`,
          description: `${title}: ${visible(request.name)}. ${inWalls}`,
          once: true,
        },
      ];
    default:
      return request satisfies never;
  }
};

const doing = (request: ActionRequest, root: string, resources: readonly Resource[]): string => {
  const [first, ...more] = resources;
  const others = more.length === 0 ? '' : ` and ${more.length} more`;
  switch (request.kind) {
    case 'command':
      return `run ${commandWords(request.command)}`;
    case 'edit':
      return `change ${resourcePath(root, first)}${others}`;
    case 'read':
      return `read ${resourcePath(root, first)}${others}`;
    case 'other':
      return `use ${textWords(request.name)}`;
    default:
      return request satisfies never;
  }
};

/**
 * `runtime_action`: what a coding agent asks to do in its turn, as a call of its own. Only the daemon opens
 * one; what it is about is what the daemon has kept, whatever the arguments say.
 */
export const createActionTool = (actions: Pick<OpenActions, 'take' | 'allow'>): DaemonTool => {
  const find = (action: string): OpenAction => {
    const open = actions.take(action);
    if (open === undefined) throw errors.actionClosed();
    return open;
  };
  const whole = new WeakSet<Edit>();
  return defineTool({
    name: actionTool,
    title: 'Action of a coding agent',
    description: 'What a coding agent asks to do',
    group: 'runtime',
    category: 'runtime',
    effect: 'destroys',
    lane: 'action',
    isInternal: true,
    input,
    resources: async ({ action }, context) => toResources(find(action), context),
    asks: ({ action }, resources, context) => {
      const { request, title } = find(action);
      return `${title}: ${doing(request, context.root, resources)}?`;
    },
    preview: async ({ action }, context) => {
      const { request } = find(action);
      if (request.kind === 'edit') return editsPreview(context, request.edits, whole);
      if (request.kind !== 'other' || request.input === null) return undefined;
      const text = JSON.stringify(request.input, null, 2);
      return { kind: 'text', of: 'content', path: 'input', text: text.slice(0, 16_384) };
    },
    run: async ({ action }) => {
      find(action);
      actions.allow(action);
      return textResult('Allowed once: the coding agent was told');
    },
  });
};

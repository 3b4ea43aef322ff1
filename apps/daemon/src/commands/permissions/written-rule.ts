import { basename, dirname, join, resolve } from 'node:path';
import type { NewRule } from '@drawbridge/contracts/rules';
import { networkParts } from '../../permission/rules/plain-command.ts';
import { isPathGroup } from '../../permission/rules/resource.ts';
import { realPathOf } from '../../program/quiet-files.ts';

/** Where a path leads, as far as it exists. */
const realPath = (path: string): string => {
  const parent = dirname(path);
  return realPathOf(path) ?? (parent === path ? path : join(realPath(parent), basename(path)));
};

const withSlash = (path: string) => (path.endsWith('/') ? path : `${path}/`);

/**
 * A rule as typed in the folder `cwd`: paths and allowed commands are relative to it.
 * A denial is kept as typed: it holds for the path and for where that leads.
 */
export const readWrittenRule = (typed: NewRule, cwd: string): NewRule => {
  const { effect, toolGroup, resource, reach } = typed;
  if (isPathGroup(toolGroup)) {
    const path = effect === 'allow' ? realPath(resolve(cwd, resource)) : resolve(cwd, resource);
    return { ...typed, resource: reach === 'folder' ? withSlash(path) : path };
  }
  const parts = toolGroup === 'network' && effect === 'allow' ? networkParts(resource) : undefined;
  if (parts !== undefined && !parts.command.startsWith('"'))
    return { ...typed, resource: `${parts.host} < ${JSON.stringify(realPath(cwd))} $ ${parts.command}` };
  const isBare = toolGroup === 'shell' && effect === 'allow' && !resource.startsWith('"');
  return isBare ? { ...typed, resource: `${JSON.stringify(realPath(cwd))} $ ${resource}` } : typed;
};

import { posix } from 'node:path';
import { toolGroup, type NewRule } from '@drawbridge/contracts';
import { errors } from './errors.ts';
import { hostOf } from './host.ts';
import { reachKinds, rule, type Rule } from './rules.ts';
import { isSound } from './sound.ts';

const bad = (message: string) => errors.notARule({ message });

const mustBePath = ({ resource }: Rule) => {
  if (!resource.startsWith('/') || posix.normalize(resource) !== resource)
    throw bad(`${resource} is not a whole path: write it from / on, without . and ..`);
};

const mustBeHost = ({ resource }: Rule) => {
  const host = hostOf(resource);
  const plain = host === null ? null : host.name + (host.port === '' ? '' : `:${host.port}`);
  if (plain !== resource) throw bad(`${resource} is not a host: write it as ${plain ?? 'example.org'}`);
};

/**
 * What a person wrote, by hand or in the panel, as a rule. Throws `notARule` with what is wrong: a rule that could never
 * hold, or would hold for something else than it seems to, is refused instead of kept.
 */
export const readNewRule = async (written: NewRule): Promise<Rule> => {
  const group = toolGroup.safeParse(written.toolGroup);
  if (!group.success) throw bad(`There is no group ${written.toolGroup}`);
  const parsed = rule.safeParse({
    toolGroup: group.data,
    resource: written.resource,
    ...(written.reach !== undefined && written.reach !== 'exact' && { reach: written.reach }),
  });
  if (!parsed.success) throw bad(`The reach is one of exact, ${reachKinds.join(', ')}`);
  const made = parsed.data;
  if (made.toolGroup === 'filesystemRead' || made.toolGroup === 'filesystemWrite') mustBePath(made);
  if (made.toolGroup === 'browser') mustBeHost(made);
  if (written.effect === 'deny') return made;
  if (made.toolGroup === 'mcp')
    throw bad(
      'An MCP tool is allowed by answering its question: only that tells what stands behind its name',
    );
  if (made.toolGroup === 'shell' && !/^"(?:[^"\\]|\\.)*" \$ ./s.test(made.resource))
    throw bad('A command is allowed with its folder: write "/folder" $ command');
  if (!(await isSound(made))) throw bad(`${made.resource} cannot have the reach ${made.reach}`);
  return made;
};

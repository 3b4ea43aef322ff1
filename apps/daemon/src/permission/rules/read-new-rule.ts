import { posix } from 'node:path';
import { toolGroup } from '@drawbridge/contracts/groups';
import type { NewRule } from '@drawbridge/contracts/rules';
import { errors } from '../errors.ts';
import { hostOf } from '@drawbridge/kit';
import { commandIn, commandParts, gitParts } from './plain-command.ts';
import { isPathGroup } from './resource.ts';
import { scopeKinds, rule, type Rule } from './rule.ts';
import { isValidRule } from './validate-rule.ts';

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

const withFurtherWords = async (
  made: Rule,
  fingerprintOf: (command: { folder: string; text: string }) => string | undefined,
): Promise<Rule> => {
  const parts = commandParts(commandIn(made.resource));
  const fingerprint = parts === undefined ? undefined : fingerprintOf(parts);
  const whole = { ...made, ...(fingerprint !== undefined && { fingerprint }) };
  if (await isValidRule(whole)) return whole;
  throw bad(
    `${parts?.text ?? made.resource} cannot be allowed with further words: only some programs can, without quotes, wildcards and ` +
      'options that start others, and only at the machine',
  );
};

/**
 * A typed rule, from the command line or the panel. Throws `notARule` for one that could never hold.
 * `fingerprintOf` gives the digest of a command's program, which the reach `words` needs.
 */
export const readNewRule = async (
  written: NewRule,
  fingerprintOf: (command: { folder: string; text: string }) => string | undefined = () => undefined,
): Promise<Rule> => {
  const group = toolGroup.safeParse(written.toolGroup);
  if (!group.success) throw bad(`There is no group ${written.toolGroup}`);
  const parsed = rule.safeParse({
    toolGroup: group.data,
    resource: written.resource,
    ...(written.reach !== undefined && written.reach !== 'exact' && { reach: written.reach }),
  });
  if (!parsed.success) throw bad(`The reach is one of exact, ${scopeKinds.join(', ')}`);
  const made = parsed.data;
  if (isPathGroup(made.toolGroup)) mustBePath(made);
  const isGit = made.toolGroup === 'network' && gitParts(made.resource) !== undefined;
  const isDeniedHost = made.toolGroup === 'network' && written.effect === 'deny' && !isGit;
  if (made.toolGroup === 'browser' || isDeniedHost) mustBeHost(made);
  if (written.effect === 'deny') return made;
  if (made.toolGroup === 'mcp')
    throw bad(
      'An MCP tool is allowed by answering its question: only that tells what stands behind its name',
    );
  if (made.toolGroup === 'shell' && !/^"(?:[^"\\]|\\.)*" \$ ./s.test(made.resource))
    throw bad('A command is allowed with its folder: write "/folder" $ command');
  if (made.toolGroup === 'network' && !isGit && !/^\S+ < "(?:[^"\\]|\\.)*" \$ ./s.test(made.resource))
    throw bad(
      'A host is allowed for a command with its folder: write example.org < "/folder" $ command; a repository as git push github.com/ada/demo',
    );
  if (made.reach === 'words') return withFurtherWords(made, fingerprintOf);
  if (!(await isValidRule(made))) throw bad(`${made.resource} cannot have the reach ${made.reach}`);
  return made;
};

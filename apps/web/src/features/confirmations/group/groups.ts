import type { Confirmation } from '@drawbridge/contracts/confirmation';
import { leftOutWords, previewRows } from '@drawbridge/contracts/preview-rows';
import { warningsOf } from '@drawbridge/kit';
import { previewWarnings } from '../preview/preview-warnings.ts';

/** Questions that can have one answer, oldest first. */
export type Group = readonly [Confirmation, ...Confirmation[]];

export const groupId = ([first]: Group): string => `group ${first.id}`;

/** Fewer questions stay apart. */
const leastGrouped = 3;
/** A group is read to its end as a whole. */
const mostGrouped = 20;
const mostLines = 1_000;

/** Who asks: an agent, one chat, or the person in the panel. */
export const askerKey = ({ via }: Confirmation) => (via ? `${via.kind} ${via.id}` : 'panel');

const folderOf = ({ resource }: Confirmation) => resource.slice(0, resource.lastIndexOf('/'));

const linesOf = ({ preview }: Confirmation) => (preview === null ? 1 : previewRows(preview).length);

/**
 * Whether a question can be answered with others: about files, once, with all that it would change in sight,
 * and without a warning. Commands, pages and the screen have more than a path that differs.
 */
const mayJoin = (question: Confirmation) => {
  const { toolGroup, options, preview, resource } = question;
  return (
    toolGroup.startsWith('filesystem') &&
    options.includes('allowOnce') &&
    options.includes('denyOnce') &&
    warningsOf(resource).length === 0 &&
    (preview === null || (leftOutWords(preview) === undefined && previewWarnings(preview).length === 0))
  );
};

interface Collected {
  members: [Confirmation, ...Confirmation[]];
  lines: number;
}

/** Questions of one agent to one machine about one tool and one folder, oldest first. */
const collect = (open: readonly Confirmation[]): Map<string, Collected> => {
  const collected = new Map<string, Collected>();
  for (const one of open.filter(mayJoin)) {
    const key = JSON.stringify([askerKey(one), one.machineId, one.tool, folderOf(one)]);
    const before = collected.get(key);
    const lines = linesOf(one);
    if (before === undefined) collected.set(key, { members: [one], lines });
    else if (before.members.length < mostGrouped && before.lines + lines <= mostLines) {
      before.members.push(one);
      before.lines += lines;
    }
  }
  return collected;
};

/** Like questions that can be answered together, at least three each. */
export const groupsOf = (open: readonly Confirmation[]): Group[] =>
  [...collect(open).values()].map(({ members }) => members).filter(({ length }) => length >= leastGrouped);

import type { Confirmation } from '@drawbridge/contracts/confirmation';
import { repeatedLimits, type Repeated } from '@drawbridge/contracts/machines/repeated';
import { coverParts } from '@drawbridge/contracts/rules';
import { digestOf } from '@drawbridge/kit/node';

type Offer = Pick<Repeated, 'text' | 'folder' | 'command' | 'covers'>;

const commandResource = /^("(?:[^"\\]|\\.)*") \$ (.+)$/s;
/** One word between single quotes in every shell, and drawn as it is. */
const quotable = /^[ "#-&(-[\]-~]+$/;

/** Whether the machine asked because the group is on ask, and offers this command alone for good. */
const isOffered = ({ toolGroup, resources, options, why, reaches }: Confirmation, covers: string): boolean =>
  toolGroup === 'shell' &&
  resources.length === 1 &&
  options.includes('alwaysAllow') &&
  why.every(({ cause }) => cause === 'mode') &&
  reaches.some(
    ({ scope, decisions, durationMs, caller, covers: named = [] }) =>
      scope === 'exact' &&
      caller === undefined &&
      durationMs === undefined &&
      decisions.includes('alwaysAllow') &&
      named.length === 1 &&
      named[0] === covers,
  );

/**
 * The rule that the machine offered for exactly this command, as a command that makes it. Undefined where
 * that would make another rule: the machine's name for its own, a digest, tells.
 */
const offerOf = (question: Confirmation): Offer | undefined => {
  const { resource = '' } = question.resources[0] ?? {};
  const [, quoted, text] = commandResource.exec(resource) ?? [];
  if (quoted === undefined || text === undefined) return undefined;
  if (resource.length > repeatedLimits.resource || !quotable.test(resource)) return undefined;
  const covers = digestOf(coverParts({ toolGroup: 'shell', resource }));
  if (!isOffered(question, covers)) return undefined;
  const command = `drawbridge permissions allow shell '${resource}'`;
  return { text, folder: JSON.parse(quoted) as string, command, covers };
};

const isAllowedOnce = ({ approved, decision, settledBy }: Confirmation): boolean =>
  approved === true && decision === 'allowOnce' && settledBy === null;

/** A denial, or a rule that was made, says more than many answers for once. */
const isAnswered = (questions: readonly Confirmation[]): boolean =>
  questions.some(({ approved, decision }) => approved !== true || decision === 'alwaysAllow');

/** The commands that were asked about most, of decided questions, newest first. */
export const repeatedOf = (questions: readonly Confirmation[]): Repeated[] => {
  const groups = new Map<string, { machineId: string; offer: Offer; questions: Confirmation[] }>();
  for (const question of questions) {
    const offer = offerOf(question);
    if (!offer) continue;
    const key = `${question.machineId} ${offer.covers}`;
    const group = groups.get(key) ?? { machineId: question.machineId, offer, questions: [] };
    groups.set(key, group);
    group.questions.push(question);
  }
  return [...groups.values()]
    .filter((group) => !isAnswered(group.questions))
    .map(({ machineId, offer, questions: own }) => ({
      machineId,
      ...offer,
      allowed: own.filter(isAllowedOnce).length,
      answered: own.length,
      calls: own
        .slice(0, repeatedLimits.calls)
        .map(({ requestId, createdAt }) => ({ requestId, at: createdAt })),
    }))
    .filter(({ allowed }) => allowed >= repeatedLimits.atLeast)
    .toSorted((a, b) => b.answered - a.answered)
    .slice(0, repeatedLimits.shown);
};

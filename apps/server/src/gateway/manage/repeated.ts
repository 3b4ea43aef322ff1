import type { Confirmation } from '@drawbridge/contracts/confirmation';
import { repeatedLimits, type Repeated } from '@drawbridge/contracts/machines/repeated';
import { coverParts } from '@drawbridge/contracts/rules';
import { digestOf } from '@drawbridge/kit/node';

type Offer = Pick<Repeated, 'toolGroup' | 'text' | 'folder' | 'host' | 'command' | 'covers'>;

const commandResource = /^("(?:[^"\\]|\\.)*") \$ (.+)$/s;
const hostResource = /^([^\s<]+) < (.+)$/s;
/** One word between single quotes in every shell, and drawn as it is. */
const quotable = /^[ "#-&(-[\]-~]+$/;

/** The rule's name, where the machine asked because the group is on ask, and offers this alone for good. */
const offeredCovers = ({ resources, options, why, reaches }: Confirmation): string | undefined => {
  const isForGood =
    resources.length === 1 && options.includes('alwaysAllow') && why.every(({ cause }) => cause === 'mode');
  const reach = reaches.find(
    ({ scope, decisions, durationMs, caller, covers = [] }) =>
      scope === 'exact' &&
      caller === undefined &&
      durationMs === undefined &&
      decisions.includes('alwaysAllow') &&
      covers.length === 1,
  );
  return isForGood ? reach?.covers?.[0] : undefined;
};

interface Parts {
  text: string;
  folder: string | null;
  host: string | null;
  /** Of the command that makes the rule. */
  flags: string;
}

const commandParts = (resource: string): Parts | undefined => {
  const [, quoted, text] = commandResource.exec(resource) ?? [];
  if (quoted === undefined || text === undefined) return undefined;
  return { text, folder: JSON.parse(quoted) as string, host: null, flags: '' };
};

/** A resource in parts to read; undefined for a form that no written rule has. */
const partsOf = (toolGroup: string, resource: string): Parts | undefined => {
  const plain = { text: resource, folder: null, host: null, flags: '' };
  switch (toolGroup) {
    case 'shell':
      return commandParts(resource);
    case 'filesystemRead':
    case 'filesystemWrite':
      // A link that is put in its place after the answers would make a rule for what it leads to.
      return resource.startsWith('/') && !resource.endsWith('/')
        ? { ...plain, flags: ' --real-path' }
        : undefined;
    case 'network': {
      const [, host, of] = hostResource.exec(resource) ?? [];
      const command = of === undefined ? undefined : commandParts(of);
      return host === undefined || command === undefined ? undefined : { ...command, host };
    }
    case 'browser':
    case 'mcp':
      return plain;
    default:
      return undefined;
  }
};

/**
 * The rule that the machine offered for exactly this, as a command that makes it. Undefined where that would
 * make another rule: the machine's name for its own, a digest, tells. Of an MCP tool the machine alone knows
 * what stands behind its name: there is no command.
 */
const offerOf = (question: Confirmation): Offer | undefined => {
  const { toolGroup = '', resource = '' } = question.resources[0] ?? {};
  const parts = partsOf(toolGroup, resource);
  if (parts === undefined || resource.length > repeatedLimits.resource || !quotable.test(resource))
    return undefined;
  const { flags, ...words } = parts;
  const covers = offeredCovers(question);
  if (covers === undefined) return undefined;
  if (toolGroup === 'mcp') return { toolGroup, ...words, command: null, covers };
  if (covers !== digestOf(coverParts({ toolGroup, resource }))) return undefined;
  const command = `drawbridge permissions allow ${toolGroup} '${resource}'${flags}`;
  return { toolGroup, ...words, command, covers };
};

const isAllowedOnce = ({ approved, decision, settledBy }: Confirmation): boolean =>
  approved === true && decision === 'allowOnce' && settledBy === null;

/** A denial, or a rule that was made, says more than many answers for once. */
const isAnswered = (questions: readonly Confirmation[]): boolean =>
  questions.some(({ approved, decision }) => approved !== true || decision === 'alwaysAllow');

/** What was asked about most, of decided questions, newest first. */
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

import type { NewRule } from '@drawbridge/contracts/rules';
import { ownCommand } from '../../program/own-command.ts';
import { plainCommand } from '../../permission/index.ts';

/** Lines for a person who typed a wildcard into an allowed command; none for other rules. */
export const wildcardNote = ({ effect, toolGroup, resource, reach = 'exact' }: NewRule): string[] => {
  if (effect !== 'allow' || toolGroup !== 'shell' || reach !== 'exact') return [];
  const wildcard = /[*?]/.exec(resource)?.[0];
  if (wildcard === undefined) return [];
  const before = resource.slice(0, resource.search(/\s*\S*[*?]/));
  const example = plainCommand(before) === undefined ? 'npm test' : before;
  return [
    `The ${wildcard} stands for itself: this rule matches exactly these letters.`,
    `For further words: ${ownCommand(`permissions allow shell '${example}' --reach words`)}`,
  ];
};

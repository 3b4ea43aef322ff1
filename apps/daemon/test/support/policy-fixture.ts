import { perGroup, type Mode, type ToolGroup } from '@drawbridge/contracts/groups';
import { prepareDenials } from '../../src/permission/rules/deny.ts';
import { evaluate } from '../../src/permission/rules/evaluate.ts';
import type { Resource } from '../../src/permission/rules/resource.ts';
import type { Rule } from '../../src/permission/rules/rule.ts';

/** What a call touches. */
export const at = (toolGroup: ToolGroup, resource: string, ...aliases: string[]): Resource => ({
  toolGroup,
  resource,
  description: '',
  aliases,
});
/** Every group in one mode. */
export const everything = (mode: Mode) => perGroup(() => mode);

/** The decision where nothing but these modes and rules is set. */
export const access = (
  resource: Resource,
  settled: { mode?: Mode; deny?: (Resource & Pick<Rule, 'reach'>)[]; allow?: Resource[] },
) =>
  evaluate(
    {
      modes: everything(settled.mode ?? 'allow'),
      deny: prepareDenials(settled.deny ?? []),
      allow: settled.allow ?? [],
      root: '/w',
    },
    resource,
  );

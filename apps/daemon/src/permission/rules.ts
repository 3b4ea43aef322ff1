import { isoTime, toolGroup } from '@drawbridge/contracts';
import { z } from 'zod';

/** What a rule covers beside exactly its resource. `folder`: all below; `subdomains`: of the host; `server`: all tools of one MCP server. */
export const reachKinds = ['folder', 'subdomains', 'server'] as const;
export type ReachKind = (typeof reachKinds)[number];

/** What the person settled: in an allow list it holds for exactly what it says, in a deny list for all that it may mean. */
export const rule = z.strictObject({
  toolGroup,
  resource: z.string().min(1).max(200_000),
  /** Absent: exactly the resource. */
  reach: z.enum(reachKinds).optional(),
  fingerprint: z.string().max(128).optional(),
  /** Absent in rules that are older than this field. */
  madeAt: isoTime.optional(),
});
export type Rule = z.infer<typeof rule>;

/** Whether two rules say the same, whenever they were made. */
export const isSameRule = (a: Rule, b: Rule): boolean =>
  a.toolGroup === b.toolGroup &&
  a.resource === b.resource &&
  a.reach === b.reach &&
  a.fingerprint === b.fingerprint;

import { toolGroup } from '@drawbridge/contracts/groups';
import { isoTime } from '@drawbridge/contracts/ids';
import { coverParts } from '@drawbridge/contracts/rules';
import { digestOf } from '@drawbridge/kit/node';
import { z } from 'zod';
import { ruleCaller } from './rule-caller.ts';

/**
 * `folder`: all below; `subdomains`: of the host; `server`: all its tools; `words`: further words;
 * `host`: the host for every command of a folder.
 */
export const scopeKinds = ['folder', 'subdomains', 'server', 'words', 'host'] as const;
export type ScopeKind = (typeof scopeKinds)[number];

/** In an allow list it holds for exactly what it says, in a deny list for all that it may mean. */
export const rule = z.strictObject({
  toolGroup,
  resource: z.string().min(1).max(200_000),
  /** Absent: exactly the resource. */
  reach: z.enum(scopeKinds).optional(),
  fingerprint: z.string().max(128).optional(),
  /** Absent: for every caller. */
  caller: ruleCaller.optional(),
  /** Absent in rules that are older than this field. */
  madeAt: isoTime.optional(),
});
export type Rule = z.infer<typeof rule>;

export const isSameRule = (a: Rule, b: Rule): boolean =>
  a.toolGroup === b.toolGroup &&
  a.resource === b.resource &&
  a.reach === b.reach &&
  a.fingerprint === b.fingerprint &&
  a.caller?.id === b.caller?.id;

/** By what a rule is known, however long it holds and whether it allows or denies. */
export const coverOf = ({ caller, ...rest }: Rule): string =>
  digestOf(coverParts({ ...rest, callerId: caller?.id }));

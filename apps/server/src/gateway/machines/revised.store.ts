import type { ExpressionBuilder } from 'kysely';
import type { Schema } from '../../db/index.ts';

/** What every change of a machine's row writes as well: by it other servers find what they have to read. */
export const revised =
  (at: number) =>
  ({ eb }: ExpressionBuilder<Schema, 'machines'>) => ({ rev: eb('machines.rev', '+', 1), changedAt: at });

import { jsonOf } from '@drawbridge/kit';
import { z } from 'zod';

// Columns: a schema reads what is stored, and gives what a row has.

export const text = z.string();
export const textOrNull = text.nullable();
export const whole = z.number().int();
export const wholeOrNull = whole.nullable();
/** Stored as 0 or 1. */
export const flag = z.union([z.literal(0), z.literal(1)]).transform((value) => value === 1);

/** JSON in a text column. */
export const json = <Schema extends z.ZodType>(schema: Schema) => text.transform(jsonOf).pipe(schema);

/** A table: the columns of its key, which begins with the user, and the schema of a stored row. */
export const table = <Shape extends z.ZodRawShape, const Key extends readonly (keyof Shape & string)[]>(
  key: Key,
  columns: Shape,
) => ({ key, row: z.object(columns) });

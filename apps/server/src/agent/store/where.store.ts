import { expressionBuilder, type Expression, type ExpressionBuilder, type SqlBool } from 'kysely';

/** What a column holds. */
export type Stored = string | number | null;
/** Tables whose names are known when the query is made. */
export type AnyTables = Record<string, Record<string, Stored>>;

/** Booleans as 0 or 1, lists and objects as JSON. */
const toStored = (value: unknown): Stored => {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  // A column that was left out would be written as an unknown value, and read by an unknown condition.
  if (value === undefined) throw new TypeError('A column without a value');
  return JSON.stringify(value);
};

export const toStoredRow = (row: object): Record<string, Stored> =>
  Object.fromEntries(Object.entries(row).map(([column, value]) => [column, toStored(value)]));

type Builder = ExpressionBuilder<AnyTables, string>;

const isOneOf = (build: Builder, column: string, values: readonly unknown[]) => {
  const known = values.filter((value) => value !== null).map(toStored);
  const among = build(column, 'in', known);
  return known.length === values.length ? among : build.or([among, build(column, 'is', null)]);
};

/** Each column has its value, or one of several. */
export const matches = (where: object): Expression<SqlBool> => {
  const build = expressionBuilder<AnyTables, string>();
  return build.and(
    Object.entries(where).map(([column, value]: [string, unknown]) => {
      if (Array.isArray(value)) return isOneOf(build, column, value);
      return value === null ? build(column, 'is', null) : build(column, '=', toStored(value));
    }),
  );
};

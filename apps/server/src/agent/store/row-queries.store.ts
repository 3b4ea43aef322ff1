import { createBoundedMap } from '@drawbridge/kit';
import type { Compilable, CompiledQuery, ExpressionBuilder, Kysely } from 'kysely';
import { prepareQuery, type Schema, type Slot } from '../../db/index.ts';

/** What a column holds. */
type Stored = string | number | null;
type AnyRows = Record<string, Record<string, Stored>>;

/** Booleans as 0 or 1, lists and objects as JSON. */
const toStored = (value: unknown): Stored => {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  // A column that was left out would be written as an unknown value, and read by an unknown condition.
  if (value === undefined) throw new TypeError('A column without a value');
  return JSON.stringify(value);
};

/** A column has its value, or one of several. */
interface Condition {
  column: string;
  test: 'null' | 'is' | 'among' | 'among or null';
  values: readonly Stored[];
}

const conditionOf = ([column, value]: [string, unknown]): Condition => {
  if (value === null) return { column, test: 'null', values: [] };
  if (!Array.isArray(value)) return { column, test: 'is', values: [toStored(value)] };
  const values = value.filter((one) => one !== null).map(toStored);
  return { column, test: values.length === value.length ? 'among' : 'among or null', values };
};

const conditionsOf = (where: object) => Object.entries(where).map(conditionOf);
const shapeOf = (conditions: readonly Condition[]) =>
  conditions.map(({ column, test, values }) => `${column} ${test} ${values.length}`);
const valuesOf = (conditions: readonly Condition[]) => conditions.flatMap(({ values }) => values);

/** The place of the next value. */
type Place = () => Stored;

const matches =
  (conditions: readonly Condition[], place: Place) => (of: ExpressionBuilder<AnyRows, string>) =>
    of.and(
      conditions.map(({ column, test, values }) => {
        if (test === 'null') return of(column, 'is', null);
        if (test === 'is') return of(column, '=', place());
        const among = values.length === 0 ? of.lit(false) : of(column, 'in', values.map(place));
        return test === 'among' ? among : of.or([among, of(column, 'is', null)]);
      }),
    );

/** Lists of values make shapes of many lengths. */
const maxShapes = 1_000;

/** One query for all that differ in values alone, which come in the order in which places are taken. */
const createShapes = () => {
  const prepared = createBoundedMap<string, (values: readonly Stored[]) => CompiledQuery>({
    maxEntries: maxShapes,
  });
  return (
    shape: readonly unknown[],
    values: readonly Stored[],
    build: (place: Place) => Compilable<unknown>,
  ): CompiledQuery => {
    const name = shape.join('\n');
    const known = prepared.get(name);
    if (known) return known(values);
    const query = prepareQuery((slot: Slot<readonly Stored[]>) => {
      let next = 0;
      return build(() => slot(next++));
    });
    prepared.set(name, query);
    return query(values);
  };
};

interface Selection {
  table: string;
  where: object;
  order: readonly string[];
  descending: boolean;
  /** Rows whose first column of the order is above this value, or below it when descending. */
  after: number | undefined;
  limit: number | undefined;
}

interface Change {
  table: string;
  where: object;
  set: object;
  /** Numbers that are added; null counts as 0. */
  add?: Readonly<Record<string, number>> | undefined;
}

/** Queries of the agent's rows, of any table and columns. Names come from our code, never from a request. */
export const createRowQueries = (database: Kysely<Schema>) => {
  // The table is a variable here, which the types of a schema cannot express.
  const db = database as unknown as Kysely<AnyRows>;
  const query = createShapes();
  return {
    select: ({ table, where, order, descending, after, limit }: Selection): CompiledQuery => {
      const conditions = conditionsOf(where);
      const [first = ''] = order;
      const rest = [after, limit].filter((one) => one !== undefined);
      return query(
        [
          'select',
          table,
          ...shapeOf(conditions),
          'by',
          ...order,
          descending,
          after === undefined,
          limit === undefined,
        ],
        [...valuesOf(conditions), ...rest],
        (place) => {
          let rows = db.selectFrom(table).selectAll().where(matches(conditions, place));
          if (after !== undefined) rows = rows.where(first, descending ? '<' : '>', place());
          for (const column of order) rows = rows.orderBy(column, descending ? 'desc' : 'asc');
          return limit === undefined ? rows : rows.limit(place() as number);
        },
      );
    },
    /** `conflict`: a row that is there stays as it is, or is replaced by the one with the same key. */
    insert: (table: string, row: object, conflict: 'keep' | readonly string[]): CompiledQuery => {
      const columns = Object.keys(row);
      return query(['insert', table, ...columns, conflict], Object.values(row).map(toStored), (place) =>
        db
          .insertInto(table)
          .values(Object.fromEntries(columns.map((column) => [column, place()])))
          .onConflict((on) =>
            conflict === 'keep'
              ? on.doNothing()
              : on
                  .columns(conflict)
                  .doUpdateSet(({ ref }) =>
                    Object.fromEntries(columns.map((column) => [column, ref(`excluded.${column}`)])),
                  ),
          ),
      );
    },
    update: ({ table, where, set, add = {} }: Change): CompiledQuery => {
      const conditions = conditionsOf(where);
      const [columns, added] = [Object.keys(set), Object.keys(add)];
      return query(
        ['update', table, ...columns, 'add', ...added, 'where', ...shapeOf(conditions)],
        [...Object.values(set).map(toStored), ...Object.values(add), ...valuesOf(conditions)],
        (place) =>
          db
            .updateTable(table)
            .set((of) => ({
              ...Object.fromEntries(columns.map((column) => [column, place()])),
              ...Object.fromEntries(
                added.map((column) => [column, of(of.fn.coalesce(column, of.lit(0)), '+', place())]),
              ),
            }))
            .where(matches(conditions, place)),
      );
    },
    remove: (table: string, where: object): CompiledQuery => {
      const conditions = conditionsOf(where);
      return query(['delete', table, ...shapeOf(conditions)], valuesOf(conditions), (place) =>
        db.deleteFrom(table).where(matches(conditions, place)),
      );
    },
  };
};

import { CompiledQuery } from 'kysely';

// A query builder takes longer than the statement: "agent: from the model's answer" in bench/results.md.

/** What a column holds. */
type Stored = string | number | null;

/** Booleans as 0 or 1, lists and objects as JSON. */
const toStored = (value: unknown): Stored => {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  // A column that was left out would be written as an unknown value, and read by an unknown condition.
  if (value === undefined) throw new TypeError('A column without a value');
  return JSON.stringify(value);
};

/** A piece of a statement with its values. Names come from our code, never from a request. */
interface Piece {
  text: string;
  values: readonly Stored[];
}

const name = (column: string) => `"${column}"`;
const namesOf = (columns: readonly string[]) => columns.map(name).join(', ');
const placesFor = (values: readonly unknown[]) => values.map(() => '?').join(', ');

/** The same statement with the places of its values numbered, as both dialects read them. */
const numbered = (text: string, values: readonly Stored[]): CompiledQuery => {
  let last = 0;
  return CompiledQuery.raw(
    text.replaceAll('?', () => `$${(last += 1)}`),
    [...values],
  );
};

const conditionOf = ([column, value]: [string, unknown]): Piece => {
  if (value === null) return { text: `${name(column)} is null`, values: [] };
  if (!Array.isArray(value)) return { text: `${name(column)} = ?`, values: [toStored(value)] };
  const values = value.filter((one) => one !== null).map(toStored);
  const among = values.length === 0 ? 'false' : `${name(column)} in (${placesFor(values)})`;
  return { text: values.length === value.length ? among : `(${among} or ${name(column)} is null)`, values };
};

/** Each column has its value, or one of several. */
const matches = (where: object): Piece => {
  const conditions = Object.entries(where).map(conditionOf);
  return {
    text: conditions.length === 0 ? 'true' : conditions.map(({ text }) => text).join(' and '),
    values: conditions.flatMap(({ values }) => values),
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

export const selectRows = ({ table, where, order, descending, after, limit }: Selection): CompiledQuery => {
  const { text, values } = matches(where);
  const isBehind = after === undefined ? '' : ` and ${name(order[0] ?? '')} ${descending ? '<' : '>'} ?`;
  const by = order.map((column) => `${name(column)} ${descending ? 'desc' : 'asc'}`).join(', ');
  const ordered = `${by === '' ? '' : ` order by ${by}`}${limit === undefined ? '' : ' limit ?'}`;
  return numbered(`select * from ${name(table)} where ${text}${isBehind}${ordered}`, [
    ...values,
    ...(after === undefined ? [] : [after]),
    ...(limit === undefined ? [] : [limit]),
  ]);
};

/** `conflict`: nothing is written beside a row that is there, or the row with the same key is replaced. */
export const insertRow = (
  table: string,
  row: object,
  conflict: 'keep' | readonly string[],
): CompiledQuery => {
  const columns = Object.keys(row);
  const values = Object.values(row).map(toStored);
  const change =
    conflict === 'keep'
      ? 'do nothing'
      : `(${namesOf(conflict)}) do update set ${columns.map((one) => `${name(one)} = excluded.${name(one)}`).join(', ')}`;
  const text = `insert into ${name(table)} (${namesOf(columns)}) values (${placesFor(values)})`;
  return numbered(`${text} on conflict ${change}`, values);
};

interface Change {
  where: object;
  set: object;
  /** Numbers that are added; null counts as 0. */
  add: Readonly<Record<string, number>>;
}

export const updateRows = (table: string, { where, set, add }: Change): CompiledQuery => {
  const { text, values } = matches(where);
  const changes = [
    ...Object.keys(set).map((column) => `${name(column)} = ?`),
    ...Object.keys(add).map((column) => `${name(column)} = coalesce(${name(column)}, 0) + ?`),
  ];
  return numbered(`update ${name(table)} set ${changes.join(', ')} where ${text}`, [
    ...Object.values(set).map(toStored),
    ...Object.values(add),
    ...values,
  ]);
};

export const deleteRows = (table: string, where: object): CompiledQuery => {
  const { text, values } = matches(where);
  return numbered(`delete from ${name(table)} where ${text}`, [...values]);
};

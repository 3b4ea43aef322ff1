import { tables } from '@drawbridge/agent/rows';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { openAgentStore } from '../../../test/agent-store.ts';
import { agentTables } from '../../db/index.ts';

interface Column {
  name: string;
  type: 'text' | 'integer';
  isNullable: boolean;
}
interface Table {
  key: string[];
  columns: Column[];
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

const typesOf = ({ type, anyOf = [] }: JsonSchema): unknown[] => [
  ...[type].flat(),
  ...anyOf.flatMap((one) => (typeof one === 'object' ? typesOf(one) : [])),
];

const byName = (one: Column, other: Column) => one.name.localeCompare(other.name);

const declared = ({ key, row }: (typeof tables)[keyof typeof tables]): Table => ({
  key: [...key],
  columns: Object.entries(z.toJSONSchema(row, { io: 'input' }).properties ?? {})
    .map(([name, column]): Column => {
      const types = typeof column === 'object' ? typesOf(column) : [];
      return {
        name,
        type: types.includes('string') ? 'text' : 'integer',
        isNullable: types.includes('null'),
      };
    })
    .toSorted(byName),
});

it('the migrations create the columns and keys that the schemas of rows declare', async () => {
  const { db } = await openAgentStore();
  const stored: Record<string, Table> = {};
  for (const name of agentTables) {
    const { rows } = await sql<{ name: string; type: string; notnull: number; pk: number }>`
      select name, lower(type) as type, "notnull", pk from pragma_table_info(${name})`.execute(db);
    stored[name] = {
      key: rows
        .filter(({ pk }) => pk > 0)
        .toSorted((one, other) => one.pk - other.pk)
        .map((column) => column.name),
      columns: rows
        .map((column): Column => ({
          name: column.name,
          type: column.type === 'text' ? 'text' : 'integer',
          isNullable: column.notnull === 0,
        }))
        .toSorted(byName),
    };
  }
  expect(stored).toEqual(Object.fromEntries(agentTables.map((name) => [name, declared(tables[name])])));
});

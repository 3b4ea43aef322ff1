import { errorTable, restSchemas, type ErrorName, type ErrorRow } from '@drawbridge/contracts';
import type { ZodOpenApiResponsesObject } from 'zod-openapi';
import type { z } from 'zod';

/** A body of JSON, as the document describes it. */
export const json = (schema: z.ZodType, description: string) => ({
  description,
  content: { 'application/json': { schema } },
});

const common: ErrorName[] = ['badRequest', 'unauthorized', 'foreignOrigin', 'tooManyRequests', 'internal'];

const line = ({ code, message, fix }: ErrorRow) =>
  `\`${code}\`: ${message}.${fix === undefined ? '' : ` ${fix}`}`;

/** The errors that an operation may answer with, those that all have among them, by status. */
export const failures = (...names: ErrorName[]): ZodOpenApiResponsesObject => {
  const lines = new Map<number, string[]>();
  for (const name of [...common, ...names]) {
    const row: ErrorRow = errorTable[name];
    lines.set(row.http, [...(lines.get(row.http) ?? []), line(row)]);
  }
  return Object.fromEntries(
    [...lines].map(([status, said]) => [String(status), json(restSchemas.Error, said.join('\n\n'))]),
  );
};

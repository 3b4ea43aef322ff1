import type { Tool } from '@drawbridge/contracts/tool';
import { isRecord } from '../../../rpc/index.ts';

type Schema = Record<string, unknown>;

/** Whether a schema refers to anything outside itself, which a client might fetch. */
const refersOutside = (schema: unknown): boolean => {
  if (Array.isArray(schema)) return schema.some(refersOutside);
  if (!isRecord(schema)) return false;
  return Object.entries(schema).some(
    ([name, value]) =>
      ((name === '$ref' || name === '$dynamicRef') && typeof value === 'string' && !value.startsWith('#')) ||
      refersOutside(value),
  );
};

/** A schema as a client is shown it: of an object, and without what a client might fetch. */
export const objectSchema = (schema: Schema) =>
  refersOutside(schema) ? { type: 'object' as const } : { ...schema, type: 'object' as const };

/** Whether a tool is shown with a schema for its results. */
export const promisesStructure = ({ outputSchema }: Pick<Tool, 'outputSchema'>): boolean =>
  outputSchema?.type === 'object' && !refersOutside(outputSchema);

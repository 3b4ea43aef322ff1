type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Keywords whose evaluation can take longer than what they are compared with: they are not checked. */
const dropped = new Set(['pattern', 'patternProperties', 'format', 'uniqueItems', 'default', 'examples']);
/** What a schema without its patterns would say wrongly. */
const ofPatterns = new Set(['additionalProperties', 'unevaluatedProperties']);
/** Keywords that look elsewhere than where a local reference can be followed. */
const elsewhere = ['$dynamicRef', '$recursiveRef', '$id', 'id', '$anchor', '$dynamicAnchor'];

/** Keywords whose values are data, or names with schemas: a name there is no keyword. */
const data = new Set(['enum', 'const']);
const named = new Set(['properties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']);

const plainNames = (value: unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, plain(schema)]))
    : value;

const plain = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(plain);
  if (!isObject(schema)) return schema;
  const hasPatterns = 'patternProperties' in schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([name, value]) => {
      if (dropped.has(name) || (hasPatterns && ofPatterns.has(name))) return [];
      if (data.has(name)) return [[name, value]];
      return [[name, named.has(name) ? plainNames(value) : plain(value)]];
    }),
  );
};

/** Of a local reference; undefined for every other. */
const targetOf = (root: unknown, ref: unknown): unknown => {
  if (ref === '#') return root;
  if (typeof ref !== 'string' || !ref.startsWith('#/')) return undefined;
  return ref
    .slice(2)
    .split('/')
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (at, name) =>
        typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? Reflect.get(at, name) : undefined,
      root,
    );
};

/**
 * The parts of a schema with its references filled in: what one value is compared with at most. Infinite for
 * one that refers to itself, or elsewhere.
 */
const costOf = (root: unknown): number => {
  const known = new Map<unknown, number>();
  const cost = (part: unknown): number => {
    if (typeof part !== 'object' || part === null) return 1;
    const before = known.get(part);
    if (before !== undefined) return before;
    // Until its cost is known: a part that leads here again refers to itself.
    known.set(part, Infinity);
    const isElsewhere = elsewhere.some((name) => typeof Reflect.get(part, name) === 'string');
    const ref: unknown = Reflect.get(part, '$ref');
    const target = ref === undefined ? null : targetOf(root, ref);
    const refers = target === undefined || isElsewhere ? Infinity : cost(target);
    const all = Object.values(part).reduce<number>((sum, one) => sum + cost(one), 1 + refers);
    known.set(part, all);
    return all;
  };
  return cost(root);
};

/** A schema that can be evaluated in time that grows with what it is compared with. */
export interface PlainSchema {
  schema: Json;
  /** How many of its parts one value meets at most. */
  cost: number;
}

/** The schema without its patterns and formats; null for one that refers to itself, or elsewhere. */
export const toPlainSchema = (given: Json): PlainSchema | null => {
  const schema = plain(given) as Json;
  const cost = costOf(schema);
  return Number.isFinite(cost) ? { schema, cost } : null;
};

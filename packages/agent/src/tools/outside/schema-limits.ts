import type { JsonSchema } from '../../ports/model.ts';

/** What providers accept of a schema. Depth and nodes count the objects and arrays of its JSON. */
export const schemaLimits = { depth: 32, nodes: 1_000, properties: 250, unionMembers: 100 } as const;

const unions = ['anyOf', 'oneOf', 'allOf'] as const;
const maxRefHops = 8;
const propertyName = /^[A-Za-z0-9_.-]{1,64}$/;

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const objectOf = (value: unknown): JsonSchema => (isObject(value) ? value : {});
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** The first limit that a schema exceeds, in words. Walks without recursion: no depth ends the stack. */
const excessOf = (schema: JsonSchema): string | null => {
  let nodes = 0;
  let properties = 0;
  let members = 0;
  let level: object[] = [schema];
  for (let depth = 1; level.length > 0; depth += 1) {
    nodes += level.length;
    if (depth > schemaLimits.depth) return `is more than ${schemaLimits.depth} levels deep`;
    if (nodes > schemaLimits.nodes) return `has more than ${schemaLimits.nodes} nodes`;
    for (const node of level) {
      const { properties: own } = objectOf(node);
      const names = Object.keys(objectOf(own));
      const bad = names.find((name) => !propertyName.test(name));
      if (bad !== undefined) return `has a property with the name ${JSON.stringify(bad.slice(0, 80))}`;
      properties += names.length;
      members += unions.reduce((sum, union) => sum + listOf(objectOf(node)[union]).length, 0);
    }
    if (properties > schemaLimits.properties) return `has more than ${schemaLimits.properties} properties`;
    if (members > schemaLimits.unionMembers)
      return `has more than ${schemaLimits.unionMembers} members of unions`;
    level = level.flatMap((node) =>
      Object.values(node).filter((value): value is object => typeof value === 'object' && value !== null),
    );
  }
  return null;
};

const isNull = (schema: unknown): boolean =>
  isObject(schema) &&
  (listOf(schema['type']).join() === 'null' ||
    schema['type'] === 'null' ||
    ('const' in schema && schema['const'] === null));

/** Whether a value may be null, which a model says by leaving it out. */
const acceptsNull = (schema: unknown): boolean => {
  if (!isObject(schema)) return false;
  return (
    isNull(schema) ||
    schema['nullable'] === true ||
    listOf(schema['type']).includes('null') ||
    listOf(schema['enum']).includes(null) ||
    [...listOf(schema['anyOf']), ...listOf(schema['oneOf'])].some(acceptsNull)
  );
};

const refersOutside = (schema: JsonSchema): boolean =>
  ['$ref', '$dynamicRef'].some((name) => {
    const ref = schema[name];
    return typeof ref === 'string' && !ref.startsWith('#');
  });

const mapValues = (schemas: JsonSchema): JsonSchema =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, fit(schema)]));

const withoutNull = ({ nullable: _nullable, ...schema }: JsonSchema): JsonSchema => {
  const { type, enum: values } = schema;
  if (Array.isArray(type)) {
    const types = type.filter((name) => name !== 'null');
    schema['type'] = types.length === 1 ? types[0] : types;
  }
  if (Array.isArray(values)) schema['enum'] = values.filter((value) => value !== null);
  for (const union of ['anyOf', 'oneOf'] as const) {
    const members = schema[union];
    if (!Array.isArray(members)) continue;
    const rest = members.filter((member) => !isNull(member));
    if (rest.length === members.length) continue;
    if (rest.length > 1) {
      schema[union] = rest;
      continue;
    }
    const { [union]: _union, ...others } = schema;
    return withoutNull({ ...objectOf(rest[0]), ...others });
  }
  return schema;
};

/** Draft 7 with one schema for all items: providers accept neither a tuple nor an array without items. */
const withItems = ({ prefixItems, ...schema }: JsonSchema): JsonSchema => {
  const tuple = Array.isArray(schema['items']) ? schema['items'] : prefixItems;
  if (Array.isArray(tuple)) return { ...schema, items: tuple.length === 0 ? {} : { anyOf: tuple } };
  const isArray = schema['type'] === 'array' || listOf(schema['type']).includes('array');
  return isArray && !('items' in schema) ? { ...schema, items: {} } : schema;
};

const single = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'];
const maps = ['patternProperties', '$defs', 'definitions', 'dependentSchemas'];

/** A schema inside of the whole one. Depth is limited, so recursion ends. */
function fit(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { $schema: _schema, $id: _id, ...given } = value;
  const schema = withItems(withoutNull(given));
  if (isNull(given) || isNull(schema)) return {};
  if (refersOutside(schema)) return { type: 'object' };
  for (const name of single) if (isObject(schema[name])) schema[name] = fit(schema[name]);
  for (const name of maps) if (isObject(schema[name])) schema[name] = mapValues(schema[name]);
  for (const name of unions) if (Array.isArray(schema[name])) schema[name] = schema[name].map(fit);
  if (!isObject(schema['properties'])) return schema;
  const listed = Object.entries(schema['properties']);
  const kept = listed.filter(([, property]) => !isNull(property));
  const optional = new Set(listed.filter(([, property]) => acceptsNull(property)).map(([name]) => name));
  schema['properties'] = Object.fromEntries(kept.map(([name, property]) => [name, fit(property)]));
  if (Array.isArray(schema['required']))
    schema['required'] = schema['required'].filter((name) => !optional.has(String(name)));
  return schema;
}

/** The schema that a reference inside the document leads to, or an empty one. */
const follow = (root: JsonSchema, schema: JsonSchema): JsonSchema => {
  let at = schema;
  for (let hop = 0; hop < maxRefHops; hop += 1) {
    const ref = at['$ref'];
    if (typeof ref !== 'string') return at;
    const path = ref.replace(/^#\/?/, '').split('/').filter(Boolean);
    let found: unknown = root;
    for (const part of path) {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
      found = isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
    }
    at = objectOf(found);
  }
  return {};
};

interface Shape {
  properties: [string, unknown][];
  required: string[];
}

/** The properties of a schema and of its unions; required is what each alternative requires. */
const shapeOf = (root: JsonSchema, given: JsonSchema, seen = new Set<JsonSchema>()): Shape => {
  const schema = follow(root, given);
  // References may lead in circles.
  if (seen.has(schema)) return { properties: [], required: [] };
  seen.add(schema);
  const properties = Object.entries(objectOf(schema['properties']));
  const required = listOf(schema['required']).filter((name): name is string => typeof name === 'string');
  const shapes = (union: (typeof unions)[number]) =>
    listOf(schema[union]).map((member) => shapeOf(root, objectOf(member), seen));
  for (const shape of shapes('allOf')) {
    properties.push(...shape.properties);
    required.push(...shape.required);
  }
  for (const alternatives of [shapes('anyOf'), shapes('oneOf')]) {
    const [first, ...others] = alternatives;
    properties.push(...alternatives.flatMap((shape) => shape.properties));
    required.push(
      ...(first?.required ?? []).filter((name) => others.every((shape) => shape.required.includes(name))),
    );
  }
  return { properties, required };
};

/** One schema for each name: alternatives of the same name become a union. */
const merged = (properties: [string, unknown][]): JsonSchema => {
  const byName = new Map<string, Map<string, unknown>>();
  for (const [name, schema] of properties) {
    const known = byName.get(name) ?? new Map<string, unknown>();
    byName.set(name, known.set(JSON.stringify(schema), schema));
  }
  return Object.fromEntries(
    [...byName].map(([name, schemas]) => {
      const [first, ...others] = [...schemas.values()];
      return [name, others.length === 0 ? first : { anyOf: [...schemas.values()] }];
    }),
  );
};

/** A schema as an object without unions at its top. `seen` gets the schemas that its parts came from. */
const flatten = (root: JsonSchema, schema: JsonSchema, seen: Set<JsonSchema>): JsonSchema => {
  const { anyOf, oneOf, allOf, $ref, discriminator: _discriminator, ...rest } = schema;
  if ([anyOf, oneOf, allOf, $ref].every((part) => part === undefined)) return { ...schema, type: 'object' };
  const { properties, required } = shapeOf(root, schema, seen);
  const { properties: _properties, required: _required, additionalProperties: _additional, ...others } = rest;
  return { ...others, type: 'object', properties: merged(properties), required: [...new Set(required)] };
};

const membersOf = (schema: JsonSchema): unknown[] => unions.flatMap((union) => listOf(schema[union]));

/** Whether each value of the schema is an object. `path`: schemas that are being read, for circles. */
const isOfObjects = (root: JsonSchema, given: unknown, path: ReadonlySet<JsonSchema>): boolean => {
  const schema = follow(root, objectOf(given));
  if (path.has(schema)) return false;
  if (schema['type'] !== undefined) return schema['type'] === 'object';
  const members = membersOf(schema);
  const within = new Set([...path, schema]);
  if (members.length > 0) return members.every((member) => isOfObjects(root, member, within));
  return isObject(schema['properties']);
};

interface Flattening {
  root: JsonSchema;
  /** Unions that may still be flattened: references make copies, and copies of copies. */
  left: number;
}

/** Unions of objects inside of a schema as objects. What leads in circles keeps its references. */
const flattenWithin = (at: Flattening, given: JsonSchema, path: ReadonlySet<JsonSchema>): JsonSchema => {
  const each = (value: unknown): unknown => {
    if (!isObject(value)) return value;
    const isUnion = membersOf(value).length > 0 && isOfObjects(at.root, value, path);
    if (!isUnion || at.left === 0) return flattenWithin(at, value, path);
    at.left -= 1;
    const seen = new Set<JsonSchema>();
    return flattenWithin(at, flatten(at.root, value, seen), new Set([...path, ...seen]));
  };
  const schema = { ...given };
  for (const name of single) if (isObject(schema[name])) schema[name] = each(schema[name]);
  for (const name of [...maps, 'properties'])
    if (isObject(schema[name]))
      schema[name] = Object.fromEntries(Object.entries(schema[name]).map(([key, one]) => [key, each(one)]));
  for (const name of unions) if (Array.isArray(schema[name])) schema[name] = schema[name].map(each);
  return schema;
};

/**
 * A tool's schema as providers accept it: an object at its top, unions of objects as objects, null written as
 * optional, arrays have items, nothing refers outside. What exceeds a limit is refused with the reason.
 */
export const fitSchema = (schema: unknown): { schema: JsonSchema } | { why: string } => {
  if (!isObject(schema)) return { why: 'its schema is not an object' };
  const excess = excessOf(schema);
  if (excess !== null) return { why: `its schema ${excess}` };
  const root = objectOf(fit(schema));
  const seen = new Set<JsonSchema>();
  const flat = flattenWithin({ root, left: schemaLimits.unionMembers }, flatten(root, root, seen), seen);
  const grown = excessOf(flat);
  return grown === null ? { schema: flat } : { why: `its schema ${grown}` };
};

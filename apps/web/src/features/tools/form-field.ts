import { isRecord } from '../calls/readable.ts';

/** The input for one place of a tool's JSON schema; `json` if no other kind fits. */
export type FieldKind =
  | { kind: 'string'; multiline: boolean; maxLength: number | undefined; pattern: string | undefined }
  | { kind: 'number'; integer: boolean; minimum: number | undefined; maximum: number | undefined }
  | { kind: 'boolean' }
  | { kind: 'enum'; choices: readonly Choice[] }
  | { kind: 'array'; item: FormField }
  | { kind: 'object'; fields: readonly FormField[] }
  | { kind: 'json' };

export type Choice = string | number | boolean;

export type FormField = FieldKind & {
  name: string;
  label: string;
  description: string | undefined;
  required: boolean;
  initial: unknown;
};

/** Deeper values are entered as JSON. */
const maxDepth = 4;

/** Names of texts that usually have several lines. */
const longTexts = /content|text|body|code|script|command|patch|query|prompt|oldstr|newstr|old_str|new_str/i;

type Schema = Record<string, unknown>;

const numberOf = (value: unknown) => (typeof value === 'number' ? value : undefined);
const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);
const isChoice = (value: unknown): value is Choice => ['string', 'number', 'boolean'].includes(typeof value);

/** The single type of a schema, ignoring `null`; undefined for none or several. */
const typeOf = (schema: Schema): string | undefined => {
  const { type } = schema;
  if (!Array.isArray(type)) return textOf(type) ?? (isRecord(schema['properties']) ? 'object' : undefined);
  const types = type.filter((name) => name !== 'null');
  return types.length === 1 ? textOf(types[0]) : undefined;
};

/** Keywords that no form supports. */
const beyondForm = ['$ref', 'oneOf', 'anyOf', 'allOf', 'not', 'if', 'patternProperties', 'prefixItems'];

const kindOf = (schema: Schema, at: { name: string; depth: number }): FieldKind => {
  if (at.depth > maxDepth || beyondForm.some((word) => word in schema)) return { kind: 'json' };
  const choices = 'const' in schema ? [schema['const']] : schema['enum'];
  if (Array.isArray(choices)) {
    const listed = choices.filter(isChoice);
    return listed.length === choices.length && listed.length > 0
      ? { kind: 'enum', choices: listed }
      : { kind: 'json' };
  }
  switch (typeOf(schema)) {
    case 'string': {
      const maxLength = numberOf(schema['maxLength']);
      const multiline = longTexts.test(at.name) || (maxLength ?? 0) > 1_000;
      return { kind: 'string', multiline, maxLength, pattern: textOf(schema['pattern']) };
    }
    case 'number':
    case 'integer':
      return {
        kind: 'number',
        integer: typeOf(schema) === 'integer',
        minimum: numberOf(schema['minimum']),
        maximum: numberOf(schema['maximum']),
      };
    case 'boolean':
      return { kind: 'boolean' };
    case 'array': {
      const { items } = schema;
      if (!isRecord(items)) return { kind: 'json' };
      return { kind: 'array', item: fieldOf(items, { name: '', depth: at.depth + 1, required: true }) };
    }
    case 'object': {
      const { properties } = schema;
      if (!isRecord(properties) || Object.keys(properties).length === 0) return { kind: 'json' };
      return { kind: 'object', fields: fieldsOf(schema, at.depth + 1) };
    }
    default:
      return { kind: 'json' };
  }
};

const fieldOf = (schema: Schema, at: { name: string; depth: number; required: boolean }): FormField => ({
  ...kindOf(schema, at),
  name: at.name,
  label: textOf(schema['title']) ?? at.name,
  description: textOf(schema['description']),
  required: at.required,
  initial: schema['default'],
});

const fieldsOf = (schema: Schema, depth: number): FormField[] => {
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const properties = isRecord(schema['properties']) ? Object.entries(schema['properties']) : [];
  return properties
    .map(([name, value]) =>
      fieldOf(isRecord(value) ? value : {}, { name, depth, required: required.includes(name) }),
    )
    .sort((a, b) => Number(b.required) - Number(a.required));
};

/** A tool's input schema as a form, required fields first; or as one JSON value. */
export const formOf = (schema: Schema): FormField => {
  const whole = { name: '', label: 'Arguments', description: undefined, required: true, initial: {} };
  const isEmptyObject =
    typeOf(schema) === 'object' &&
    !beyondForm.some((word) => word in schema) &&
    Object.keys(isRecord(schema['properties']) ? schema['properties'] : {}).length === 0 &&
    schema['additionalProperties'] === false;
  if (isEmptyObject) return { ...whole, kind: 'object', fields: [] };
  return { ...whole, ...kindOf({ type: 'object', ...schema }, { name: '', depth: 0 }) };
};

import { isRecord } from '../calls/readable.ts';
import type { FormField } from './form-field.ts';

/** The initial value of a field: its default, a required object's fields, else undefined. */
export const startOf = (field: FormField): unknown => {
  if (field.kind === 'object') {
    const { initial } = field;
    if (isRecord(initial) && Object.keys(initial).length > 0) return structuredClone(initial);
    if (!field.required) return undefined;
    const entries = field.fields.map((inner) => [inner.name, startOf(inner)] as const);
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  }
  if (field.initial !== undefined) return structuredClone(field.initial);
  if (field.kind === 'enum' && field.required && field.choices.length === 1) return field.choices[0];
  if (field.kind === 'boolean' && field.required) return false;
  if (field.kind === 'array' && field.required) return [];
  return undefined;
};

/** An object with one property set, or removed if undefined. */
export const withProperty = (value: unknown, name: string, inner: unknown): Record<string, unknown> => {
  const entries = Object.entries(isRecord(value) ? value : {});
  const others = entries.filter(([key]) => key !== name);
  return Object.fromEntries(inner === undefined ? others : [...others, [name, inner]]);
};

export const propertyOf = (value: unknown, name: string): unknown =>
  isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** Why a value cannot be sent; `at` is its place, such as `edits.0.path`. */
export interface Complaint {
  at: string;
  message: string;
}

const join = (at: string, name: string | number) => (at === '' ? String(name) : `${at}.${name}`);

/** Checks in the form; the machine validates all arguments again. */
export const complaintsOf = (field: FormField, value: unknown, at = ''): Complaint[] => {
  if (value === undefined) return field.required ? [{ at, message: 'Required' }] : [];
  switch (field.kind) {
    case 'string': {
      if (typeof value !== 'string') return [{ at, message: 'Must be text' }];
      if (field.maxLength !== undefined && value.length > field.maxLength)
        return [{ at, message: `At most ${field.maxLength} characters` }];
      return [];
    }
    case 'number': {
      if (typeof value !== 'number' || !Number.isFinite(value)) return [{ at, message: 'Must be a number' }];
      if (field.integer && !Number.isInteger(value)) return [{ at, message: 'Must be a whole number' }];
      if (field.minimum !== undefined && value < field.minimum)
        return [{ at, message: `At least ${field.minimum}` }];
      if (field.maximum !== undefined && value > field.maximum)
        return [{ at, message: `At most ${field.maximum}` }];
      return [];
    }
    case 'array':
      if (!Array.isArray(value)) return [{ at, message: 'Must be a list' }];
      return value.flatMap((item, index) => complaintsOf(field.item, item, join(at, index)));
    case 'object':
      return field.fields.flatMap((inner) =>
        complaintsOf(inner, propertyOf(value, inner.name), join(at, inner.name)),
      );
    case 'boolean':
    case 'enum':
    case 'json':
      return [];
    default:
      return field satisfies never;
  }
};

import type { Question } from '@drawbridge/contracts/agent/asks';
import { cutText } from '@drawbridge/kit';
import type { Answered, Form } from '../driver.ts';
import type { Field, FormRequest } from './frames.ts';

type Value = string | number | boolean | string[];

const maxQuestion = 300;

/** What can be chosen: each value with its words; undefined for a field of words. */
const choicesOf = (field: Field): { value: string; words: string }[] | undefined => {
  const { enum: values, titled } =
    field.type === 'string'
      ? { enum: field.enum, titled: field.oneOf }
      : field.type === 'array'
        ? { enum: field.items.enum, titled: field.items.anyOf }
        : { enum: field.type === 'boolean' ? ['Yes', 'No'] : null, titled: null };
  if (titled) return titled.map(({ const: value, title }) => ({ value, words: title ?? value }));
  return values?.map((value) => ({ value, words: value }));
};

const questionOf = (name: string, field: Field, at: number): Question => {
  const { title, description } = field;
  const options = choicesOf(field)?.map(({ words }) => words);
  const words = `${title ?? name}${description ? `: ${description}` : ''}`;
  return {
    ...{ id: `q${at + 1}`, question: cutText(words, maxQuestion) },
    type: field.type === 'array' ? 'multi' : options === undefined ? 'text' : 'single',
    ...(options && { options }),
  };
};

/** Undefined where the answer does not fit the field. */
const valueOf = (field: Field, { chosen, text }: Answered): Value | undefined => {
  const values = chosen.flatMap((at) => choicesOf(field)?.[at]?.value ?? []);
  switch (field.type) {
    case 'array':
      return values;
    case 'boolean':
      return values[0] === undefined ? undefined : values[0] === 'Yes';
    case 'string':
      return choicesOf(field) === undefined ? text : values[0];
    case 'number':
    case 'integer': {
      const number = Number(text);
      const isFitting = field.type === 'number' ? Number.isFinite(number) : Number.isSafeInteger(number);
      return text.trim() !== '' && isFitting ? number : undefined;
    }
    default:
      return field satisfies never;
  }
};

/** A form of ACP. `contentOf`: null where the answers leave out what it needs. */
export const toForm = ({ message, requestedSchema: { properties, required } }: FormRequest) => {
  const fields = Object.entries(properties);
  const form: Form = { message, questions: fields.map(([name, field], at) => questionOf(name, field, at)) };
  return {
    form,
    contentOf: (answers: readonly Answered[]): Record<string, Value> | null => {
      const given = fields.flatMap(([name, field], at) => {
        const answer = answers.find(({ id }) => id === `q${at + 1}`);
        const value = answer && valueOf(field, answer);
        return value === undefined ? [] : [[name, value] as const];
      });
      const content = Object.fromEntries(given);
      return (required ?? []).every((name) => Object.hasOwn(content, name)) ? content : null;
    },
  };
};

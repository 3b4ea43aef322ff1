import { z } from 'zod';

type Issue = Parameters<z.core.$ZodErrorMap>[0];

const longestName = 60;
const nounOf: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};
const formatOf: Record<string, string> = {
  url: 'a whole address, such as https://example.org',
  email: 'an e-mail address, such as ann@example.org',
  datetime: 'a time in UTC, such as 2030-01-31T12:00:00Z',
  uuid: 'a UUID',
};

const named = (names: readonly unknown[]): string =>
  names
    .slice(0, 8)
    .map((name) => JSON.stringify(String(name).slice(0, longestName)))
    .join(', ');

/** `least` or `most` of what has the origin: characters of a text, entries of a list, the number itself. */
const sized = (origin: string, words: string, count: number | bigint): string => {
  const units: Record<string, string> = { string: 'character', array: 'entry', set: 'entry', map: 'entry' };
  const unit = units[origin];
  if (unit === undefined) return `must be ${words} ${count}`;
  const plural = unit === 'entry' ? 'entries' : `${unit}s`;
  return `must have ${words} ${count} ${Number(count) === 1 ? unit : plural}`;
};

const formatSentence = (issue: Extract<Issue, { code: 'invalid_format' }>): string => {
  if (issue.format === 'starts_with') return `must begin with ${JSON.stringify(issue.prefix)}`;
  if (issue.format === 'ends_with') return `must end with ${JSON.stringify(issue.suffix)}`;
  if (issue.format === 'regex') return 'has characters or a form that are not accepted';
  return `must be ${formatOf[issue.format] ?? `a valid ${issue.format}`}`;
};

/** What is wrong with one value, in words that follow its name: `is missing`, `must be a number`. */
const issueSentence = (issue: Issue): string => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? 'is missing'
        : `must be ${nounOf[issue.expected] ?? `of type ${issue.expected}`}`;
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${named(issue.values)}`;
    case 'too_small':
      if (issue.origin === 'string' && Number(issue.minimum) === 1) return 'must not be empty';
      return sized(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum);
    case 'too_big':
      return sized(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum);
    case 'invalid_format':
      return formatSentence(issue);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return `has unknown fields: ${named(issue.keys)}`;
    default:
      return 'has a form that is not accepted';
  }
};

// In place of zod's own sentences. `localeError` is set anew by each copy of zod that a program loads.
z.config({ customError: issueSentence });

/**
 * What is wrong with an input, at most its first three places. `whole` names the input itself. A schema's
 * own sentences win.
 */
export const invalidInput = (error: z.ZodError, whole = 'input'): string =>
  error.issues
    .slice(0, 3)
    .map((issue) => `${issue.path.join('.') || whole}: ${issue.message}`)
    .join('; ');

/** An http or https address. */
export const httpUrl = z
  .url({
    protocol: /^https?$/,
    error: ({ input }) => {
      const host = typeof input === 'string' && /^[\w.-]+(?::\d+)?(?:\/[\w./-]*)?$/.test(input.trim());
      return `must begin with http:// or https://, such as http://${host ? input.trim() : 'localhost:8080'}`;
    },
  })
  .max(2_048);

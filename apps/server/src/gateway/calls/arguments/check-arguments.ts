import type { Tool } from '@drawbridge/contracts/tool';
import { cutText, visible } from '@drawbridge/kit';
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker';
import { errors } from '../../../errors.ts';
import { toPlainSchema } from './plain-schema.ts';

/** Comparisons of one check: about a tenth of a second. Beyond it only the size of arguments is limited. */
const mostComparisons = 500_000;
const longestReason = 300;

type Check = (args: Record<string, unknown>) => string | null;

/** How many values lie in a value; no more than `most` and one are counted. */
const valuesIn = (value: unknown, most: number): number => {
  let count = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0 && count <= most) {
    const next = waiting.pop();
    count += 1;
    if (typeof next === 'object' && next !== null) waiting.push(...Object.values(next).slice(0, most + 1));
  }
  return count;
};

const unknownArgument = ': no such argument';

/** A wrong name is most likely that of an argument that is missing. */
const missingBeside = (reason: string, { required }: Record<string, unknown>, args: object): string => {
  if (!reason.endsWith(unknownArgument)) return '';
  const names: unknown[] = Array.isArray(required) ? required : [];
  return names
    .filter((name) => typeof name === 'string' && !Object.hasOwn(args, name))
    .map((name) => `; ${String(name)}: is missing`)
    .join('');
};

/** The innermost of the validator's reasons, which names the field: `path: Instance type …`. */
const reasonIn = (message: string): string => {
  const last = message.split(/; (?=#)/).at(-1) ?? '';
  const [, field = '', reason = last] = /^#\/?([^:]*): (.*)$/s.exec(last) ?? [];
  if (reason === 'False boolean schema.') return `${field}${unknownArgument}`;
  return field === '' ? reason : `${field}: ${reason}`;
};

const createCheck = (inputSchema: Tool['inputSchema']): Check => {
  const plain = toPlainSchema(inputSchema);
  if (plain === null) return () => null;
  try {
    const validate = new CfWorkerJsonSchemaValidator().getValidator(plain.schema);
    const most = Math.floor(mostComparisons / plain.cost);
    return (args) => {
      if (valuesIn(args, most) > most) return null;
      const { valid, errorMessage = '' } = validate(args);
      if (valid) return null;
      const reason = reasonIn(errorMessage);
      return reason + missingBeside(reason, inputSchema, args);
    };
  } catch {
    return () => null;
  }
};

const checks = new WeakMap<Tool['inputSchema'], Check>();

const checkOf = ({ inputSchema }: Tool): Check => {
  const check = checks.get(inputSchema) ?? createCheck(inputSchema);
  checks.set(inputSchema, check);
  return check;
};

/**
 * Throws `invalidArguments`, which names the field, for arguments that do not fit the announced schema. The
 * schema is a machine's: patterns and formats are not evaluated, and one that cannot be is no obstacle.
 */
export const requireArguments = (tool: Tool, args: Record<string, unknown>): void => {
  let reason: string | null;
  try {
    reason = checkOf(tool)(args);
  } catch {
    return;
  }
  if (reason === null) return;
  throw errors.invalidArguments({
    message: `The arguments do not fit ${tool.name}: ${cutText(visible(reason), longestReason)}`,
  });
};

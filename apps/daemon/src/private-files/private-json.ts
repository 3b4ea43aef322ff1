import { invalidInput } from '@drawbridge/contracts/input/invalid-input';
import type { z } from 'zod';
import { errors } from './errors.ts';
import { repeatedKey } from './repeated-key.ts';

const parseJson = (text: string, path: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'it is not JSON';
    throw errors.settingsBroken({ message: `${path}: ${reason}`, cause });
  }
};

/** Parses a private file. `settingsBroken` names the file and the place; repeated keys are refused. */
export const parsePrivateJson = <T>(
  text: string,
  { path, schema }: { path: string; schema: z.ZodType<T> },
): T => {
  const json = parseJson(text, path);
  const twice = repeatedKey(text);
  if (twice !== undefined)
    throw errors.settingsBroken({ message: `${path}: the key "${twice}" stands there twice` });
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw errors.settingsBroken({ message: `${path}: ${invalidInput(parsed.error, 'the whole file')}` });
};

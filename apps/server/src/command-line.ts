import { parseArgs, type ParseArgsConfig } from 'node:util';
import { createTokenInput, tokenLimits, toolGroups, type CreateTokenInput } from '@drawbridge/contracts';
import { z } from 'zod';

/** What the server was started to do. */
export type Command =
  | { kind: 'start' }
  | { kind: 'help' }
  | { kind: 'token-create'; email: string; input: CreateTokenInput; json: boolean }
  | { kind: 'wrong'; sentence: string };

export const usage = [
  'Usage: node apps/server/dist/main.js',
  '       node apps/server/dist/main.js token create --user <email> --name <name> [options]',
  '',
  'token create makes an access token for a person, also while the server runs. Options:',
  `  --scopes <a,b>  What it may use, of ${toolGroups.join(', ')}. Default: filesystemRead`,
  `  --days <n>      Days that it holds, at most ${tokenLimits.mostDays}. Default: ${tokenLimits.defaultDays}`,
  '  --json          Prints the token with its facts as JSON.',
  '',
].join('\n');

const options = {
  user: { type: 'string' },
  name: { type: 'string' },
  scopes: { type: 'string' },
  days: { type: 'string' },
  json: { type: 'boolean', default: false },
} satisfies ParseArgsConfig['options'];

/** What each field of the input is called on the command line. */
const flags: Record<string, string> = { name: '--name', scopes: '--scopes', expiresInDays: '--days' };

const tokenCreate = (args: string[]): Command => {
  const { values } = parseArgs({ args, options, allowPositionals: false });
  const email = z.email().safeParse(values.user);
  if (!email.success) return { kind: 'wrong', sentence: '--user: must be the e-mail address of an account' };
  const input = createTokenInput.safeParse({
    name: values.name,
    scopes: values.scopes?.split(','),
    expiresInDays: values.days === undefined ? undefined : Number(values.days),
  });
  if (input.success) return { kind: 'token-create', email: email.data, input: input.data, json: values.json };
  const [issue] = input.error.issues;
  const field = String(issue?.path[0]);
  return { kind: 'wrong', sentence: `${flags[field] ?? field}: ${issue?.message ?? 'is not valid'}` };
};

/** Reads the arguments behind the program's name. Never throws. */
export const readCommand = (args: string[]): Command => {
  if (args.includes('--help')) return { kind: 'help' };
  if (args.length === 0) return { kind: 'start' };
  const [noun, verb, ...rest] = args;
  if (noun !== 'token' || verb !== 'create')
    return {
      kind: 'wrong',
      sentence: 'The server knows no such command; settings are environment variables.',
    };
  try {
    return tokenCreate(rest);
  } catch (error) {
    // What `parseArgs` does not know.
    return {
      kind: 'wrong',
      sentence: error instanceof Error ? error.message : 'The arguments are not valid',
    };
  }
};

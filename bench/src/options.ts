import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

export interface Options {
  /** Only groups whose name begins with this text; everything when undefined. */
  only: string | undefined;
  /** Fewer rounds of fewer requests: for a look, not for the record. */
  quick: boolean;
  /** A folder for CPU profiles of our own processes. */
  profile: string | undefined;
}

export const usage = `Usage: pnpm bench [--only <name>] [--quick] [--profile <folder>]

  --only <name>       only groups whose name begins with this: call, trpc, daemon, search, events, idle, ...
  --quick             fewer rounds of fewer requests
  --profile <folder>  CPU profiles of our own processes, for what is slow

Without --only and --quick the table is written to bench/results.md.
`;

export const readOptions = (args: string[]): Options => {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      quick: { type: 'boolean', default: false },
      profile: { type: 'string' },
    },
  });
  const profile = values.profile === undefined ? undefined : resolve(values.profile);
  if (profile !== undefined) mkdirSync(profile, { recursive: true });
  return { only: values.only, quick: values.quick, profile };
};

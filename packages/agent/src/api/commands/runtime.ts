import type { Command } from './command.ts';

const onlyNative = 'This server has one runtime, `native`; it cannot be switched.';

/** `/runtime` and `/backend`: there is one runtime. */
export const runtimeCommand: Command = async ({ ctx }, { words }) => {
  const [verb = 'status', ...rest] = words;
  if (verb === 'status') {
    const model = (await ctx.model.info('main'))?.id ?? 'none';
    return `Runtime: native. Model: ${model}.`;
  }
  if (verb === 'use' && rest[0] === 'config')
    return 'The settings of the server are in use. Runtime: native.';
  if (verb === 'activate' || verb === 'deactivate') return onlyNative;
  return 'Usage: /runtime status | use config';
};

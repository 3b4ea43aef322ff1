import { join } from 'node:path';
import type { Rolldown } from 'vite';

type Context = Rolldown.ChunkingContext;

const source = join(import.meta.dirname, 'src');
const begin = ['main.ts', 'features/shell/app-shell.vue', 'pages/inbox-page.vue'].map((path) =>
  join(source, path),
);

/** Their index names everything, and a page uses little of it; of schemas the first page uses none. */
const isLeftOut = (id: string, imported: readonly string[]) =>
  /\/node_modules\/(zod|reka-ui)\//.test(id) || imported.some((one) => one.includes('/node_modules/zod/'));

/** Each module that the first page imports, and whether it imports one that is left out, itself or below. */
const modulesOf = (context: Context): Map<string, boolean> => {
  const found = new Map<string, boolean>();
  const visit = (id: string): boolean => {
    const known = found.get(id);
    if (known !== undefined) return known;
    const imported = context.getModuleInfo(id)?.importedIds ?? [];
    if (isLeftOut(id, imported)) return true;
    found.set(id, false);
    const importsLeftOut = imported.map(visit).includes(true);
    found.set(id, importsLeftOut);
    return importsLeftOut;
  };
  begin.forEach(visit);
  return found;
};

/**
 * What the first page after signing in loads comes in two files, and not in one for each set of pages that
 * share a module. Modules that are left out import from `base`, and `first-page` imports them: in one file
 * the two would import in a circle, and run in the wrong order.
 */
export const firstPage = () => {
  let modules: Map<string, boolean> | undefined;
  return {
    debugName: 'first page',
    includeDependenciesRecursively: false,
    name: (id: string, context: Context): string | null => {
      modules ??= modulesOf(context);
      const importsLeftOut = modules.get(id);
      if (importsLeftOut === undefined) return null;
      return importsLeftOut ? 'first-page' : 'base';
    },
  };
};

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise, type ICruiseOptions, type ICruiseResult } from 'dependency-cruiser';
import extractDepcruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import { filesBelow } from './tree.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const folders = ['apps', 'packages', 'e2e', 'bench'];

/** A folder with our rooms in it, and the file with the rules that it is held against. */
export interface Tree {
  root: string;
  config: string;
}

export const houseRules = join(here, 'boundaries.cjs');

const presentIn = (root: string) => folders.filter((folder) => existsSync(join(root, folder)));

const cruiseTree = async (
  { root, config }: Tree,
  present: string[],
  more: Partial<ICruiseOptions> = {},
): Promise<ICruiseResult> => {
  const options = { ...(await extractDepcruiseOptions(config)), ...more };
  const { output } = await cruise(present, { ...options, baseDir: root }, options.enhancedResolveOptions);
  if (typeof output === 'string') throw new Error(`dependency-cruiser gave a text: ${output}`);
  return output;
};

/** `violations`: one line each; `unseen`: files that dependency-cruiser skipped; `seen`: number of others. */
export interface Boundaries {
  violations: string[];
  unseen: string[];
  seen: number;
}

/** Holds every source file of a tree against the rules. */
export const checkBoundaries = async (tree: Tree): Promise<Boundaries> => {
  const { root } = tree;
  const present = presentIn(root);
  const { modules, summary } = await cruiseTree(tree, present);
  const cruised = new Set(modules.map((module) => module.source));
  const sources = present.flatMap((folder) => filesBelow(root, folder, /\.(ts|vue)$/));
  return {
    violations: summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`).sort(),
    unseen: sources.filter((source) => !cruised.has(source)),
    seen: sources.filter((source) => cruised.has(source)).length,
  };
};

const circleRule = {
  name: 'no-folder-circles',
  severity: 'error',
  scope: 'folder',
  from: {},
  to: { circular: true },
} as const;

/**
 * The arrows between folders that are part of a circle, as `from -> to`. Types count, and a folder stands for all that is below it.
 * Tests do not count: they may look at everything.
 */
export const folderCircles = async (tree: Tree): Promise<string[]> => {
  const { summary } = await cruiseTree(tree, presentIn(tree.root), {
    ruleSet: { forbidden: [circleRule] },
    exclude: { path: '(\\.test\\.ts$|/test/|(^|/)(dist|\\.nuxt)/)' },
  });
  return summary.violations.map(({ from, to }) => `${from} -> ${to}`).sort();
};

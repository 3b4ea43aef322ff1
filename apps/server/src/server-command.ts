import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The root of a checkout, as seen from `src` and from `dist` alike. */
const workspaceFile = fileURLToPath(new URL('../../../pnpm-workspace.yaml', import.meta.url));

/** How a person calls this program where it is installed. Without `--silent` pnpm writes to stdout too. */
export const serverCommand = (): string =>
  existsSync(workspaceFile) ? 'npx --yes pnpm@10 --silent drawbridge-server' : 'drawbridge-server';

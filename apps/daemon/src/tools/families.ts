import { browserFamily, type BrowserOptions } from './browser/index.ts';
import { computerFamily } from './computer/computer-family.ts';
import { unwatchedInput, type OwnInput } from './computer/own-input.ts';
import { toLateEntries } from './entry.ts';
import { plainFamily, type ToolFamily } from './family.ts';
import { listed } from './listed.ts';
import { mcpFamily, type McpFamilyNeeds } from './mcp/index.ts';
import { shellFamily } from './shell/shell-family.ts';

const filesystemEntries = () =>
  toLateEntries(listed.filesystem, async () => (await import('./filesystem/index.ts')).filesystemTools);

export interface FamilyNeeds extends McpFamilyNeeds {
  /** False only by the person's own flag: commands run without a sandbox. */
  shellSandbox?: boolean;
  /** Left out where there is no server. */
  browser?: BrowserOptions;
  ownInput?: OwnInput;
}

/** Every family that this daemon knows, closed; which of them are offered is the person's choice. */
export const allFamilies = (needs: FamilyNeeds = { say: () => {} }): ToolFamily[] => [
  plainFamily('filesystem', filesystemEntries()),
  shellFamily({ sandbox: needs.shellSandbox ?? true }),
  ...(needs.browser ? [browserFamily(needs.browser)] : []),
  computerFamily({ ownInput: needs.ownInput ?? unwatchedInput }),
  mcpFamily(needs),
];

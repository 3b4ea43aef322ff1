import { browserFamily, type BrowserOptions } from './browser/index.ts';
import { computerFamily } from './computer/computer-family.ts';
import { unwatchedInput, type OwnInput } from './computer/own-input.ts';
import { plainFamily, type ToolFamily } from './family.ts';
import { copyFile } from './filesystem/copy-file.ts';
import { createDirectory } from './filesystem/create-directory.ts';
import { deletePath } from './filesystem/delete.ts';
import { editFile } from './filesystem/edit-file.ts';
import { getFileTree } from './filesystem/get-file-tree.ts';
import { listFiles } from './filesystem/list-files.ts';
import { move } from './filesystem/move.ts';
import { readFile } from './filesystem/read-file.ts';
import { searchFiles } from './filesystem/search-files.ts';
import { writeFile } from './filesystem/write-file.ts';
import { mcpFamily, type McpFamilyNeeds } from './mcp/index.ts';
import { shellFamily } from './shell/shell-family.ts';

const filesystemTools = [
  readFile,
  listFiles,
  getFileTree,
  searchFiles,
  writeFile,
  editFile,
  createDirectory,
  deletePath,
  move,
  copyFile,
];

export interface FamilyNeeds extends McpFamilyNeeds {
  /** False only by the person's own flag: commands run without a sandbox. */
  shellSandbox?: boolean;
  /** Left out where there is no server. */
  browser?: BrowserOptions;
  ownInput?: OwnInput;
}

/** Every family that this daemon knows, closed; which of them are offered is the person's choice. */
export const allFamilies = (needs: FamilyNeeds = { say: () => {} }): ToolFamily[] => [
  plainFamily('filesystem', filesystemTools),
  shellFamily({ sandbox: needs.shellSandbox ?? true }),
  ...(needs.browser ? [browserFamily(needs.browser)] : []),
  computerFamily({ ownInput: needs.ownInput ?? unwatchedInput }),
  mcpFamily(needs),
];

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
import { shellExecute } from './shell/shell-execute.ts';

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

/** Every family that this daemon knows, closed; which of them are offered is the person's choice. */
export const allFamilies = (needs: McpFamilyNeeds = { say: () => {} }): ToolFamily[] => [
  plainFamily('filesystem', filesystemTools),
  plainFamily('shell', [shellExecute]),
  mcpFamily(needs),
];

import type { DaemonTool } from '../common/tool.ts';
import { copyFile } from './copy-file.ts';
import { createDirectory } from './create-directory.ts';
import { deletePath } from './delete.ts';
import { editFile } from './edit-file.ts';
import { exportFile } from './export-file.ts';
import { getFileTree } from './get-file-tree.ts';
import { listFiles } from './list-files.ts';
import { move } from './move.ts';
import { readFile } from './read-file.ts';
import { searchFiles } from './search/search-files.ts';
import { undoChange } from './undo/undo-change.ts';
import { writeFile } from './write-file.ts';

export const filesystemTools: readonly DaemonTool[] = [
  readFile,
  exportFile,
  listFiles,
  getFileTree,
  searchFiles,
  writeFile,
  editFile,
  createDirectory,
  deletePath,
  move,
  copyFile,
  undoChange,
];

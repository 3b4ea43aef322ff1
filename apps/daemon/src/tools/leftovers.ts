export { removeTempFiles } from '../paths/temp-files.ts';
export { endLeftTree } from '../processes/process-tree.ts';

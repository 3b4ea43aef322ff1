export { removeTempFiles } from '../paths/temp-files.ts';
export { endTree } from '../processes/process-tree.ts';

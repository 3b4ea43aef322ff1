export type { Check, CheckState } from './check.ts';
export { checkFiles } from './files.ts';
export { checkDisk, checkNode } from './machine.ts';
export { judgeProxy } from './running.ts';
export { checkServer } from './server.ts';
export { judgeTools } from './tools.ts';

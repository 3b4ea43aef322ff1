export type { Check, CheckState } from './check.ts';
export { checkFiles } from './files.ts';
export { checkCaches, checkDisk, checkGit, checkLimits, checkNode, checkTerminal } from './machine.ts';
export { checkProxy } from './running.ts';
export { checkServer } from './server.ts';
export { evaluateTools } from './tools.ts';
export { checkWsl } from './wsl.ts';

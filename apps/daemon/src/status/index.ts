export { createStatusFile, type StatusFile } from './status-file.ts';
export type { DaemonStatus } from './status.ts';

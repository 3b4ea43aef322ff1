export { createStatusFile, type StatusFile } from './status-file.ts';
export type { DaemonStatus, ModeSource } from './status.ts';

export { createLog, logPath, olderLogs, type Log } from './log.ts';
export { createLogFile, maxLogBytes } from './log-file.ts';
export type { LogRecord } from './read-log.ts';

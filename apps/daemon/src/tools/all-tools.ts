import { readFile } from './filesystem/read-file.ts';
import { writeFile } from './filesystem/write-file.ts';
import type { DaemonTool } from './tool.ts';

/** Every tool that this daemon knows; which of them are offered is the person's choice. */
export const allTools = (): readonly DaemonTool[] => [readFile, writeFile];

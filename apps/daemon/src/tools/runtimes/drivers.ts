import { openAcp } from './acp/acp-driver.ts';
import { openClaude } from './claude/claude-driver.ts';
import { openCodex } from './codex/codex-driver.ts';
import { openPi } from './pi/pi-driver.ts';
import type { OpenDriver } from './driver.ts';
import type { Runtime } from './runtimes-file.ts';

/** The driver of each protocol. */
export const drivers: Record<Runtime['protocol'], OpenDriver> = {
  acp: openAcp,
  claude: openClaude,
  codex: openCodex,
  pi: openPi,
};

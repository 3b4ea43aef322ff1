import { constants } from 'node:fs';
import { mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@drawbridge/kit';
import { visible } from '../../permission/index.ts';
import { withoutKeys } from '../../terminal/shorten.ts';

/** A log grows to this many bytes; then it takes the place of the one before, which goes. */
const maxLogBytes = 1024 * 1024;
/** One line, in characters. */
const maxLineLength = 2_000;
/** What waits for the disk, in characters; lines beyond it are counted, not kept. */
const maxWaitingLength = 256 * 1024;

const noFollow = constants.O_NOFOLLOW ?? 0;
const append = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | noFollow;

/** What one MCP server says beside its protocol, and what became of it. */
export interface ServerLog {
  /** `text` may hold anything: it becomes one line of visible characters. */
  line(kind: 'stderr' | 'stdout' | 'drawbridge', text: string): void;
  /** Resolves when all of it is on disk, or could not be written. */
  settled(): Promise<void>;
}

/** Writes `logs/mcp-<name>.log` in the private folder, 0600. A disk that refuses loses the lines, nothing else. */
export const createServerLog = (needs: { folder: string; name: string; clock: Clock }): ServerLog => {
  const folder = join(needs.folder, 'logs');
  const path = join(folder, `mcp-${needs.name}.log`);
  let waiting = '';
  let dropped = 0;
  let writing: Promise<void> | null = null;

  const writeOut = async (text: string) => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const handle = await open(path, append, 0o600);
    try {
      await handle.appendFile(text);
      const { size } = await handle.stat();
      if (size > maxLogBytes) await rename(path, `${path}.1`);
    } finally {
      await handle.close();
    }
  };

  const drain = async () => {
    while (waiting !== '' || dropped > 0) {
      const note = dropped > 0 ? `… ${dropped} lines left out …\n` : '';
      const text = note + waiting;
      waiting = '';
      dropped = 0;
      await writeOut(text).catch(() => {});
    }
    writing = null;
  };

  return {
    line: (kind, text) => {
      const cut = text.length > maxLineLength ? `${text.slice(0, maxLineLength)}…` : text;
      const line = `${new Date(needs.clock.now()).toISOString()} ${kind} ${withoutKeys(visible(cut))}\n`;
      if (waiting.length > maxWaitingLength) dropped += 1;
      else waiting += line;
      writing ??= drain();
    },
    settled: async () => {
      await writing;
    },
  };
};

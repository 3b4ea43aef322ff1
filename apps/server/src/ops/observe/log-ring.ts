import type { ServiceLogLine } from '@drawbridge/contracts/rpc/ops';
import { jsonOf } from '@drawbridge/kit';
import { z } from 'zod';
import type { ServiceLog } from '../services/adapter.ts';

const mostLines = 2_000;
const lineLength = 4_096;
const errorLevel = 50;

const entry = z.object({
  level: z.number(),
  time: z.number(),
  msg: z.string().default(''),
  err: z.object({ message: z.string() }).optional(),
});

const nameOf = (level: number): ServiceLogLine['level'] => {
  if (level >= errorLevel) return 'error';
  if (level >= 40) return 'warn';
  return level >= 30 ? 'info' : 'debug';
};

/** The newest lines of this process's log, in memory, as they were scrubbed. */
export const createLogRing = () => {
  const lines: ServiceLogLine[] = [];
  let errorCount = 0;
  return {
    /** A scrubbed line of JSON. */
    add: (json: string) => {
      const { data } = entry.safeParse(jsonOf(json));
      if (!data) return;
      const text = [data.msg, data.err?.message].filter(Boolean).join(': ').slice(0, lineLength);
      if (data.level >= errorLevel) errorCount += 1;
      lines.push({ ts: data.time, level: nameOf(data.level), text });
      if (lines.length > mostLines) lines.shift();
    },
    /** The newest ones since then, oldest first. */
    read: (since: number, most: number): ServiceLog => ({
      lines: lines.filter(({ ts }) => ts >= since).slice(-most),
      isCut: false,
    }),
    /** Errors since the start. */
    errors: () => errorCount,
  };
};

export type LogRing = ReturnType<typeof createLogRing>;

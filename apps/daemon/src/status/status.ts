import { mode, toolCategory, toolGroup } from '@drawbridge/contracts';
import { z } from 'zod';

const time = z.iso.datetime();
const count = z.number().int().nonnegative();

/** What a running daemon says of itself in `status.json` beside its journal. */
export const daemonStatus = z.object({
  pid: z.number().int(),
  version: z.string(),
  url: z.string(),
  host: z.string(),
  folder: z.string(),
  startedAt: time,
  modes: z.record(toolGroup, mode),
  categories: z.array(toolCategory),
  link: z.object({
    state: z.enum(['connecting', 'connected', 'reconnecting', 'unpaired']),
    since: time,
    /** Why it is not connected. */
    reason: z.string().optional(),
  }),
  /** Whether something on the way held back the server's first words. */
  heldBack: z.boolean(),
  calls: z.object({
    running: count,
    ok: count,
    failed: count,
    denied: count,
    asked: count,
    cancelled: count,
  }),
});
export type DaemonStatus = z.infer<typeof daemonStatus>;

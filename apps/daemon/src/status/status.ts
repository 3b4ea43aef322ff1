import { mode, toolGroup } from '@drawbridge/contracts/groups';
import { release } from '@drawbridge/contracts/release';
import { toolCategory } from '@drawbridge/contracts/tool-category';
import { z } from 'zod';

/** Where the mode of a group comes from; `session` is an edit at the start. */
const modeSource = z.enum(['flag', 'session', 'settings.json', 'default']);
export type ModeSource = z.infer<typeof modeSource>;

const time = z.iso.datetime();
const count = z.number().int().nonnegative();

/** What a running daemon says of itself in `status.json` beside its journal. */
export const daemonStatus = z.object({
  pid: z.number().int(),
  version: z.string(),
  url: z.string(),
  host: z.string(),
  /** What the server called this machine when it connected. */
  machine: z.object({ name: z.string(), isDefault: z.boolean() }).optional(),
  folder: z.string(),
  startedAt: time,
  modes: z.partialRecord(toolGroup, mode),
  sources: z.partialRecord(toolGroup, modeSource).optional(),
  categories: z.array(toolCategory),
  link: z.object({
    state: z.enum(['connecting', 'connected', 'reconnecting', 'unpaired']),
    since: time,
    reason: z.string().optional(),
    /** What carries the events of a connection. */
    way: z.enum(['socket', 'stream']).optional(),
  }),
  /** Whether something on the way held back the server's first words. */
  heldBack: z.boolean(),
  /** What its own release is, and the one that the server gives. */
  release: release.optional(),
  offered: release.optional(),
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

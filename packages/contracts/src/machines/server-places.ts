import { z } from 'zod';

/** Below the home folder of an account: one file for each server that has run there, mode 0600. */
export const serverPlacesFolder = ['.local', 'state', 'drawbridge', 'servers'] as const;

/** Where a server keeps its store and its secrets: absolute paths without links. No daemon shows them. */
export const serverPlace = z.object({
  version: z.literal(1),
  paths: z.array(z.string().startsWith('/')).max(16),
});
export type ServerPlace = z.infer<typeof serverPlace>;

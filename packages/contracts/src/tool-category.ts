import { z } from 'zod';

/** A family of tools and whether it is offered, as the published daemons announce it; `reason` says why not, or what to be careful about. */
export const toolCategory = z.object({
  name: z.string().max(64),
  enabled: z.boolean(),
  writeAccess: z.boolean().optional(),
  reason: z.string().max(500).optional(),
});
export type ToolCategory = z.infer<typeof toolCategory>;

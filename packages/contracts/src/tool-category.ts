import { z } from 'zod';

/** A category of tools, as published daemons announce it; `reason`: why it is not offered, or a warning. */
export const toolCategory = z.object({
  name: z.string().max(64),
  enabled: z.boolean(),
  writeAccess: z.boolean().optional(),
  reason: z.string().max(500).optional(),
});
export type ToolCategory = z.infer<typeof toolCategory>;

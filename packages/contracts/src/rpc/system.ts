import { z } from 'zod';

export const noParams = z.object({});
export const success = z.object({ success: z.literal(true) });

/** `uptime` in seconds. */
export const systemInfo = z.object({
  version: z.string(),
  uptime: z.number().int(),
  connections: z.number().int(),
  protocol: z.object({ version: z.number().int() }),
});

export const systemCapabilities = z.object({
  protocol: z.object({ version: z.number().int() }),
  nodes: z.object({
    enabled: z.boolean(),
    locationEnabled: z.boolean(),
    pushEnabled: z.boolean(),
    allowedRoles: z.array(z.string()),
    registered: z.boolean(),
    role: z.string().optional(),
    nodeId: z.string().optional(),
  }),
  featureGates: z.record(z.string(), z.boolean()),
  limits: z.record(z.string(), z.number()),
  queueModes: z.array(z.string()),
  /** Of the connection; `all` for a signed-in person. */
  scopes: z.union([z.literal('all'), z.array(z.string())]),
});

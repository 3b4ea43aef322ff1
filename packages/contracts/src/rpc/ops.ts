import { z } from 'zod';

export const sessionAnalyticsParams = z.object({
  days: z.number().int().min(1).max(365).default(30),
  topLimit: z.number().int().min(1).max(50).default(10),
});
export type SessionAnalyticsParams = z.infer<typeof sessionAnalyticsParams>;

export const serviceActions = ['start', 'restart', 'stop', 'update'] as const;
export const serviceAction = z.enum(serviceActions);
export type ServiceAction = z.infer<typeof serviceAction>;

const id = z.string().min(1).max(200);

export const localBackendControlParams = z.object({ backend: id, action: serviceAction });
export const dockerDependencyControlParams = z.object({ dependency: id, action: serviceAction });

export const seriesParams = z.object({
  windowMinutes: z.number().int().min(1).max(240).default(60),
  bucketSeconds: z.number().int().min(15).max(3_600).default(30),
  sourceIds: z.array(id).max(20).optional(),
});
export type SeriesParams = z.infer<typeof seriesParams>;

export const serviceLogsParams = z.object({
  sourceId: id,
  lines: z.number().int().min(1).max(1_000).default(200),
  sinceSeconds: z.number().int().min(1).max(86_400).default(900),
});
export type ServiceLogsParams = z.infer<typeof serviceLogsParams>;

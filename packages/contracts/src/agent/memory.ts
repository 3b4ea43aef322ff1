import { z } from 'zod';

/** Sections of what is known of the person across threads. */
export const memorySections = ['person', 'preferences', 'projects', 'notes'] as const;
export const memorySection = z.enum(memorySections);
export type MemorySection = z.infer<typeof memorySection>;

/** All sections together, in characters. */
export const maxMemoryLength = 4_000;

const sections = z.record(memorySection, z.string().max(maxMemoryLength));
export const memory = z.object({ sections, enabled: z.boolean(), version: z.number().int() });
export type Memory = z.infer<typeof memory>;

/** `version` as it was read: another change in between is refused. */
export const memoryInput = z.strictObject({
  sections: z.partialRecord(memorySection, z.string().max(maxMemoryLength)).optional(),
  enabled: z.boolean().optional(),
  version: z.number().int().nonnegative(),
});
export type MemoryInput = z.infer<typeof memoryInput>;

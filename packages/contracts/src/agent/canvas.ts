import { z } from 'zod';
import { isoTime } from '../ids.ts';

export const artifactLimits = {
  /** JSON of the content and of the metadata, in bytes. */
  contentBytes: 256 * 1024,
  metadataBytes: 8 * 1024,
  perThread: 200,
  /** All contents and metadata of a thread, in bytes. */
  threadBytes: 8 * 1024 * 1024,
  /** A list leaves out larger contents, in bytes. */
  listedBytes: 4 * 1024,
} as const;

export const artifactId = z.string().min(1).max(128);

export const newArtifact = z.object({
  artifactId,
  /** `note` is shown as markdown, every other type as JSON. */
  type: z.string().min(1).max(64),
  title: z.string().max(200).optional(),
  content: z.json(),
  metadata: z.record(z.string(), z.json()).optional(),
});
export type NewArtifact = z.infer<typeof newArtifact>;

/** A named JSON document of a thread. */
export const artifact = z.object({
  artifactId,
  type: z.string(),
  title: z.string().nullable(),
  content: z.json(),
  metadata: z.record(z.string(), z.json()).nullable(),
  /** Counts the changes, from 1. */
  rev: z.number().int().positive(),
  createdAt: isoTime,
  updatedAt: isoTime,
});
export type Artifact = z.infer<typeof artifact>;

/** In a list: a content above 4 KiB is left out. */
export const listedArtifact = artifact.omit({ content: true }).extend({
  content: z.json().optional(),
  contentBytes: z.number().int().nonnegative(),
});
export type ListedArtifact = z.infer<typeof listedArtifact>;

export const listArtifactsInput = z.object({
  limit: z.number().int().min(1).max(artifactLimits.perThread).default(50),
  offset: z.number().int().nonnegative().default(0),
});

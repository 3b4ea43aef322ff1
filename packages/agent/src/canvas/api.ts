import type { Artifact, ListedArtifact, NewArtifact } from '@drawbridge/contracts/agent/canvas';

/** Named JSON documents of threads. Throws `notFound` for an unknown thread or document. */
export interface Canvas {
  /** Makes a document or replaces it. Throws `tooLarge`, and `tooManyArtifacts` beyond 200 of a thread. */
  put(
    userId: string,
    threadId: string,
    given: NewArtifact,
  ): Promise<{ artifact: Artifact; created: boolean }>;
  get(userId: string, threadId: string, artifactId: string): Promise<Artifact>;
  /** The last changed first. */
  list(
    userId: string,
    threadId: string,
    page: { limit: number; offset: number },
  ): Promise<{ artifacts: ListedArtifact[]; total: number }>;
  remove(userId: string, threadId: string, artifactId: string): Promise<void>;
  clear(userId: string, threadId: string): Promise<{ removed: number }>;
}

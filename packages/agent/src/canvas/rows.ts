/** A named JSON document of a thread. */
export interface ArtifactRow {
  userId: string;
  threadId: string;
  artifactId: string;
  type: string;
  title: string | null;
  /** JSON as text, and its length in bytes. */
  content: string;
  contentBytes: number;
  metadata: string | null;
  rev: number;
  createdAt: number;
  updatedAt: number;
}

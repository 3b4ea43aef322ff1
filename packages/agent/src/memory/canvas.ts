import {
  artifactLimits,
  type Artifact,
  type ListedArtifact,
  type NewArtifact,
} from '@drawbridge/contracts/agent/canvas';
import { createKeyedQueue } from '@drawbridge/kit';
import { hasCode } from '@drawbridge/kit';
import type { AgentNeeds } from '../ports/needs.ts';
import { errors } from '../rows/errors.ts';
import { keyOf } from '../rows/keys.ts';
import { threadRowOf } from '../rows/load.ts';
import { mainHistory, type NoteRow, type ArtifactRow } from '../rows/rows.ts';
import { increase, put as putRow, remove as removeRows, type Write } from '../rows/store.ts';

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

const bytesOf = (text: string | null): number => (text === null ? 0 : new TextEncoder().encode(text).length);
const isoOf = (at: number): string => new Date(at).toISOString();

/** Stored JSON, as it was written here. */
const parse = (text: string): Artifact['content'] => JSON.parse(text) as Artifact['content'];

const headOf = ({ artifactId, type, title, metadata, rev, createdAt, updatedAt }: ArtifactRow) => ({
  artifactId,
  type,
  title,
  // Written from a record.
  metadata: metadata === null ? null : (JSON.parse(metadata) as Artifact['metadata']),
  rev,
  createdAt: isoOf(createdAt),
  updatedAt: isoOf(updatedAt),
});

const toArtifact = (row: ArtifactRow): Artifact => ({ ...headOf(row), content: parse(row.content) });

const toListed = (row: ArtifactRow): ListedArtifact => ({
  ...headOf(row),
  contentBytes: row.contentBytes,
  ...(row.contentBytes <= artifactLimits.listedBytes && { content: parse(row.content) }),
});

/** Throws `tooLarge` and `tooManyArtifacts`. */
const refuseBeyondLimits = (row: ArtifactRow, others: readonly ArtifactRow[]) => {
  const { contentBytes, metadataBytes, perThread, threadBytes } = artifactLimits;
  const tooLarge = (what: string, limit: number) =>
    errors.tooLarge({ message: `${what}: ${limit} bytes are allowed` });
  if (row.contentBytes > contentBytes) throw tooLarge('The content of an artifact', contentBytes);
  if (bytesOf(row.metadata) > metadataBytes) throw tooLarge('The metadata of an artifact', metadataBytes);
  if (others.length >= perThread) throw errors.tooManyArtifacts();
  const all = [row, ...others].reduce((sum, one) => sum + one.contentBytes + bytesOf(one.metadata), 0);
  if (all > threadBytes) throw tooLarge('All artifacts of a thread', threadBytes);
};

/** A reader of the thread sees by this number that its documents have changed. */
const counted = (userId: string, id: string): Write =>
  increase('agentThreads', { userId, id }, { canvasRev: 1 });

type CanvasNeeds = Pick<AgentNeeds, 'store' | 'clock' | 'bus'>;

/** Several over the same rows share a queue. */
export const createCanvas = ({ store, clock, bus }: CanvasNeeds, queue = createKeyedQueue()): Canvas => {
  const rowsOf = (userId: string, threadId: string) =>
    store.find('agentArtifacts', { userId, threadId }, { orderBy: 'updatedAt', descending: true });

  /** One change of a thread at a time: its limits hold for all of them. */
  const change = <T>(userId: string, threadId: string, job: () => Promise<T>): Promise<T> =>
    queue.run(keyOf({ userId, threadId }), async () => {
      await threadRowOf({ store }, userId, threadId);
      const result = await job();
      bus.changed(userId, threadId);
      return result;
    });

  return {
    put: (userId, threadId, { artifactId, type, title, content, metadata }) =>
      change(userId, threadId, async () => {
        const rows = await rowsOf(userId, threadId);
        const known = rows.find((row) => row.artifactId === artifactId);
        const others = rows.filter((row) => row !== known);
        const text = JSON.stringify(content);
        const now = clock.now();
        const row: ArtifactRow = {
          userId,
          threadId,
          artifactId,
          type,
          title: title ?? null,
          content: text,
          contentBytes: bytesOf(text),
          metadata: metadata === undefined ? null : JSON.stringify(metadata),
          rev: (known?.rev ?? 0) + 1,
          createdAt: known?.createdAt ?? now,
          // Two changes of one millisecond stay in their order.
          updatedAt: Math.max(now, (rows[0]?.updatedAt ?? 0) + 1),
        };
        refuseBeyondLimits(row, others);
        await store.commit([putRow('agentArtifacts', row), counted(userId, threadId)], 'synced');
        return { artifact: toArtifact(row), created: known === undefined };
      }),
    get: async (userId, threadId, artifactId) => {
      const [row] = await store.find('agentArtifacts', { userId, threadId, artifactId });
      if (!row) throw errors.notFound({ message: 'There is no such artifact' });
      return toArtifact(row);
    },
    list: async (userId, threadId, { limit, offset }) => {
      await threadRowOf({ store }, userId, threadId);
      const rows = await rowsOf(userId, threadId);
      return { artifacts: rows.slice(offset, offset + limit).map(toListed), total: rows.length };
    },
    remove: (userId, threadId, artifactId) =>
      change(userId, threadId, async () => {
        const where = { userId, threadId, artifactId };
        const found = await store.find('agentArtifacts', where);
        if (found.length === 0) throw errors.notFound({ message: 'There is no such artifact' });
        await store.commit([removeRows('agentArtifacts', where), counted(userId, threadId)], 'synced');
      }),
    clear: (userId, threadId) =>
      change(userId, threadId, async () => {
        const { length: removed } = await rowsOf(userId, threadId);
        await store.commit(
          [removeRows('agentArtifacts', { userId, threadId }), counted(userId, threadId)],
          'synced',
        );
        return { removed };
      }),
  };
};

const prefix = 'session/checkpoints/';
/** Checkpoints of a thread that are kept. */
const kept = 5;

/** The name of the document that keeps a summary. */
export const checkpointName = ({ seq }: Pick<NoteRow, 'seq'>): string => `${prefix}${seq}`;

/** Keeps the summary that has replaced older messages as a document of the thread, for people and clients. */
export const keepCheckpoint = async (
  { store, canvas, onError }: Pick<AgentNeeds, 'store' | 'onError'> & { canvas: Canvas },
  { userId, threadId, history, seq, text: markdown }: NoteRow,
): Promise<void> => {
  if (history !== mainHistory) return;
  const title = 'Summary of older messages';
  try {
    await canvas.put(userId, threadId, {
      artifactId: checkpointName({ seq }),
      ...{ type: 'note', title, content: { markdown } },
    });
    const newest = { orderBy: 'createdAt', descending: true } as const;
    const all = await store.find('agentArtifacts', { userId, threadId }, newest);
    const own = all.filter(({ artifactId }) => artifactId.startsWith(prefix));
    for (const { artifactId } of own.slice(kept)) await canvas.remove(userId, threadId, artifactId);
  } catch (error) {
    // A canvas that is full, or a thread that is gone, does not stop the run.
    if (!hasCode(error, 'TOO_LARGE') && !hasCode(error, 'TOO_MANY_ARTIFACTS') && !hasCode(error, 'NOT_FOUND'))
      onError(error);
  }
};

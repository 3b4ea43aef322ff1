import { recapLimits } from '@drawbridge/contracts/machines/recap';
import { recapFilesLimits, type RecapFiles } from '@drawbridge/contracts/machines/recap-files';
import type { Preview } from '@drawbridge/contracts/preview';
import { resultMeta } from '@drawbridge/contracts/tool-result';
import type { ConfirmationsStore } from '../calls/store/confirmations.store.ts';
import { changedFiles, type FileChange } from './changed-files.ts';
import type { FileCall, RecapStore, RecapTimes } from './recap.store.ts';

/** How many calls are read before other work of the process goes on. */
const readAtOnce = 10;
const reachMs = recapLimits.days * 86_400_000;

interface Stores {
  store: Pick<RecapStore, 'fileCalls' | 'results'>;
  confirmations: Pick<ConfirmationsStore, 'approved'>;
}

const allowedPreview = (result: string | null): Preview | undefined => {
  try {
    const { _meta: meta } = JSON.parse(result ?? '{}') as { _meta?: unknown };
    return resultMeta.safeParse(meta).data?.['drawbridge/allowed']?.preview;
  } catch {
    return undefined;
  }
};

/** What the machine showed of these calls: in their question, or with the result of those not asked about. */
const previewsOf = async ({ store, confirmations }: Stores, ids: readonly string[]) => {
  const [results, questions] = await Promise.all([store.results(ids), confirmations.approved(ids)]);
  const previews = new Map<string, Preview>();
  for (const { requestId, result } of results) {
    const preview = allowedPreview(result);
    if (preview) previews.set(requestId, preview);
  }
  for (const { shown } of questions) if (shown.preview) previews.set(shown.requestId, shown.preview);
  return previews;
};

const windowOf = ({ state, createdAt, endedAt }: FileCall) => ({
  from: createdAt,
  to: state === 'succeeded' && endedAt !== null ? endedAt : Infinity,
});

/** The newest calls with what they changed, until so much text is read. */
const readChanges = async (stores: Stores, calls: readonly FileCall[]): Promise<FileChange[]> => {
  const changes: FileChange[] = [];
  let length = 0;
  for (let at = 0; at < calls.length; at += readAtOnce) {
    const some = calls.slice(at, at + readAtOnce);
    const previews = await previewsOf(
      stores,
      some.map(({ requestId }) => requestId),
    );
    for (const call of some) {
      const preview = previews.get(call.requestId) ?? null;
      length += preview === null ? 0 : JSON.stringify(preview).length;
      if (length > recapFilesLimits.previews) return changes;
      const { requestId, machineId, tool, subject } = call;
      changes.push({ requestId, machineId, tool, subject: subject ?? '', preview, window: windowOf(call) });
    }
  }
  return changes;
};

/** Files that calls of the user changed in that time. */
export const readFiles = async (stores: Stores, userId: string, times: RecapTimes): Promise<RecapFiles> => {
  const about = { from: times.from, reach: reachMs };
  const calls = await stores.store.fileCalls(userId, about, recapFilesLimits.looked);
  const isChange = ({ state, createdAt }: FileCall) =>
    state === 'succeeded' && createdAt >= times.from && createdAt < times.to;
  const all = calls.filter(isChange);
  const changes = await readChanges(stores, all.slice(0, recapFilesLimits.calls));
  const read = new Set(changes.map(({ requestId }) => requestId));
  const unclear = calls
    .filter((call) => !read.has(call.requestId) && (call.started !== 0 || call.endedAt === null))
    .map((call) => ({ machineId: call.machineId, subject: call.subject ?? '', window: windowOf(call) }));
  // Of a call that is not looked at it is not known what it changed.
  if (calls.length === recapFilesLimits.looked)
    for (const machineId of new Set(changes.map((change) => change.machineId)))
      unclear.push({ machineId, subject: '', window: { from: 0, to: Infinity } });
  const files = changedFiles(changes, unclear);
  return {
    files: files.slice(0, recapFilesLimits.files),
    left: {
      files: Math.max(0, files.length - recapFilesLimits.files),
      calls: all.length - changes.length,
    },
  };
};

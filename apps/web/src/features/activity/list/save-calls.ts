import type { CallFilter } from '@drawbridge/contracts/calls';
import { readDownload, type Failure } from '../../../api/index.ts';
import { saveBlob } from '../../../ui/window/files.ts';

/** Saves the calls of a filter as a file; resolves to a failure, or to null. */
export const saveCalls = async (filter: CallFilter, format: 'csv' | 'json'): Promise<Failure | null> => {
  const query = new URLSearchParams({ ...filter, format });
  const file = await readDownload(`/trpc/export/calls?${query}`);
  if (!(file instanceof Blob)) return file;
  saveBlob(file, `drawbridge-calls.${format}`);
  return null;
};

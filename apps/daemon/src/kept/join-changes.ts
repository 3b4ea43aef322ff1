import type { KeptChange, KeptFile } from './change-file.ts';

/** A file of several changes: as it was before the first of them, and as the last of them left it. */
export interface JoinedFile extends KeptFile {
  /** Where its content is kept. */
  folder: string;
  /** Something else changed it between two of them. */
  isMixed: boolean;
}

/** What several calls changed, as one change. */
export interface JoinedChange {
  requestIds: string[];
  resources: string[];
  files: JoinedFile[];
}

const digestBefore = ({ before }: KeptFile) => before?.sha256 ?? null;

/** `changes`: newest first. Files by their paths, without those that end as they began. */
export const joinChanges = (changes: readonly KeptChange[]): JoinedChange => {
  const files = new Map<string, JoinedFile>();
  for (const { folder, files: own } of changes)
    for (const file of own) {
      const later = files.get(file.path);
      const isMixed = later !== undefined && (later.isMixed || digestBefore(later) !== file.after);
      files.set(file.path, { ...file, after: later ? later.after : file.after, folder, isMixed });
    }
  return {
    requestIds: changes.map(({ requestId }) => requestId),
    resources: [...new Set(changes.flatMap(({ resources }) => resources))],
    files: [...files.values()]
      .filter((file) => digestBefore(file) !== file.after)
      .toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  };
};

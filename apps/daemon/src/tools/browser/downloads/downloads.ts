import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createBoundedMap, type Clock, visible } from '@drawbridge/kit';
import type { Download } from 'playwright-core';
import { maxDownloadBytes, maxDownloads, sizeCheckMs } from '../limits.ts';

export interface KeptDownload {
  id: string;
  /** As the page called it, for showing only. */
  name: string;
  /** Where it lies aside. */
  path: string;
  bytes: number;
}

export interface DownloadsNeeds {
  clock: Clock;
  folder: string;
  notify(sentence: string): void;
}

const sizeOf = (folder: string): number =>
  readdirSync(folder)
    .map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0)
    .reduce((sum, size) => sum + size, 0);

/** Downloads of pages, kept in the private folder until a call saves one where the person allows it. */
export const createDownloads = ({ clock, folder, notify }: DownloadsNeeds) => {
  const kept = createBoundedMap<string, { file: KeptDownload; download: Download }>({
    maxEntries: maxDownloads,
    onEvict: (_id, { download }) => void download.delete().catch(() => undefined),
  });
  const running = new Map<Download, number>();
  let count = 0;
  let stopChecking: (() => void) | undefined;

  const checkSizes = () => {
    const bytes = sizeOf(folder);
    for (const [download, before] of running)
      if (bytes - before > maxDownloadBytes) void download.cancel().catch(() => undefined);
  };

  const keep = async (download: Download): Promise<void> => {
    const path = await download.path();
    const bytes = statSync(path).size;
    if (bytes > maxDownloadBytes) throw new Error('too large');
    count += 1;
    const file = { id: `d${count}`, name: basename(download.suggestedFilename()), path, bytes };
    kept.set(file.id, { file, download });
    notify(
      `A download is kept aside as ${file.id}: "${visible(file.name)}" (${bytes} bytes). browser_save_download puts it into the folder.`,
    );
  };

  return {
    add: (download: Download) => {
      if (running.size === 0) stopChecking = clock.every(sizeCheckMs, checkSizes);
      running.set(download, sizeOf(folder));
      keep(download)
        .catch(() => {
          notify(`A download of "${visible(download.suggestedFilename())}" failed or was over 64 MiB.`);
          return download.delete();
        })
        .catch(() => undefined)
        .finally(() => {
          running.delete(download);
          if (running.size === 0) stopChecking?.();
        });
    },
    find: (id: string) => kept.get(id)?.file,
    close: () => stopChecking?.(),
  };
};

export type Downloads = ReturnType<typeof createDownloads>;

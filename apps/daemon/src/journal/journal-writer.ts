import { nextMacrotask } from '@drawbridge/kit';
import { writePage, type Page } from './page.ts';
import { encodeRecord, type JournalRecord } from './record.ts';

export interface JournalWriterNeeds {
  folder: string;
  /** Every record that still counts, those that wait to be appended included. */
  records(): JournalRecord[];
  pageBytes: number;
  beforeRewrite(): Promise<void>;
}

interface Append {
  record: JournalRecord;
  until: 'written' | 'synced';
  settle(isWritten: boolean): void;
}

/** Appends records to the page; appends of one turn of the event loop share one sync of the disk. */
export const createJournalWriter = (needs: JournalWriterNeeds) => {
  const { folder, records, pageBytes, beforeRewrite } = needs;
  let page: Page | null = null;
  let closed = false;
  let queue: Append[] = [];
  let flushing: Promise<void> | null = null;

  const closePage = async () => {
    const old = page;
    page = null;
    await old?.close();
  };
  const write = async (batch: Append[]): Promise<void> => {
    if (page === null || page.appended() > pageBytes) {
      await beforeRewrite();
      await closePage();
      // The records hold what is in the batch.
      page = await writePage(folder, records());
      return;
    }
    const lines = batch.map(({ record }) => encodeRecord(record)).join('');
    await page.append(lines, batch.some(({ until }) => until === 'synced') ? 'synced' : 'written');
  };
  const flush = async (): Promise<void> => {
    while (queue.length > 0) {
      await nextMacrotask();
      const batch = queue;
      queue = [];
      const isWritten = await write(batch).then(
        () => true,
        () =>
          closePage().then(
            () => false,
            () => false,
          ),
      );
      for (const { settle } of batch) settle(isWritten);
    }
    flushing = null;
  };

  return {
    /** Resolves to false when the disk refused or the writer is closed. */
    append: (record: JournalRecord, until: 'written' | 'synced') => {
      if (closed) return Promise.resolve(false);
      return new Promise<boolean>((settle) => {
        queue.push({ record, until, settle });
        flushing ??= flush();
      });
    },
    close: async () => {
      closed = true;
      await flushing;
      await closePage();
    },
  };
};

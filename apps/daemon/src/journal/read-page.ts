import { decodeHead, decodeRecord, headBytes, type JournalRecord } from './record.ts';

/** What a page says. `broken`: something that was written is missing or changed; `records` is what can still be read. */
export interface PageContents {
  records: JournalRecord[];
  broken: boolean;
}

const newline = 10;

/**
 * Reads a whole page. A last line without an end is one that was being written when the machine or the process went down: nothing was
 * done because of it, so it is left out. Any other line that is not as it was written makes the page broken, and so does a page that
 * is shorter than it was.
 */
export const readPage = (bytes: Buffer): PageContents => {
  const certain = decodeHead(bytes.subarray(0, headBytes - 1).toString('latin1'));
  let broken = certain === undefined || bytes.length < certain || bytes[headBytes - 1] !== newline;
  const records: JournalRecord[] = [];
  // The first line ends somewhere also where it is damaged.
  let from = certain === undefined ? bytes.indexOf(newline) + 1 : headBytes;
  for (let to = bytes.indexOf(newline, from); to !== -1; to = bytes.indexOf(newline, from)) {
    const record = decodeRecord(bytes.toString('utf8', from, to));
    if (record) records.push(record);
    else broken = true;
    from = to + 1;
  }
  return { records, broken: broken || (certain !== undefined && from < certain) };
};

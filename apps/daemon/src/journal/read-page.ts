import { decodeHead, decodeRecord, headBytes, type JournalRecord } from './record.ts';

/** `broken`: something that was written is missing or changed; `records` is what can still be read. */
export interface PageContents {
  records: JournalRecord[];
  broken: boolean;
}

const newline = 10;

/**
 * Reads a whole page. An unfinished last line was being written at a crash and is left out;
 * any other damaged line, and a page that is too short, make the page broken.
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

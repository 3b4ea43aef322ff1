const halfBytes = 512 * 1024;

export interface Capture {
  add(chunk: Buffer): void;
  /** All of it, or the first and the last 512 KiB with the number of bytes between them. */
  text(): string;
}

/** Takes any amount of output in a fixed amount of memory. */
export const createCapture = (): Capture => {
  const head: Buffer[] = [];
  let headBytes = 0;
  let tail: Buffer[] = [];
  let tailBytes = 0;
  let totalBytes = 0;

  const addToTail = (chunk: Buffer) => {
    tail.push(chunk);
    tailBytes += chunk.length;
    // Joined now and then, so that many small pieces do not cost more than their bytes.
    if (tailBytes <= halfBytes * 2 && tail.length < 4_096) return;
    tail = [Buffer.from(Buffer.concat(tail).subarray(-halfBytes))];
    tailBytes = tail[0]?.length ?? 0;
  };

  return {
    add: (chunk) => {
      totalBytes += chunk.length;
      const forHead = chunk.subarray(0, halfBytes - headBytes);
      if (forHead.length > 0) head.push(forHead);
      headBytes += forHead.length;
      if (chunk.length > forHead.length) addToTail(chunk.subarray(forHead.length));
    },
    text: () => {
      const end = Buffer.concat(tail).subarray(-halfBytes);
      const omitted = totalBytes - headBytes - end.length;
      const start = Buffer.concat(head);
      if (omitted === 0) return Buffer.concat([start, end]).toString('utf8');
      return `${start.toString('utf8')}\n… ${omitted} bytes left out …\n${end.toString('utf8')}`;
    },
  };
};

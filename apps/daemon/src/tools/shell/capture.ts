const halfBytes = 512 * 1024;

/** Where the last character begins that is not whole; the length where all are. */
const endOfWhole = (bytes: Buffer): number => {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return wanted > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
};

const startOfWhole = (bytes: Buffer): number => {
  let at = 0;
  while (at < 3 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at += 1;
  return at;
};

/** Takes any amount of output in a fixed amount of memory. */
export const createCapture = () => {
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
    add: (chunk: Buffer) => {
      totalBytes += chunk.length;
      const forHead = chunk.subarray(0, halfBytes - headBytes);
      if (forHead.length > 0) head.push(forHead);
      headBytes += forHead.length;
      if (chunk.length > forHead.length) addToTail(chunk.subarray(forHead.length));
    },
    /** All of it, or the first and the last 512 KiB with the number of bytes between them. */
    text: () => {
      const end = Buffer.concat(tail).subarray(-halfBytes);
      const start = Buffer.concat(head);
      if (totalBytes === headBytes + end.length) return Buffer.concat([start, end]).toString('utf8');
      const [first, last] = [start.subarray(0, endOfWhole(start)), end.subarray(startOfWhole(end))];
      const omitted = totalBytes - first.length - last.length;
      return `${first.toString('utf8')}\n… ${omitted} bytes left out …\n${last.toString('utf8')}`;
    },
  };
};

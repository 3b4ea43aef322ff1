const newline = 10;

/** Splits a stream into lines of at most `maxBytes`; a longer one is reported once, and ends it. */
export const createLines = (
  maxBytes: number,
  events: { line(text: string): void; tooLong(): void },
): ((chunk: Buffer) => void) => {
  let parts: Buffer[] = [];
  let bytes = 0;
  let ended = false;
  return (chunk) => {
    let from = 0;
    while (!ended) {
      const at = chunk.indexOf(newline, from);
      const part = chunk.subarray(from, at === -1 ? undefined : at);
      bytes += part.length;
      if (bytes > maxBytes) {
        ended = true;
        parts = [];
        return events.tooLong();
      }
      parts.push(part);
      if (at === -1) return;
      const line = Buffer.concat(parts).toString('utf8');
      parts = [];
      bytes = 0;
      from = at + 1;
      events.line(line);
    }
  };
};

import { canonicalAddress } from '../network/address.ts';

/** `more`: too few bytes to decide. */
export type Verdict = 'more' | 'right' | 'wrong';

const maxHelloBytes = 64 * 1024;
const handshake = 0x16;
const clientHello = 1;
const serverName = 0;
const maxRecordBytes = 16_384;

/** Reads what lies in a buffer; throws a RangeError beyond its end. */
const createReader = (bytes: Buffer) => {
  let at = 0;
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new RangeError('too short');
    at += length;
    return bytes.subarray(at - length, at);
  };
  const number = (length: number): number => take(length).readUIntBE(0, length);
  return {
    take,
    number,
    block: (lengthBytes: number) => take(number(lengthBytes)),
    isAtEnd: () => at === bytes.length,
  };
};

/** The message of a handshake out of its records; `more` until all of it is there. */
const firstMessage = (bytes: Buffer): Buffer | Exclude<Verdict, 'right'> => {
  const parts: Buffer[] = [];
  let length = 0;
  for (let at = 0; ;) {
    if (at < bytes.length && bytes[at] !== handshake) return 'wrong';
    if (at + 1 < bytes.length && bytes[at + 1] !== 3) return 'wrong';
    if (at + 5 > bytes.length) return 'more';
    const size = bytes.readUInt16BE(at + 3);
    if (size === 0 || size > maxRecordBytes) return 'wrong';
    const part = bytes.subarray(at + 5, at + 5 + size);
    parts.push(part);
    length += part.length;
    const joined = length >= 4 ? Buffer.concat(parts, 4) : undefined;
    if (joined?.[0] !== undefined && joined[0] !== clientHello) return 'wrong';
    const wanted = joined === undefined ? Infinity : joined.readUIntBE(1, 3) + 4;
    if (wanted !== Infinity && wanted > maxHelloBytes) return 'wrong';
    if (length >= wanted) return Buffer.concat(parts, wanted);
    if (part.length < size) return 'more';
    at += 5 + size;
  }
};

/** The names of the extension `server_name`; undefined for one that is there twice. */
const namesIn = (message: Buffer): string[] | undefined => {
  const hello = createReader(message.subarray(4));
  hello.take(2 + 32);
  hello.block(1);
  hello.block(2);
  hello.block(1);
  if (hello.isAtEnd()) return [];
  const extensions = createReader(hello.block(2));
  if (!hello.isAtEnd()) throw new RangeError('too long');
  let names: string[] | undefined;
  while (!extensions.isAtEnd()) {
    const [type, content] = [extensions.number(2), extensions.block(2)];
    if (type !== serverName) continue;
    if (names !== undefined) return undefined;
    names = [];
    const body = createReader(content);
    const list = createReader(body.block(2));
    if (!body.isAtEnd()) throw new RangeError('too long');
    while (!list.isAtEnd()) {
      const kind = list.number(1);
      names.push(kind === 0 ? list.block(2).toString('latin1') : '\0');
    }
  }
  return names ?? [];
};

/**
 * Whether a connection begins with a TLS ClientHello for this host (RFC 8446 4.1.2, RFC 6066 3): exactly one
 * server name, which is the host. An address has none.
 */
export const judgeHello = (bytes: Buffer, hostname: string): Verdict => {
  const message = firstMessage(bytes);
  if (typeof message === 'string') return message;
  try {
    const names = namesIn(message);
    if (canonicalAddress(hostname) !== undefined) return names?.length === 0 ? 'right' : 'wrong';
    return names?.length === 1 && names[0]?.toLowerCase() === hostname ? 'right' : 'wrong';
  } catch (error) {
    if (error instanceof RangeError) return 'wrong';
    throw error;
  }
};

const sshStart = Buffer.from('SSH-');

/** The first bytes of port 22. */
export const judgeSsh = (bytes: Buffer): Verdict => {
  const length = Math.min(bytes.length, sshStart.length);
  if (!bytes.subarray(0, length).equals(sshStart.subarray(0, length))) return 'wrong';
  return length < sshStart.length ? 'more' : 'right';
};

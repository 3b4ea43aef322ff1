import { typeByStart } from '@drawbridge/kit';
import { errors } from '../../common/errors.ts';

const startsWith = (bytes: Buffer, at: number, text: string) =>
  bytes.toString('latin1', at, at + text.length) === text;

/** The picture's type by its first bytes; a name can say anything. */
export const pictureType = (bytes: Buffer): string | undefined => {
  const type = typeByStart(bytes);
  return type?.startsWith('image/') ? type : undefined;
};

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** Control characters that no text has; a page break, an escape and the like are in some. */
const control = (byte: number) =>
  (byte < 0x20 && (byte < 0x07 || byte > 0x0d) && byte !== 0x1b) || byte === 0x7f;

/** UTF-16 without a mark: for ASCII, every second byte is NUL and no other. */
const withoutMark = (bytes: Buffer): Encoding | undefined => {
  const zeros = [0, 0];
  for (const [at, byte] of bytes.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (even === 0 && odd * 4 > bytes.length) return 'utf-16le';
  return odd === 0 && even * 4 > bytes.length ? 'utf-16be' : undefined;
};

/** The likely encoding by the first bytes; throws `binary`. UTF-8 may turn out to be `windows-1252`. */
export const encodingOf = (first: Buffer): Encoding => {
  if (startsWith(first, 0, '\xff\xfe')) return 'utf-16le';
  if (startsWith(first, 0, '\xfe\xff')) return 'utf-16be';
  if (!first.includes(0)) return 'utf-8';
  const encoding = withoutMark(first);
  if (encoding === undefined) throw errors.binary();
  return encoding;
};

/** Decodes a text in chunks; `decode` throws `binary`. Without `bytes` it flushes. */
export const createDecoder = (encoding: Encoding): { decode(bytes?: Buffer): string } => {
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: encoding === 'utf-8' });
  return {
    decode: (bytes) => {
      const isNarrow = encoding === 'utf-8' || encoding === 'windows-1252';
      if (bytes && isNarrow && bytes.includes(0)) throw errors.binary();
      if (bytes && encoding === 'windows-1252' && bytes.some(control)) throw errors.binary();
      try {
        const text = decoder.decode(bytes, { stream: bytes !== undefined });
        if (!isNarrow && text.includes('\0')) throw errors.binary();
        return text;
      } catch (cause) {
        throw errors.binary({ cause });
      }
    },
  };
};

const decodeAll = (bytes: Buffer, encoding: Encoding): { text: string; encoding: Encoding } => {
  const { decode } = createDecoder(encoding);
  return { text: decode(bytes) + decode(), encoding };
};

/** The text of a whole file in UTF-8, UTF-16 or Latin-1, with its encoding. Throws `binary`. */
export const decodeText = (bytes: Buffer): { text: string; encoding: Encoding } => {
  const encoding = encodingOf(bytes);
  if (encoding !== 'utf-8') return decodeAll(bytes, encoding);
  try {
    return decodeAll(bytes, encoding);
  } catch {
    return decodeAll(bytes, 'windows-1252');
  }
};

/** The text, a byte order mark included; `binary` for anything that is not UTF-8 or holds a NUL. */
export const toText = (bytes: Buffer): string => {
  if (bytes.includes(0)) throw errors.binary();
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw errors.binary({ cause });
  }
};

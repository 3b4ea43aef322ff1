import { errors } from '../errors.ts';

const startsWith = (bytes: Buffer, at: number, text: string) =>
  bytes.toString('latin1', at, at + text.length) === text;

/** The picture's type by its first bytes; a name can say anything. */
export const pictureType = (bytes: Buffer): string | undefined => {
  if (startsWith(bytes, 0, '\x89PNG\r\n\x1a\n')) return 'image/png';
  if (startsWith(bytes, 0, '\xff\xd8\xff')) return 'image/jpeg';
  if (startsWith(bytes, 0, 'GIF87a') || startsWith(bytes, 0, 'GIF89a')) return 'image/gif';
  if (startsWith(bytes, 0, 'RIFF') && startsWith(bytes, 8, 'WEBP')) return 'image/webp';
  return undefined;
};

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text, a byte order mark included; `binary` for anything that is not UTF-8 or holds a NUL. */
export const toText = (bytes: Buffer): string => {
  if (bytes.includes(0)) throw errors.binary();
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw errors.binary({ cause });
  }
};

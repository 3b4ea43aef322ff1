/** Signs of types, and where they stand. */
const starts: [type: string, start: string, at?: number][] = [
  ['image/png', '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', '\xff\xd8\xff'],
  ['image/gif', 'GIF87a'],
  ['image/gif', 'GIF89a'],
  ['image/webp', 'WEBP', 8],
  ['application/pdf', '%PDF-'],
  ['audio/ogg', 'OggS'],
  ['audio/wav', 'WAVE', 8],
  ['audio/flac', 'fLaC'],
  ['audio/webm', '\x1a\x45\xdf\xa3'],
  ['audio/mp4', 'ftypM4A', 4],
  ['audio/mpeg', 'ID3'],
];

const isText = (bytes: Uint8Array): boolean => {
  if (bytes.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
};

/** Frames of MPEG audio, layer III, without a tag before them. */
const isMpegFrame = ([first, second = 0]: Uint8Array): boolean => first === 0xff && (second & 0xe6) === 0xe2;

/** The type of a picture, an audio or a PDF by its first bytes, which a name cannot change. */
export const typeByStart = (bytes: Uint8Array): string | undefined => {
  const head = String.fromCharCode(...bytes.subarray(0, 16));
  const known = starts.find(([, start, at = 0]) => head.startsWith(start, at));
  return known ? known[0] : isMpegFrame(bytes) ? 'audio/mpeg' : undefined;
};

/** The type of a file by its bytes; else `text/plain` for UTF-8, and `application/octet-stream`. */
export const mediaTypeOf = (bytes: Uint8Array): string =>
  typeByStart(bytes) ?? (isText(bytes) ? 'text/plain' : 'application/octet-stream');

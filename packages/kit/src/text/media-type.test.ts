import { expect, it } from 'vitest';
import { mediaTypeOf } from './media-type.ts';

it.each([
  ['image/png', '\x89PNG\r\n\x1a\nrest'],
  ['image/jpeg', '\xff\xd8\xff\xe0'],
  ['image/gif', 'GIF89a'],
  ['image/webp', 'RIFF\0\0\0\0WEBPVP8 '],
  ['application/pdf', '%PDF-1.7'],
  ['audio/ogg', 'OggS\0\x02'],
  ['audio/wav', 'RIFF\0\0\0\0WAVEfmt '],
  ['audio/flac', 'fLaC'],
  ['audio/webm', '\x1a\x45\xdf\xa3'],
  ['audio/mp4', '\0\0\0\x20ftypM4A '],
  ['audio/mpeg', 'ID3\x04'],
  ['audio/mpeg', '\xff\xfb\x90\x00'],
  ['text/plain', '<!doctype html><script>alert(1)</script>'],
  ['text/plain', ''],
  ['application/octet-stream', 'PK\x03\x04\0'],
  ['application/octet-stream', '\xc3\x28'],
])('is %s for %j', (type, text) => {
  expect(mediaTypeOf(Buffer.from(text, 'latin1'))).toBe(type);
});

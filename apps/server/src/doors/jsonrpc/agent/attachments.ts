import type { Attachment } from '@drawbridge/contracts/agent/threads';
import type { RpcAttachment } from '@drawbridge/contracts/rpc/agent';
import { rpcLimits } from '@drawbridge/contracts/rpc/protocol';
import { jsonOf } from '@drawbridge/kit';
import { errors } from '../../../errors.ts';

const startsWith = (bytes: Buffer, ...start: number[]) => start.every((byte, at) => bytes[at] === byte);

const isText = (bytes: Buffer): boolean => {
  if (bytes.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
};

const isJson = (bytes: Buffer): boolean => jsonOf(bytes.toString()) !== undefined && isText(bytes);

/** Types of files that the agent takes; their bytes decide. */
const isOfType: Record<string, (bytes: Buffer) => boolean> = {
  'image/png': (bytes) => startsWith(bytes, 0x89, 0x50, 0x4e, 0x47),
  'image/jpeg': (bytes) => startsWith(bytes, 0xff, 0xd8, 0xff),
  'image/gif': (bytes) => startsWith(bytes, 0x47, 0x49, 0x46, 0x38),
  'image/webp': (bytes) =>
    bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP',
  'application/pdf': (bytes) => bytes.toString('latin1', 0, 5) === '%PDF-',
  'text/plain': isText,
  'application/json': isJson,
};

const unsupported = () =>
  errors.badRequest({
    message: 'This attachment is not supported',
    fix: `Send one of ${Object.keys(isOfType).join(', ')}.`,
  });

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** The attachments of a message. Throws `badRequest` for other types, `tooLarge` beyond the limits. */
export const readAttachments = (given: readonly RpcAttachment[]): Attachment[] => {
  let total = 0;
  return given.map(({ mimeType, data, filename }, at) => {
    const accepts = Object.hasOwn(isOfType, mimeType) ? isOfType[mimeType] : undefined;
    if (!accepts) throw unsupported();
    if (data.length % 4 !== 0 || !base64.test(data))
      throw errors.badRequest({ message: 'The data of an attachment is base64' });
    const bytes = Buffer.from(data, 'base64');
    total += bytes.length;
    if (bytes.length > rpcLimits.attachmentBytes || total > rpcLimits.attachmentsBytes)
      throw errors.tooLarge({ message: 'The attachments are too large' });
    if (!accepts(bytes)) throw unsupported();
    return { name: filename ?? `attachment-${at + 1}`, mediaType: mimeType, data };
  });
};

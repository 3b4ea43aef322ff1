import { attachmentTypes, type Attachment } from '@drawbridge/contracts/agent/threads';
import type { RpcAttachment } from '@drawbridge/contracts/rpc/agent';
import { rpcLimits } from '@drawbridge/contracts/rpc/protocol';
import { jsonOf, mediaTypeOf } from '@drawbridge/kit';
import { errors } from '../../../errors.ts';
import { audioTypes, type Audio } from '../../../voice/index.ts';

const isOfType = (mimeType: string, bytes: Buffer): boolean =>
  mediaTypeOf(bytes) === attachmentTypes[mimeType] &&
  (mimeType !== 'application/json' || jsonOf(bytes.toString()) !== undefined);

const unsupported = () =>
  errors.badRequest({
    message: 'This attachment is not supported',
    fix: `Send one of ${[...Object.keys(attachmentTypes), ...audioTypes].join(', ')}.`,
  });

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * The files of a message, and what was recorded for it.
 * Throws `badRequest` for other types, `tooLarge` beyond the limits.
 */
export const readAttachments = (given: readonly RpcAttachment[]) => {
  const attachments: Attachment[] = [];
  const audios: Audio[] = [];
  let total = 0;
  for (const [at, { mimeType, data, filename }] of given.entries()) {
    if (!Object.hasOwn(attachmentTypes, mimeType) && !audioTypes.includes(mimeType)) throw unsupported();
    if (data.length % 4 !== 0 || !base64.test(data))
      throw errors.badRequest({ message: 'The data of an attachment is base64' });
    const bytes = Buffer.from(data, 'base64');
    total += bytes.length;
    if (bytes.length > rpcLimits.attachmentBytes || total > rpcLimits.attachmentsBytes)
      throw errors.tooLarge({ message: 'The attachments are too large' });
    if (audioTypes.includes(mimeType)) {
      if (mediaTypeOf(bytes) !== mimeType) throw unsupported();
      audios.push({ bytes, mediaType: mimeType });
      continue;
    }
    if (!isOfType(mimeType, bytes)) throw unsupported();
    attachments.push({ name: filename ?? `attachment-${at + 1}`, mediaType: mimeType, data });
  }
  return { attachments, audios };
};

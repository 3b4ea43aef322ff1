import { attachmentTypes, type Attachment } from '@drawbridge/contracts/agent/threads';
import type { RpcAttachment } from '@drawbridge/contracts/rpc/agent';
import { rpcLimits } from '@drawbridge/contracts/rpc/protocol';
import { jsonOf, mediaTypeOf } from '@drawbridge/kit';
import { errors } from '../../../errors.ts';

const isOfType = (mimeType: string, bytes: Buffer): boolean =>
  mediaTypeOf(bytes) === attachmentTypes[mimeType] &&
  (mimeType !== 'application/json' || jsonOf(bytes.toString()) !== undefined);

const unsupported = () =>
  errors.badRequest({
    message: 'This attachment is not supported',
    fix: `Send one of ${Object.keys(attachmentTypes).join(', ')}.`,
  });

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** The attachments of a message. Throws `badRequest` for other types, `tooLarge` beyond the limits. */
export const readAttachments = (given: readonly RpcAttachment[]): Attachment[] => {
  let total = 0;
  return given.map(({ mimeType, data, filename }, at) => {
    if (!Object.hasOwn(attachmentTypes, mimeType)) throw unsupported();
    if (data.length % 4 !== 0 || !base64.test(data))
      throw errors.badRequest({ message: 'The data of an attachment is base64' });
    const bytes = Buffer.from(data, 'base64');
    total += bytes.length;
    if (bytes.length > rpcLimits.attachmentBytes || total > rpcLimits.attachmentsBytes)
      throw errors.tooLarge({ message: 'The attachments are too large' });
    if (!isOfType(mimeType, bytes)) throw unsupported();
    return { name: filename ?? `attachment-${at + 1}`, mediaType: mimeType, data };
  });
};

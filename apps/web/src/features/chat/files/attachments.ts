import type { MessageFile } from '@drawbridge/contracts/agent/events';
import type { Attachment } from '@drawbridge/contracts/agent/threads';
import { readFile, type Failure } from '../../../api/index.ts';

const base64Of = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(new Error('This file cannot be read'));
    reader.readAsDataURL(file);
  });

const mediaTypeOf = ({ type }: File): string =>
  /^[a-z]+\/[a-z0-9.+-]{1,100}$/.test(type) ? type : 'application/octet-stream';

/** A file of the person as it goes beside a message. */
export const attachmentOf = async (file: File): Promise<Attachment> => ({
  name: file.name,
  mediaType: mediaTypeOf(file),
  data: await base64Of(file),
});

/** The files of a message that was sent, to send them once more. Returns why one cannot be read. */
export const attachmentsOf = async (files: readonly MessageFile[]): Promise<Attachment[] | Failure> => {
  const found: Attachment[] = [];
  for (const { id, name, mediaType } of files) {
    const content = await readFile(id);
    if (!(content instanceof Blob)) return content;
    found.push(await attachmentOf(new File([content], name, { type: mediaType })));
  }
  return found;
};

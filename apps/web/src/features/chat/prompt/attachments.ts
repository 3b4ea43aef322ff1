import { maxAttachmentLength, maxAttachments, type Attachment } from '@drawbridge/contracts/agent/threads';
import { ref, shallowRef } from 'vue';

const base64Of = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(new Error('This file cannot be read'));
    reader.readAsDataURL(file);
  });

const mediaTypeOf = ({ type }: File): string =>
  /^[a-z]+\/[a-z0-9.+-]{1,100}$/.test(type) ? type : 'application/octet-stream';

/** Files beside a message that is being written. */
export const createAttachments = () => {
  const files = shallowRef<readonly { attachment: Attachment }[]>([]);
  const problem = ref('');

  const add = async (picked: readonly File[]) => {
    problem.value = '';
    for (const file of picked) {
      if (files.value.length >= maxAttachments) problem.value = `At most ${maxAttachments} files`;
      // Base64 has four characters for three bytes.
      else if ((file.size * 4) / 3 > maxAttachmentLength) problem.value = `${file.name} is too large`;
      else {
        const attachment = { name: file.name, mediaType: mediaTypeOf(file), data: await base64Of(file) };
        files.value = [...files.value, { attachment }];
      }
    }
  };
  const remove = (at: number) => (files.value = files.value.filter((_, index) => index !== at));
  const clear = () => (files.value = []);
  return { files, problem, add, remove, clear };
};

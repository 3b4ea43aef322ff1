import type { MessageFile } from '@drawbridge/contracts/agent/events';
import { readFile, type Failure } from '../../../api/index.ts';
import { saveBlob } from '../../../ui/window/files.ts';

/** Saves an attachment as the browser saves a download. Returns why it cannot. */
export const saveFile = async ({ id, name }: Pick<MessageFile, 'id' | 'name'>): Promise<Failure | null> => {
  const file = await readFile(id);
  if (!(file instanceof Blob)) return file;
  saveBlob(file, name);
  return null;
};

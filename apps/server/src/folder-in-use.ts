import type { FolderHolder } from './db/index.ts';
import { errors } from './errors.ts';

/** The error of a server, or of `restore`, that finds another server on its data folder. */
export const folderInUse = (dataDir: string, holder: FolderHolder | null) => {
  const at = holder?.url ? `, ${holder.url}` : '';
  const who = holder === null ? '' : `: process ${holder.pid} on ${holder.host}${at}`;
  return errors.dataFolderInUse({ message: `Another server runs on the data folder ${dataDir}${who}` });
};

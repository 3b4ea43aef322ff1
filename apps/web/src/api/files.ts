import { unreachable, type Failure } from './failure.ts';
import { refusalOf, send } from './http.ts';

const missing: Failure = { code: 'NOT_FOUND', message: 'This file is no longer there', fix: null };

/** A file that the server makes at that address; a refusal is the server's, or `refused`. Never throws. */
export const readDownload = async (path: string, refused?: Failure): Promise<Blob | Failure> => {
  try {
    const response = await send(path);
    return response.ok ? await response.blob() : (refused ?? (await refusalOf(response)));
  } catch {
    return unreachable;
  }
};

/** A file of the built-in agent. Never throws. */
export const readFile = (fileId: string): Promise<Blob | Failure> =>
  readDownload(`/api/v1/instance-ai/files/${encodeURIComponent(fileId)}`, missing);

import { errorBody } from '@drawbridge/contracts/errors';
import { unreachable, type Failure } from './failure.ts';
import { proofHeaders } from './session-proof.ts';

const missing: Failure = { code: 'NOT_FOUND', message: 'This file is no longer there', fix: null };

const refusalOf = async (response: Response): Promise<Failure> => {
  const { code, message, fix = null } = errorBody.parse(await response.json());
  return { code, message, fix };
};

/** A file that the server makes at that address. Never throws. */
export const readDownload = async (path: string): Promise<Blob | Failure> => {
  try {
    const response = await fetch(path, { headers: proofHeaders(), credentials: 'same-origin' });
    return response.ok ? await response.blob() : await refusalOf(response);
  } catch {
    return unreachable;
  }
};

/** A file of the built-in agent. Never throws. */
export const readFile = async (fileId: string): Promise<Blob | Failure> => {
  try {
    const path = `/api/v1/instance-ai/files/${encodeURIComponent(fileId)}`;
    const response = await fetch(path, { headers: proofHeaders(), credentials: 'same-origin' });
    return response.ok ? await response.blob() : missing;
  } catch {
    return unreachable;
  }
};

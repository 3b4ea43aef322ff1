import { resolve } from 'node:path';
import type { ActionRequest } from '../driver.ts';

/** A request with its paths and its command where the program means them: in the folder that it works in. */
export const inFolder = (request: ActionRequest, folder: string): ActionRequest => {
  const place = (path: string) => resolve(folder, path);
  switch (request.kind) {
    case 'command':
      return { ...request, cwd: place(request.cwd ?? '.') };
    case 'edit':
      return { ...request, edits: request.edits.map((edit) => ({ ...edit, path: place(edit.path) })) };
    case 'read':
      return { ...request, paths: request.paths.map(place) };
    case 'other':
      return request;
    default:
      return request satisfies never;
  }
};

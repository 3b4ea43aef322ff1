import { createErrors } from '@drawbridge/kit';

export const pathErrors = createErrors({
  badPath: { code: 'BAD_PATH', message: 'This path cannot be used' },
  outside: { code: 'OUTSIDE', message: 'This path leads outside the shared folder' },
  protectedPath: { code: 'PROTECTED', message: 'This path is protected from every tool' },
  notFound: { code: 'NOT_FOUND', message: 'Nothing exists at this path' },
  notFile: { code: 'NOT_A_FILE', message: 'This is not a regular file' },
  isFolder: { code: 'IS_A_FOLDER', message: 'This is a folder; list_files shows what it holds' },
  notFolder: { code: 'NOT_A_FOLDER', message: 'This is not a folder' },
  tooLarge: { code: 'TOO_LARGE', message: 'The file is too large: 512 KiB at most' },
  changed: { code: 'CHANGED', message: 'The file or a folder above it changed in the meantime; try again' },
});

import { createErrors } from '@drawbridge/kit';

/** How installing and updating fail; nothing was changed then. */
export const errors = createErrors({
  notInstallable: {
    code: 'NOT_INSTALLABLE',
    message: 'This copy of drawbridge was not started by npx, so it cannot be installed',
    fix: 'Run the command that the panel shows, with npx.',
  },
  noLauncher: { code: 'LAUNCHER_TAKEN', message: 'Another program has the path of the launcher' },
  notWhole: { code: 'NOT_WHOLE', message: 'The copy does not start; nothing was changed' },
  noNpm: {
    code: 'NO_NPM',
    message: 'npm could not install the program; nothing was changed',
    fix: 'Check that npm runs here and reaches its registry.',
  },
  badDownload: {
    code: 'BAD_DOWNLOAD',
    message: 'The download is not what the server announced; nothing was changed',
    fix: 'Try again; if it happens again, something on the way changes it.',
  },
});

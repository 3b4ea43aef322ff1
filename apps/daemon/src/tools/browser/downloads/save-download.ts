import { open } from 'node:fs/promises';
import { z } from 'zod';
import { errors } from '../../common/errors.ts';
import { locate, locateGranted, toResource } from '../../common/access.ts';
import { chunksOf } from '../../../paths/read-bytes.ts';
import { putFile } from '../../../paths/replace-file.ts';
import { resourcePath } from '../../common/question-words.ts';
import { jsonResult } from '../../common/result.ts';
import { defineTool, type ToolFacts } from '../../common/tool.ts';
import type { KeptDownload } from './downloads.ts';
import type { BrowserSession } from '../session.ts';

const input = z.strictObject({
  download: z.string().max(20).describe('Which download, by its name in the result that reported it: d1'),
  filePath: z.string().describe('Path of the new file, relative to the folder'),
});

export const saveDownloadFacts = {
  name: 'browser_save_download',
  title: 'Save download',
  description:
    'Save a file that a page has downloaded, 64 MiB at most. Makes the folders above it; replaces nothing.',
  group: 'browser',
  category: 'browser',
  effect: 'adds',
  input,
} satisfies ToolFacts;

/** Puts a download where the person allows a new file; nothing is replaced, nothing is opened. */
export const saveDownload = (session: BrowserSession) => {
  const findDownload = (id: string): KeptDownload => {
    const kept = session.runningNow()?.download(id);
    if (!kept) throw errors.notFound({ message: 'There is no such download' });
    return kept;
  };
  return defineTool({
    ...saveDownloadFacts,
    resources: async ({ download, filePath }, context) => {
      const kept = findDownload(download);
      const place = locate(context, filePath, { access: 'write', last: 'keep' });
      if (place.kind !== 'missing') throw errors.exists();
      return [toResource({ access: 'write', place, doing: `Save a download of ${kept.bytes} bytes as` })];
    },
    asks: (_input, [file], { root }) => `Save a download as ${resourcePath(root, file)}?`,
    run: async ({ download, filePath }, context) => {
      const kept = findDownload(download);
      const place = locateGranted(context, filePath, { access: 'write', last: 'keep' });
      if (place.kind !== 'missing') throw errors.exists();
      const { tag, root, signal } = context;
      const source = await open(kept.path, 'r');
      try {
        const data = chunksOf(source.fd, kept.bytes, signal);
        await putFile(place.path, root, { tag, data, mode: 0o644 });
      } finally {
        await source.close();
      }
      return jsonResult({ filePath, bytes: kept.bytes });
    },
  });
};

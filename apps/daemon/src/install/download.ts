import { createHash } from 'node:crypto';
import { packedDaemon, packedPath, type PackedDaemon } from '@drawbridge/contracts/release';
import type { Clock } from '@drawbridge/kit';
import { networkFailure, withServer, type HttpResponse } from '../link/index.ts';
import { errors } from './errors.ts';

const aboutMs = 10_000;
const packageMs = 2 * 60_000;
const maxAboutBytes = 4_096;

interface From {
  /** The server; nothing is sent to another, and no key to this one. */
  url: URL;
  clock: Clock;
  /** For the server to say what it gives; 10 s where it is left out. */
  withinMs?: number;
  signal?: AbortSignal;
}

const get = async <T>(
  { url, clock, signal }: From,
  { path, withinMs }: { path: string; withinMs: number },
  read: (response: HttpResponse) => Promise<T>,
): Promise<T> => {
  try {
    return await withServer(url, { clock, withinMs, signal }, async (http, until) => {
      const response = await http.request({ method: 'GET', path, signal: until });
      if (response.status >= 300 && response.status < 400)
        throw new Error('the server redirects, and a program is never fetched from elsewhere');
      return await read(response);
    });
  } catch (error) {
    if (error instanceof Error && 'fix' in error) throw error;
    throw errors.badDownload({
      message: `Cannot get drawbridge from ${url.origin} (${networkFailure(error).sentence}); nothing was changed`,
      fix: 'Check that the server runs and can be reached.',
    });
  }
};

const notOffered = () => new Error('this server offers no drawbridge to download');

/** What the server gives to its machines. Throws `BAD_DOWNLOAD`. */
export const fetchOffered = (from: From): Promise<PackedDaemon> =>
  get(from, { path: '/daemon.json', withinMs: from.withinMs ?? aboutMs }, async (response) => {
    if (response.status !== 200) throw notOffered();
    try {
      return packedDaemon.parse(JSON.parse(await response.text(maxAboutBytes)));
    } catch {
      throw notOffered();
    }
  });

/** The bytes of a packed daemon, which are those that were announced. Throws `BAD_DOWNLOAD`. */
export const fetchPackage = (from: From, offered: PackedDaemon): Promise<Buffer> =>
  get(from, { path: packedPath(offered), withinMs: packageMs }, async (response) => {
    if (response.status !== 200) throw new Error(`HTTP ${response.status}`);
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.body) {
      bytes += chunk.length;
      if (bytes > offered.bytes) throw errors.badDownload();
      chunks.push(chunk);
    }
    const content = Buffer.concat(chunks);
    if (createHash('sha256').update(content).digest('hex') !== offered.sha256) throw errors.badDownload();
    return content;
  });

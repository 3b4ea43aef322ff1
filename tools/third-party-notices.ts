import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

interface NoticesOptions {
  /** The file beside the bundle. */
  fileName: string;
  /** Folders of packages of which something goes in that is no module: styles and icons. */
  also?: readonly string[];
  /** Texts of licences by the name of the package, where the package itself brings none. */
  texts?: Readonly<Record<string, string>>;
}

/** What the bundler hands over, as far as it is used: Rolldown's and Vite's own types name their versions. */
type Bundle = Readonly<Record<string, { moduleIds?: readonly string[] }>>;
interface Context {
  emitFile(file: { type: 'asset'; fileName: string; source: string }): unknown;
}

interface Notice {
  name: string;
  version: string;
  license: string;
  text: string;
}

/** Licences that may be bundled. */
const allowed = new Set(['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'MPL-2.0']);

const noticeFile = /^(licen[cs]e|copying|notice|third.?party.?notices?)([.-].*)?$/i;

/** The older form of a manifest lists its licences. */
const manifest = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string().optional(),
  licenses: z.tuple([z.object({ type: z.string() })]).optional(),
});

/** The folder of the package that a module belongs to; undefined for our own, and for what no file holds. */
const packageOf = (moduleId: string): string | undefined =>
  /^\0?(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(moduleId)?.[1];

const textsIn = async (folder: string): Promise<string> => {
  const files = (await readdir(folder)).filter((file) => noticeFile.test(file)).toSorted();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return texts.map((text) => text.trim()).join('\n\n');
};

const noticeOf = async (folder: string, given: NoticesOptions['texts'] = {}): Promise<Notice> => {
  const read = manifest.parse(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')));
  const { name, version } = read;
  const license = read.license ?? read.licenses?.[0].type ?? 'none';
  if (!allowed.has(license))
    throw new Error(`${name} ${version} may not be bundled: its licence is ${license}`);
  const text = (await textsIn(folder)) || given[name]?.trim();
  if (!text) throw new Error(`${name} ${version} brings no text of its licence: give it in "texts"`);
  return { name, version, license, text };
};

const headOf = ({ name, version, license }: Notice) => `${name} ${version} (${license})`;

const line = '-'.repeat(80);

const pageOf = (notices: readonly Notice[]): string =>
  [
    'This software contains the following packages, each under its own licence.\n',
    ...notices.map((notice) => `${line}\n${headOf(notice)}\n${line}\n\n${notice.text}\n`),
  ].join('\n');

/**
 * A plugin for Rolldown and Vite: writes the notices of all bundled packages. The build fails for a licence
 * that is not allowed, and for a package without a licence text.
 */
export const thirdPartyNotices = ({ fileName, also = [], texts }: NoticesOptions) => ({
  name: 'third-party-notices',
  async generateBundle(this: Context, _options: unknown, bundle: Bundle): Promise<void> {
    const modules = Object.values(bundle).flatMap(({ moduleIds = [] }) => moduleIds);
    const folders = new Set([...modules.flatMap((id) => packageOf(id) ?? []), ...also]);
    const notices = await Promise.all([...folders].map((folder) => noticeOf(folder, texts)));
    const byHead = new Map(notices.map((notice) => [headOf(notice), notice]));
    const sorted = [...byHead.values()].toSorted((a, b) => (headOf(a) < headOf(b) ? -1 : 1));
    this.emitFile({ type: 'asset', fileName, source: pageOf(sorted) });
  },
});

import { z } from 'zod';

/** One build of the daemon. `build`: hash of its content; absent if it was not packed. */
export const release = z.object({
  version: z
    .string()
    .max(64)
    .regex(/^\d{1,9}\.\d{1,9}\.\d{1,9}(-[\w.-]+)?$/),
  build: z
    .string()
    .regex(/^[0-9a-f]{12}$/)
    .optional(),
});
export type Release = z.infer<typeof release>;

/** `GET /daemon.json`: the server's packed daemon. `sha256` in hex, of all its bytes. */
export const packedDaemon = release.required().extend({
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z
    .number()
    .int()
    .positive()
    .max(32 * 1024 * 1024),
});
export type PackedDaemon = z.infer<typeof packedDaemon>;

/** `0.1.0-0123456789ab`: names a release in addresses, folders and messages. */
export const releaseName = ({ version, build }: Release): string =>
  build === undefined ? version : `${version}-${build}`;

/** The path of the packed daemon of a release. */
export const packedPath = (of: Release): string => `/daemon-${releaseName(of)}.tgz`;

const numbers = (version: string): number[] => version.split(/[.-]/, 3).map(Number);

/**
 * Compares `offered` with a machine's `own` release. Another build of the same version counts as newer. A
 * release without a build is compared by its version.
 */
export const compareReleases = (own: Release, offered: Release): 'same' | 'newer' | 'older' => {
  const [ours, theirs] = [numbers(own.version), numbers(offered.version)];
  const step = theirs.map((number, at) => number - (ours[at] ?? 0)).find((difference) => difference !== 0);
  if (step !== undefined) return step > 0 ? 'newer' : 'older';
  if (own.version !== offered.version) return 'newer';
  return own.build === undefined || offered.build === undefined || own.build === offered.build
    ? 'same'
    : 'newer';
};

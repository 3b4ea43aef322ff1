import { statfs } from 'node:fs/promises';
import type { Check } from './check.ts';

const lowest = [22, 13] as const;

export const checkNode = (version: string): Check => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isEnough = major > lowest[0] || (major === lowest[0] && minor >= lowest[1]);
  if (isEnough) return { name: 'node', state: 'ok', says: version };
  return {
    name: 'node',
    state: 'problem',
    says: `${version} is older than ${lowest.join('.')}`,
    fix: 'Install a newer Node, for example from nodejs.org.',
  };
};

const mebibyte = 1024 * 1024;
export const lowDiskBytes = 256 * mebibyte;
export const fullDiskBytes = 32 * mebibyte;

export const evaluateDisk = (freeBytes: number): Check => {
  const says = `${Math.floor(freeBytes / mebibyte)} MiB free`;
  const fix = 'Free some space: without it nothing can be changed, and results cannot be kept.';
  if (freeBytes < fullDiskBytes) return { name: 'disk', state: 'problem', says, fix };
  if (freeBytes < lowDiskBytes) return { name: 'disk', state: 'warning', says, fix };
  return { name: 'disk', state: 'ok', says };
};

export const checkDisk = async (folder: string): Promise<Check> => {
  const { bavail, bsize } = await statfs(folder);
  return evaluateDisk(bavail * bsize);
};

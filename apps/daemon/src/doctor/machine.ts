import { statfs } from 'node:fs/promises';
import { isNewEnough, leastNode } from '../program/node-version.ts';
import { sizeOfCaches } from '../tools/shell/network/caches.ts';
import type { Check } from './check.ts';

export const checkNode = (version: string): Check => {
  if (isNewEnough(version)) return { name: 'node', state: 'ok', says: version };
  return {
    name: 'node',
    state: 'problem',
    says: `${version} is older than ${leastNode.join('.')}`,
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

/** What package tools of commands have downloaded. */
export const checkCaches = async (base: string): Promise<Check> => {
  const bytes = await sizeOfCaches(base);
  const says = `${Math.ceil(bytes / mebibyte)} MiB downloaded by package tools of commands`;
  return { name: 'cache', state: 'ok', says };
};

export const checkDisk = async (folder: string): Promise<Check> => {
  const { bavail, bsize } = await statfs(folder);
  return evaluateDisk(bavail * bsize);
};

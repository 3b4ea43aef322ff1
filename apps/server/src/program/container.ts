import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What Docker, Podman and Kubernetes put into their containers. */
const marks = ['.dockerenv', 'run/.containerenv', 'run/secrets/kubernetes.io'];
const groups = /\/(docker|libpod|cri-containerd)[-/]|\/kubepods/;

const cgroupOf = (root: string): string => {
  try {
    return readFileSync(join(root, 'proc/1/cgroup'), 'utf8');
  } catch {
    return '';
  }
};

/** Whether this process runs in a container: the files that it sees are not those of a person. */
export const isInContainer = (root = '/'): boolean =>
  marks.some((mark) => existsSync(join(root, mark))) || groups.test(cgroupOf(root));

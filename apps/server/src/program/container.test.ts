import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { isInContainer } from './container.ts';

it.each([
  ['a machine', 'proc/1/cgroup', '0::/init.scope\n', false],
  ['a machine that runs Docker', 'proc/1/cgroup', '0::/system.slice/docker.service\n', false],
  ['Docker', '.dockerenv', '', true],
  ['Podman', 'run/.containerenv', '', true],
  ['Kubernetes', 'run/secrets/kubernetes.io/token', '', true],
  ['containerd', 'proc/1/cgroup', '1:name=systemd:/kubepods/besteffort/pod1\n', true],
  ['Docker with the first version of cgroups', 'proc/1/cgroup', '5:cpu:/docker/abc\n', true],
])('tells %s', (_what, file, text, expected) => {
  const root = mkdtempSync(join(tmpdir(), 'root-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  expect(isInContainer(root)).toBe(false);
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
  expect(isInContainer(root)).toBe(expected);
});

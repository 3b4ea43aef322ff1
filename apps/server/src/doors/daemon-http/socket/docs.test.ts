import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readSocketPath, socketPosts } from '@drawbridge/contracts/link/socket';
import { expect, it } from 'vitest';

const page = fileURLToPath(new URL('../../../../../../docs/protocol.md', import.meta.url));

it('ND: docs/protocol.md names the paths of posts as the socket takes them, and no other', () => {
  const row =
    /^\| daemon \| `\{ id, path, body \}` \| a post: (.+) \|$/m.exec(readFileSync(page, 'utf8'))?.[1] ?? '';
  const paths = [...row.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
  expect(paths.map((path) => readSocketPath(path)?.post)).toEqual([...socketPosts]);
});

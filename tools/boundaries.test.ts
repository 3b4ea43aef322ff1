import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { checkBoundaries, houseRules } from './boundaries.ts';

const planted = fileURLToPath(new URL('fixtures/boundaries', import.meta.url));
const blind = fileURLToPath(new URL('fixtures/blind.cjs', import.meta.url));

it('names every planted violation, in scripts and in .vue files, and nothing else', async () => {
  expect(await checkBoundaries({ root: planted, config: houseRules })).toEqual({
    violations: [
      'app-on-top: apps/server/src/reaches-app.ts -> apps/server/src/app.ts',
      'contracts-alone: packages/contracts/src/climbs.ts -> packages/kit/src/index.ts',
      'daemon-alone: apps/daemon/src/reaches-server.ts -> apps/server/src/errors.ts',
      'db-for-stores: apps/server/src/auth/reads-db.ts -> apps/server/src/db/index.ts',
      'doors-apart: apps/server/src/doors/trpc/knows-mcp.ts -> apps/server/src/doors/mcp/index.ts',
      'doors-front-only: apps/server/src/doors/trpc/knows-config.ts -> apps/server/src/config.ts',
      'doors-front-only: apps/server/src/doors/trpc/knows-mcp.ts -> apps/server/src/doors/mcp/index.ts',
      'front-door-gateway: apps/server/src/reaches-behind.ts -> apps/server/src/gateway/calls.ts',
      'gateway-alone: apps/server/src/gateway/knows-auth.ts -> apps/server/src/auth/index.ts',
      'kit-alone: packages/kit/src/climbs.ts -> packages/contracts/src/index.ts',
      'no-cycles: apps/daemon/src/about.ts -> apps/daemon/src/round.ts',
      'no-tests-in-code: apps/daemon/src/leans-on-test.ts -> apps/daemon/src/own.test.ts',
      'packages-front-door: apps/daemon/src/reaches-inner.ts -> packages/contracts/src/inner.ts',
      'resolves: apps/daemon/src/lost.ts -> ./gone.ts',
      'server-alone: apps/server/src/reaches-daemon.ts -> apps/daemon/src/lost.ts',
      'web-alone: apps/web/src/takes.vue -> apps/server/src/errors.ts',
      'web-types-only: apps/web/src/takes-value.ts -> apps/server/src/doors/trpc/index.ts',
    ],
    unseen: [],
    seen: 34,
  });
});

it('names the files that the cruiser passed over', async () => {
  expect(await checkBoundaries({ root: planted, config: blind })).toMatchObject({
    unseen: ['apps/web/src/takes.vue'],
    seen: 33,
  });
});

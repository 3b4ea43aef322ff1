import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { checkBoundaries, folderCircles, houseRules } from './boundaries.ts';

const planted = fileURLToPath(new URL('fixtures/boundaries', import.meta.url));
const blind = fileURLToPath(new URL('fixtures/blind.cjs', import.meta.url));

it('names every planted violation, in scripts and in .vue files, and nothing else', async () => {
  expect(await checkBoundaries({ root: planted, config: houseRules })).toEqual({
    violations: [
      'agent-alone: packages/agent/src/climbs.ts -> apps/server/src/errors.ts',
      'agent-context: packages/agent/src/api/takes-context.ts -> packages/agent/src/engine/context.ts',
      'agent-layers: packages/agent/src/rows/climbs.ts -> packages/agent/src/engine/own.ts',
      'agent-view-alone: packages/agent/src/view/climbs.ts -> packages/agent/src/own.ts',
      'app-on-top: apps/server/src/reaches-app.ts -> apps/server/src/app.ts',
      'callers-alone: apps/server/src/callers/knows-http.ts -> apps/server/src/http/index.ts',
      'callers-auth-types: apps/server/src/callers/takes-auth.ts -> apps/server/src/auth/index.ts',
      'contracts-alone: packages/contracts/src/climbs.ts -> packages/kit/src/index.ts',
      'daemon-alone: apps/daemon/src/reaches-server.ts -> apps/server/src/errors.ts',
      'daemon-commands: apps/daemon/src/commands/climbs.ts -> apps/daemon/src/cli.ts',
      'daemon-doctor: apps/daemon/src/doctor/climbs.ts -> apps/daemon/src/commands/own.ts',
      'daemon-install: apps/daemon/src/install/climbs.ts -> apps/daemon/src/service/own.ts',
      'daemon-journal: apps/daemon/src/journal/climbs.ts -> apps/daemon/src/log/own.ts',
      'daemon-link: apps/daemon/src/link/climbs.ts -> apps/daemon/src/status/own.ts',
      'daemon-log: apps/daemon/src/log/climbs.ts -> apps/daemon/src/journal/own.ts',
      'daemon-paths: apps/daemon/src/paths/climbs.ts -> apps/daemon/src/journal/own.ts',
      'daemon-permission: apps/daemon/src/permission/climbs.ts -> apps/daemon/src/tools/common/own.ts',
      'daemon-private-files: apps/daemon/src/private-files/climbs.ts -> apps/daemon/src/paths/own.ts',
      'daemon-processes: apps/daemon/src/processes/climbs.ts -> apps/daemon/src/paths/own.ts',
      'daemon-program: apps/daemon/src/program/climbs.ts -> apps/daemon/src/processes/own.ts',
      'daemon-service: apps/daemon/src/service/climbs.ts -> apps/daemon/src/status/own.ts',
      'daemon-status: apps/daemon/src/status/climbs.ts -> apps/daemon/src/terminal/own.ts',
      'daemon-terminal: apps/daemon/src/terminal/climbs.ts -> apps/daemon/src/install/own.ts',
      'daemon-text: apps/daemon/src/text/climbs.ts -> apps/daemon/src/program/own.ts',
      'daemon-tools-browser: apps/daemon/src/tools/browser/climbs.ts -> apps/daemon/src/tools/computer/own.ts',
      'daemon-tools-common: apps/daemon/src/tools/common/climbs.ts -> apps/daemon/src/tools/browser/own.ts',
      'daemon-tools-computer: apps/daemon/src/tools/computer/climbs.ts -> apps/daemon/src/tools/filesystem/own.ts',
      'daemon-tools-filesystem: apps/daemon/src/tools/filesystem/climbs.ts -> apps/daemon/src/tools/mcp/own.ts',
      'daemon-tools-mcp: apps/daemon/src/tools/mcp/climbs.ts -> apps/daemon/src/tools/shell/own.ts',
      'daemon-tools-shell: apps/daemon/src/tools/shell/climbs.ts -> apps/daemon/src/tools/system/own.ts',
      'daemon-tools-system: apps/daemon/src/tools/system/climbs.ts -> apps/daemon/src/tools/browser/own.ts',
      'daemon-tools: apps/daemon/src/tools/climbs.ts -> apps/daemon/src/link/own.ts',
      'daemon-unlisted: apps/daemon/src/annex/settles.ts -> apps/daemon/src/text/own.ts',
      'daemon-without-e2e: apps/daemon/src/reaches-e2e.ts -> e2e/services.ts',
      'db-for-stores: apps/server/src/auth/reads-db.ts -> apps/server/src/db/index.ts',
      'doors-apart: apps/server/src/doors/trpc/knows-mcp.ts -> apps/server/src/doors/mcp/index.ts',
      'doors-front-only: apps/server/src/doors/trpc/knows-callers-inside.ts -> apps/server/src/callers/inner.ts',
      'doors-front-only: apps/server/src/doors/trpc/knows-config.ts -> apps/server/src/config.ts',
      'doors-front-only: apps/server/src/doors/trpc/knows-mcp.ts -> apps/server/src/doors/mcp/index.ts',
      'front-door-callers: apps/server/src/doors/trpc/knows-callers-inside.ts -> apps/server/src/callers/inner.ts',
      'front-door-gateway: apps/server/src/reaches-behind.ts -> apps/server/src/gateway/calls.ts',
      'gateway-alone: apps/server/src/gateway/knows-auth.ts -> apps/server/src/auth/index.ts',
      'gateway-layers: apps/server/src/gateway/settings/climbs.ts -> apps/server/src/gateway/calls/own.ts',
      'ground-floor: apps/server/src/secrets/climbs.ts -> apps/server/src/errors.ts',
      'kit-alone: packages/kit/src/climbs.ts -> packages/contracts/src/topic.ts',
      'mcp-layers: apps/server/src/doors/mcp/tools/climbs.ts -> apps/server/src/doors/mcp/transport/post.ts',
      'mcp-ways-apart: apps/server/src/doors/mcp/fast-path/knows-sdk.ts -> apps/server/src/doors/mcp/sdk/sdk-server.ts',
      'no-cycles: apps/daemon/src/about.ts -> apps/daemon/src/round.ts',
      'no-cycles: apps/daemon/src/link/circle-end.ts -> apps/daemon/src/link/circle.ts',
      'no-cycles: apps/server/src/circle-of-types.ts -> apps/server/src/circle.ts',
      'no-tests-in-code: apps/daemon/src/leans-on-test.ts -> apps/daemon/src/own.test.ts',
      'packages-front-door: apps/daemon/src/reaches-inner.ts -> packages/kit/src/inner.ts',
      'panel-layers: apps/web/src/features/session/climbs.ts -> apps/web/src/features/shell/own.ts',
      'panel-unlisted: apps/web/src/features/round/here/first.ts -> apps/web/src/features/round/there/second.ts',
      'panel-unlisted: apps/web/src/features/round/there/fourth.ts -> apps/web/src/features/round/here/third.ts',
      'resolves: apps/daemon/src/lost.ts -> ./gone.ts',
      'rpc-alone: apps/server/src/rpc/knows-gateway.ts -> apps/server/src/gateway/index.ts',
      'server-alone: apps/server/src/reaches-daemon.ts -> apps/daemon/src/lost.ts',
      'web-alone: apps/web/src/takes.vue -> apps/server/src/errors.ts',
      'web-types-only: apps/web/src/takes-value.ts -> apps/server/src/doors/trpc/index.ts',
    ],
    unseen: [],
    seen: 117,
  });
});

it('names the files that the cruiser passed over', async () => {
  expect(await checkBoundaries({ root: planted, config: blind })).toMatchObject({
    unseen: ['apps/web/src/takes.vue'],
    seen: 116,
  });
});

it('names each arrow of a planted circle of folders, whose files form none', async () => {
  const round = 'apps/web/src/features/round';
  expect(await folderCircles({ root: planted, config: houseRules })).toEqual(
    expect.arrayContaining([`${round}/here -> ${round}/there`, `${round}/there -> ${round}/here`]),
  );
});

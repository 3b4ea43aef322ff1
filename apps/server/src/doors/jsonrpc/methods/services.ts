import {
  dockerDependencies,
  dockerDependencyControlParams,
  dockerDependencyControlled,
  localBackendControlParams,
  localBackendControlled,
  localBackends,
  observabilitySeries,
  observabilitySources,
  seriesParams,
  serviceLogs,
  serviceLogsParams,
} from '@drawbridge/contracts/rpc/ops';
import { noParams } from '@drawbridge/contracts/rpc/system';
import { errors } from '../../../errors.ts';
import { controlService } from '../../../ops/index.ts';
import type { RpcContext } from '../context.ts';
import { method } from '../method.ts';

export const systemObservabilitySources = method('system.observabilitySources', 'operate', {
  params: noParams,
  result: observabilitySources,
}).handle(async ({ ops }, { connection: { identity } }) => ops.sources(identity.userId));

export const systemObservabilitySeries = method('system.observabilitySeries', 'operate', {
  params: seriesParams,
  result: observabilitySeries,
}).handle(async ({ ops }, { connection: { identity }, params }) => ops.series(identity.userId, params));

export const systemServiceLogs = method('system.serviceLogs', 'operate', {
  params: serviceLogsParams,
  result: serviceLogs,
}).handle(async ({ ops }, { connection: { identity }, params }) => ops.logs(identity.userId, params));

/** Throws `notAvailable` unless the administrator has set `OPS_CONTROL`. */
const requireControl = ({ ops }: RpcContext) => {
  if (!ops.hasControl)
    throw errors.notAvailable({
      message: 'This server does not control services',
      fix: 'Set OPS_CONTROL=true and restart the server.',
    });
  return ops.services;
};

/** As lists of services say whether they could be read. */
const availability = ({ reason }: { reason?: string }) =>
  reason === undefined ? { available: true } : { available: false, reason };

export const systemLocalBackends = method('system.localBackends', 'operate', {
  params: noParams,
  result: localBackends,
}).handle(async ({ ops }) => {
  const listed = await ops.services.models.list();
  return { backends: listed.services.map(({ view }) => view), ...availability(listed) };
});

/** Pulling models reports its progress as `content`. */
export const systemLocalBackendControl = method('system.localBackendControl', 'owner', {
  params: localBackendControlParams,
  result: localBackendControlled,
}).handle(async (ctx, { params: { backend, action }, event }) => {
  const onProgress = (text: string) => event({ event: 'content', data: { text } });
  const { view } = await controlService(requireControl(ctx).models, { id: backend, action }, onProgress);
  return { backend, action, status: view };
});

export const systemDockerDependencies = method('system.dockerDependencies', 'operate', {
  params: noParams,
  result: dockerDependencies,
}).handle(async ({ ops }) => {
  const listed = await ops.services.docker.list();
  return { dependencies: listed.services, ...availability(listed) };
});

const pastTense = { start: 'Started', restart: 'Restarted', stop: 'Stopped', update: 'Updated' } as const;

export const systemDockerDependencyControl = method('system.dockerDependencyControl', 'owner', {
  params: dockerDependencyControlParams,
  result: dockerDependencyControlled,
}).handle(async (ctx, { params: { dependency, action } }) => {
  const status = await controlService(requireControl(ctx).docker, { id: dependency, action });
  const message = `${pastTense[action]} ${status.service} container.`;
  return { dependency, action, status, message };
});

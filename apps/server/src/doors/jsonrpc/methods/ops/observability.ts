import {
  observabilitySeries,
  observabilitySources,
  seriesParams,
  serviceLogs,
  serviceLogsParams,
} from '@drawbridge/contracts/rpc/ops';
import { noParams } from '@drawbridge/contracts/rpc/system';
import { method } from '../../method.ts';

export const systemObservabilitySources = method({
  name: 'system.observabilitySources',
  who: 'operate',
  params: noParams,
  result: observabilitySources,
}).handle(async ({ ops }, { connection: { identity } }) => ops.sources(identity.userId));

export const systemObservabilitySeries = method({
  name: 'system.observabilitySeries',
  who: 'operate',
  params: seriesParams,
  result: observabilitySeries,
}).handle(async ({ ops }, { connection: { identity }, params }) => ops.series(identity.userId, params));

export const systemServiceLogs = method({
  name: 'system.serviceLogs',
  who: 'operate',
  params: serviceLogsParams,
  result: serviceLogs,
}).handle(async ({ ops }, { connection: { identity }, params }) => ops.logs(identity.userId, params));

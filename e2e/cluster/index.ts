export { startCluster as startPostgres } from '../../tools/postgres/cluster.ts';
export { toServer } from './balancer.ts';
export { startServers, type ServerCluster } from './cluster.ts';

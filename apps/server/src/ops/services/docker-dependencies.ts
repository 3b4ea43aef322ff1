import type { DockerDependency, ServiceAction } from '@drawbridge/contracts/rpc/ops';
import { errors } from '../../errors.ts';
import type { Compose, ComposeService } from './docker.ts';

const actionsOf = ({ state }: ComposeService): ServiceAction[] => {
  if (state === 'running') return ['restart', 'stop', 'update'];
  return state === 'absent' ? ['update'] : ['start', 'update'];
};

const pastTense = {
  start: 'Started',
  restart: 'Restarted',
  stop: 'Stopped',
  update: 'Updated',
} as const satisfies Record<ServiceAction, string>;

/** Services that run beside the server by Docker Compose. */
export const createDockerDependencies = (compose: Compose, hasControl: boolean) => {
  const view = (service: ComposeService): DockerDependency => ({
    ...service,
    id: service.service,
    configured: true,
    containerName: service.containerName ?? '',
    availableActions: hasControl ? actionsOf(service) : [],
  });
  const list = async () => {
    const listed = await compose.services();
    return listed.kind === 'listed'
      ? { dependencies: listed.services.map(view), available: true }
      : { dependencies: [], available: false, reason: listed.reason };
  };
  const require = async (id: string): Promise<DockerDependency> => {
    const one = (await list()).dependencies.find((dependency) => dependency.id === id);
    if (!one) throw errors.notFound();
    return one;
  };
  return {
    list,
    /** Throws `notFound` for an id that `list` does not have, `notAvailable`, `timedOut`. */
    control: async (id: string, action: ServiceAction) => {
      const { service } = await require(id);
      const done =
        action === 'update' ? await compose.update(service) : await compose.control(service, action);
      if (done.kind === 'timed-out') throw errors.timedOut({ message: 'Docker did not finish in time' });
      if (done.kind === 'missing' || done.code !== 0)
        throw errors.notAvailable({ message: 'Docker refused the action' });
      const message = `${pastTense[action]} ${service} container.`;
      return { dependency: id, action, status: await require(id), message };
    },
  };
};

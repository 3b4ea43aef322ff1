import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { z } from 'zod';
import { describeWith } from '../e2e/services.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(root + path, 'utf8');
const known = new Set(
  [...read('docs/configuration.md').matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name]) => name),
);
const isKnown = (name: string) => known.has(name.replace(/_FILE$/, ''));

const chart = 'deploy/helm/drawbridge';

/**
 * Renders the part of Helm's templates that this chart uses, and throws for anything else: there is no package
 * of Helm for Debian or npm.
 */
const render = (template: string, scope: Record<string, unknown>): string => {
  const valueOf = (path: string): unknown =>
    path
      .slice(1)
      .split('.')
      .reduce<unknown>((at, key) => {
        if (typeof at !== 'object' || at === null || !(key in at)) throw new Error(`${path} is not a value`);
        return (at as Record<string, unknown>)[key];
      }, scope);
  const isTrue = (value: unknown) => (Array.isArray(value) ? value.length > 0 : Boolean(value));
  const first = (text: string): unknown => {
    const [, name, sentence, path = text] =
      /^(?:(required) "([^"]+)" |(?:toYaml) )?(\.\S+)$/.exec(text) ?? [];
    const value = valueOf(path);
    if (name !== undefined && !isTrue(value)) throw new Error(sentence);
    return text.startsWith('toYaml ') ? stringify(value).trimEnd() : value;
  };
  const step = (value: unknown, text: string): unknown => {
    const [name = '', argument = ''] = text.split(' ');
    if (name === 'quote') return JSON.stringify(String(value));
    if (name === 'default') return isTrue(value) ? value : valueOf(argument);
    if (name === 'nindent') return `\n${String(value).replaceAll(/^/gm, ' '.repeat(Number(argument)))}`;
    throw new Error(`${text} is not known here`);
  };
  const open: boolean[] = [];
  const parts = template.split(/(\s*\{\{- [^}]*\}\}|\{\{ [^}]*\}\})/);
  return parts
    .map((part) => {
      const action = /^\s*\{\{-? (.*?) \}\}$/.exec(part)?.[1];
      const [, not, condition] = /^if (not )?(\S+)$/.exec(action ?? '') ?? [];
      if (action === 'end') open.pop();
      else if (condition !== undefined) open.push(isTrue(valueOf(condition)) === (not === undefined));
      else if (open.every(Boolean)) {
        if (action === undefined) return part;
        const [begin = '', ...steps] = action.split(' | ');
        return String(steps.reduce(step, first(begin)));
      }
      return '';
    })
    .join('');
};

const kubernetes = z.looseObject({
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
  spec: z.looseObject({}),
});
const values = z.looseObject({}).parse(parse(read(`${chart}/values.yaml`)));
/** All objects of the chart, by their kind. */
const objects = (more: object) => {
  const scope = {
    Values: { ...values, publicUrl: 'https://bridge.example.org', ...more },
    Release: { Name: 'bridge' },
    Chart: { AppVersion: parse(read(`${chart}/Chart.yaml`)).appVersion },
  };
  const texts = readdirSync(`${root}${chart}/templates`).map((file) =>
    render(read(`${chart}/templates/${file}`), scope),
  );
  const all = texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as unknown));
  const found = all.filter((one) => one !== null).map((one) => kubernetes.parse(one));
  return Object.fromEntries(found.map((one) => [one.kind, one]));
};
const pod = z.object({
  template: z.looseObject({
    spec: z.looseObject({
      terminationGracePeriodSeconds: z.number(),
      containers: z.tuple([
        z.looseObject({
          image: z.string(),
          env: z.array(z.object({ name: z.string(), value: z.string() })),
          securityContext: z.looseObject({ readOnlyRootFilesystem: z.boolean() }),
          volumeMounts: z.array(z.looseObject({ mountPath: z.string() })),
        }),
      ]),
    }),
  }),
});

it('the chart: three servers whose secrets are files, and which may drain', () => {
  const made = objects({ env: [{ name: 'LOG_LEVEL', value: 'info' }] });
  expect(Object.keys(made).toSorted()).toEqual(['Deployment', 'PodDisruptionBudget', 'Service']);
  const { spec } = pod.parse(made['Deployment']?.spec).template;
  const [server] = spec.containers;
  const env = Object.fromEntries(server.env.map(({ name, value }) => [name, value]));
  expect(env).toMatchObject({ PUBLIC_URL: 'https://bridge.example.org', LOG_LEVEL: 'info' });
  expect(Object.keys(env).filter((name) => !isKnown(name))).toEqual([]);
  for (const name of ['SECRET', 'DATABASE_URL', 'REDIS_URL'])
    expect([env[name], env[`${name}_FILE`]]).toEqual([undefined, `/run/secrets/drawbridge/${name}`]);
  expect(spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(Number(env['DRAIN_SECONDS']) + 10);
  expect(server.image).toBe('drawbridge:0.1.0');
  expect(server).toMatchObject({
    readinessProbe: { httpGet: { path: '/ready' } },
    securityContext: { readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    resources: { limits: { memory: '1Gi' } },
  });
  expect(server.volumeMounts.map(({ mountPath }) => mountPath)).toEqual([
    '/data',
    '/tmp',
    '/run/secrets/drawbridge',
  ]);
  expect(made['Deployment']?.spec).toMatchObject({
    replicas: 3,
    strategy: { rollingUpdate: { maxUnavailable: 0 } },
  });
});

it('the chart: with an autoscaler it counts no replicas; an ingress leads to the service', () => {
  const ingress = { ...(values['ingress'] as object), enabled: true, host: 'bridge.example.org' };
  const autoscaling = { ...(values['autoscaling'] as object), enabled: true };
  const made = objects({ ingress, autoscaling });
  expect(made['Deployment']?.spec).not.toHaveProperty('replicas');
  expect(made['HorizontalPodAutoscaler']?.spec).toMatchObject({ minReplicas: 3, maxReplicas: 6 });
  const name = made['Service']?.metadata.name;
  expect(made['Ingress']).toMatchObject({
    metadata: { annotations: { 'nginx.ingress.kubernetes.io/proxy-buffering': 'off' } },
    spec: { rules: [{ host: 'bridge.example.org', http: { paths: [{ backend: { service: { name } } }] } }] },
  });
});

it('the chart: without the address that people type it is refused', () => {
  expect(() => objects({ publicUrl: '' })).toThrow('publicUrl is the https address');
});

it('compose: three servers without a volume, whose secrets are files, and which may drain', () => {
  const service = z.looseObject({ environment: z.record(z.string(), z.string()).default({}) });
  const { services, secrets } = z
    .looseObject({
      services: z.record(z.string(), service),
      secrets: z.record(z.string(), z.object({ file: z.string() })),
    })
    .parse(parse(read('compose.servers.yaml')));
  expect(Object.keys(services)).toEqual(['balancer', 'server', 'postgres', 'redis']);
  const server = services['server'];
  expect(server).toMatchObject({
    deploy: { replicas: 3 },
    read_only: true,
    cap_drop: ['ALL'],
    stop_grace_period: '45s',
  });
  expect(server).not.toHaveProperty('volumes');
  const env = server?.environment ?? {};
  expect(Object.keys(env).filter((name) => !isKnown(name))).toEqual([]);
  expect([env['SECRET_FILE'], env['DATABASE_URL_FILE']]).toEqual([
    '/run/secrets/secret',
    '/run/secrets/database_url',
  ]);
  const lines = read('.gitignore').split('\n');
  for (const { file } of Object.values(secrets)) expect(file.startsWith('./secrets/')).toBe(true);
  expect([lines.includes('/secrets/'), read('.dockerignore').split('\n').includes('secrets')]).toEqual([
    true,
    true,
  ]);
});

describeWith('haproxy')('the balancer of compose.servers.yaml', () => {
  it('is a valid configuration', () => {
    const args = ['-c', '-f', `${root}deploy/servers/haproxy.cfg`];
    const { status, stderr } = spawnSync('haproxy', args, { encoding: 'utf8' });
    expect([status, stderr.replaceAll(/^\[NOTICE\].*\n/gm, '')]).toEqual([0, '']);
  });
});

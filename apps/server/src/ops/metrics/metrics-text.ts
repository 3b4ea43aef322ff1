/** A number, or one for each combination of labels. Labels never contain what users write. */
export interface Metric {
  name: string;
  type: 'gauge' | 'counter';
  help: string;
  values: number | null | readonly { labels: Readonly<Record<string, string>>; value: number }[];
}

/** One value for each name, which becomes the label. */
export const byLabel = (label: string, values: Readonly<Record<string, number>>) =>
  Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value }));

const escaped = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

const labelled = (name: string, labels: Readonly<Record<string, string>>): string => {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escaped(value)}"`);
  return pairs.length === 0 ? name : `${name}{${pairs.join(',')}}`;
};

/** The text format 0.0.4 of Prometheus. A metric without values is left out. */
export const metricsText = (metrics: readonly Metric[]): string =>
  metrics
    .flatMap(({ name, type, help, values }) => {
      const all = typeof values === 'number' ? [{ labels: {}, value: values }] : (values ?? []);
      if (all.length === 0) return [];
      const lines = all.map(({ labels, value }) => `${labelled(name, labels)} ${value}`);
      return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines];
    })
    .map((line) => `${line}\n`)
    .join('');

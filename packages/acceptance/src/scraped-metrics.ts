import type { Stack, StackServiceName } from '@cobro/local-stack'

/** The exposed metrics: for each metric its labels, and for each label its values. */
export type Metrics = Map<string, Map<string, Set<string>>>

/** Scrapes all services of a stack as Prometheus does, which adds `job`, `instance` and `up`. */
export async function scrapeMetrics({ services }: Stack): Promise<Metrics> {
  const metrics: Metrics = new Map()
  for (const [job, { metrics_url }] of Object.entries(services)) {
    const asked = { job, instance: new URL(metrics_url).host }
    record(metrics, 'up', asked)
    for (const [name, labels] of await scrape(metrics_url)) record(metrics, name, { ...labels, ...asked })
  }
  return metrics
}

/** Returns the value of a service's metric without labels. */
export async function metricOf({ services }: Stack, job: StackServiceName, name: string): Promise<number | undefined> {
  const samples = await scrape(services[job]?.metrics_url ?? '')
  return samples.find(([found]) => found === name)?.[2]
}

/** Returns the metrics that a service reports as unreadable. */
export async function unreadableMetrics({ services }: Stack, job: StackServiceName): Promise<string[]> {
  const samples = await scrape(services[job]?.metrics_url ?? '')
  return samples.flatMap(([name, { metric = '' }, value]) =>
    name === 'cobro_metric_readable' && value === 0 ? [metric] : [],
  )
}

const scrape = async (url: string) => samplesOf(await (await fetch(url)).text())

function record(metrics: Metrics, name: string, labels: Record<string, string>): void {
  const metric = metrics.get(name) ?? new Map<string, Set<string>>()
  metrics.set(name, metric)
  for (const [label, value] of Object.entries(labels)) metric.set(label, (metric.get(label) ?? new Set()).add(value))
}

/** Parses the samples of Prometheus' text format. */
export function samplesOf(text: string): [name: string, labels: Record<string, string>, value: number][] {
  const lines = text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  return lines.map(line => {
    const [, name = '', labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)/.exec(line) ?? []
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)]
    return [name, Object.fromEntries(pairs.map(([, label, text]) => [label, text ?? ''])), numberOf(value)]
  })
}

const numberOf = (text: string | undefined) => Number(text?.replace('Inf', 'Infinity'))

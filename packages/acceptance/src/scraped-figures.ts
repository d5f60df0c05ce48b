import type { Stack, StackServiceName } from '@cobro/local-stack'

/** What services expose: of each figure its labels, and of each label what was seen there. */
export type Figures = Map<string, Map<string, Set<string>>>

/** Reads the figures of all services of a stack as Prometheus does, which adds who was asked, and whether they answered. */
export async function scrapeFigures({ services }: Stack): Promise<Figures> {
  const figures: Figures = new Map()
  for (const [job, { metrics_url }] of Object.entries(services)) {
    const asked = { job, instance: new URL(metrics_url).host }
    note(figures, 'up', asked)
    for (const [name, labels] of await scrape(metrics_url)) note(figures, name, { ...labels, ...asked })
  }
  return figures
}

/** What a service says that a figure is which has no labels. */
export async function figureOf({ services }: Stack, job: StackServiceName, name: string): Promise<number | undefined> {
  const samples = await scrape(services[job]?.metrics_url ?? '')
  return samples.find(([found]) => found === name)?.[2]
}

/** The figures that a service says it cannot read now. */
export async function unreadableFigures({ services }: Stack, job: StackServiceName): Promise<string[]> {
  const samples = await scrape(services[job]?.metrics_url ?? '')
  return samples.flatMap(([name, { figure = '' }, value]) =>
    name === 'cobro_figure_readable' && value === 0 ? [figure] : [],
  )
}

const scrape = async (url: string) => samplesOf(await (await fetch(url)).text())

function note(figures: Figures, name: string, labels: Record<string, string>): void {
  const figure = figures.get(name) ?? new Map<string, Set<string>>()
  figures.set(name, figure)
  for (const [label, value] of Object.entries(labels)) figure.set(label, (figure.get(label) ?? new Set()).add(value))
}

/** The samples of Prometheus' text format. */
export function samplesOf(text: string): [name: string, labels: Record<string, string>, value: number][] {
  const lines = text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  return lines.map(line => {
    const [, name = '', labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)/.exec(line) ?? []
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)]
    return [name, Object.fromEntries(pairs.map(([, label, text]) => [label, text ?? ''])), numberOf(value)]
  })
}

const numberOf = (text: string | undefined) => Number(text?.replace('Inf', 'Infinity'))

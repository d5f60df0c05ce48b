import { type Attributes, type MetricOptions, metrics, type Observable } from '@opentelemetry/api'
import { within } from '../within.ts'

/** What the services count and measure themselves. Where telemetry was not loaded nothing is kept. */
export const meter = metrics.getMeter('cobro')

/** One figure, and which of several it is. */
export interface Reading {
  value: number
  of?: Attributes
}

const readWithinMs = 2_000

/** An alert on a figure that is gone keeps silent, so whether each could be read is a figure too, which is never gone. */
const readable = meter.createObservableGauge('cobro.figure.readable', {
  description: 'Whether a figure could be read: 1, or 0 where what it is read from is away',
})

/**
 * Measures something when somebody looks: `read` is asked at each scrape, for at most 2 s. What cannot be read has no figure then,
 * which tells more than an old one would, and `cobro.figure.readable` says so. Where several reads make up one figure, `of` says
 * which of them this is.
 */
export function observe(name: string, { of, ...options }: MetricOptions & { of?: Attributes }, read: Read): void {
  readAtScrapes(meter.createObservableGauge(name, options), read, { figure: scrapedName(name), ...of })
}

/** The same for what only grows while the process lives, so that rates can be taken of it. */
export function observeTotal(name: string, options: MetricOptions, read: Read): void {
  readAtScrapes(meter.createObservableCounter(name, options), read, { figure: `${scrapedName(name)}_total` })
}

type Read = () => Reading[] | Promise<Reading[]>

function readAtScrapes(figure: Observable, read: Read, which: Attributes): void {
  meter.addBatchObservableCallback(
    async result => {
      const readings = await within(readWithinMs, (async () => read())()).catch(() => undefined)
      result.observe(readable, readings ? 1 : 0, which)
      for (const { value, of } of readings ?? []) result.observe(figure, value, of)
    },
    [readable, figure],
  )
}

/** Prometheus knows no dots. */
const scrapedName = (name: string) => name.replaceAll('.', '_')

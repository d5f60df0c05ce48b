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

/**
 * Measures something when somebody looks: `read` is asked at each scrape, for at most 2 s. What cannot be read has no figure then,
 * which tells more than an old one would.
 */
export function observe(name: string, options: MetricOptions, read: Read): void {
  readAtScrapes(meter.createObservableGauge(name, options), read)
}

/** The same for what only grows while the process lives, so that rates can be taken of it. */
export function observeTotal(name: string, options: MetricOptions, read: Read): void {
  readAtScrapes(meter.createObservableCounter(name, options), read)
}

type Read = () => Reading[] | Promise<Reading[]>

function readAtScrapes(figure: Observable, read: Read): void {
  figure.addCallback(async result => {
    const readings = (await within(readWithinMs, (async () => read())()).catch(() => undefined)) ?? []
    for (const { value, of } of readings) result.observe(value, of)
  })
}

import {
  type Attributes,
  type BatchObservableResult,
  type MetricOptions,
  metrics,
  type Observable,
} from '@opentelemetry/api'
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
 * Measures something when somebody looks: `read` is asked at each scrape, for at most 2 s. What cannot be read is not a number then,
 * nor is what a reading no longer names, and `cobro.figure.readable` says which of the two it is. Where several reads make up one
 * figure, `of` says which of them this is.
 */
export function observe(name: string, { of, ...options }: MetricOptions & { of?: Attributes }, read: Read): void {
  const gauge = meter.createObservableGauge(name, options)
  const known = new Map<string, Attributes | undefined>()
  readAtScrapes(gauge, read, { figure: scrapedName(name), ...of }, (result, readings) => {
    for (const { of } of readings) known.set(JSON.stringify(of), of)
    // What is not observed keeps its last value for ever, and a replica that is blind would hold up or hide what the others see.
    for (const of of known.values()) result.observe(gauge, Number.NaN, of)
    for (const { value, of } of readings) result.observe(gauge, value, of)
  })
}

/** The same for what only grows while the process lives, so that rates can be taken of it. What cannot be read stands still. */
export function observeTotal(name: string, options: MetricOptions, read: Read): void {
  const total = meter.createObservableCounter(name, options)
  readAtScrapes(total, read, { figure: `${scrapedName(name)}_total` }, (result, readings) => {
    for (const { value, of } of readings) result.observe(total, value, of)
  })
}

type Read = () => Reading[] | Promise<Reading[]>
type Note = (result: BatchObservableResult, readings: Reading[]) => void

function readAtScrapes(figure: Observable, read: Read, which: Attributes, note: Note): void {
  meter.addBatchObservableCallback(
    async result => {
      const readings = await within(readWithinMs, (async () => read())()).catch(() => undefined)
      result.observe(readable, readings ? 1 : 0, which)
      note(result, readings ?? [])
    },
    [readable, figure],
  )
}

/** Prometheus knows no dots. */
const scrapedName = (name: string) => name.replaceAll('.', '_')

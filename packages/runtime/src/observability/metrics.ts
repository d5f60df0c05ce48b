import {
  type Attributes,
  type BatchObservableResult,
  type MetricOptions,
  metrics,
  type Observable,
} from '@opentelemetry/api'
import { withTimeout } from '../waiting/with-timeout.ts'

/**
 * Creates the services' own metrics, which record nothing unless telemetry was loaded.
 * Names are as Prometheus shows them, with units and `_total`, because the exporter adds no units.
 */
export const meter = metrics.getMeter('cobro')

/** One value of a metric, with the attributes of its series. */
export interface Measurement {
  value: number
  attributes?: Attributes
}

const readTimeoutMs = 2_000

/** Alerts on an absent metric never fire. This gauge is never absent, so it covers the others. */
const readable = meter.createObservableGauge('cobro_metric_readable', {
  description: '1 if the metric could be read, 0 if its database or broker is unavailable',
})

/**
 * Registers a gauge that `read` supplies at each scrape, within at most 2 s. A series that cannot
 * be read, or that a later reading leaves out, is reported as NaN; `cobro_metric_readable` distinguishes the two cases.
 * Where several calls register the same gauge, `attributes` say which series this one reads.
 */
export function observeGauge(
  name: string,
  { attributes, ...options }: MetricOptions & { attributes?: Attributes },
  read: Read,
): void {
  const gauge = meter.createObservableGauge(name, options)
  const known = new Map<string, Attributes | undefined>()
  readAtScrapes(gauge, read, { metric: name, ...attributes }, (result, measurements) => {
    for (const { attributes } of measurements) known.set(JSON.stringify(attributes), attributes)
    // A series that is not observed would keep its last value for ever, and one stale replica would distort a max or a sum.
    for (const attributes of known.values()) result.observe(gauge, Number.NaN, attributes)
    for (const { value, attributes } of measurements) result.observe(gauge, value, attributes)
  })
}

/** Registers a counter whose total `read` supplies at scrapes. It keeps its value if unreadable. */
export function observeCounter(name: string, options: MetricOptions, read: Read): void {
  const counter = meter.createObservableCounter(name, options)
  readAtScrapes(counter, read, { metric: name }, (result, measurements) => {
    for (const { value, attributes } of measurements) result.observe(counter, value, attributes)
  })
}

type Read = () => Measurement[] | Promise<Measurement[]>
type Report = (result: BatchObservableResult, measurements: Measurement[]) => void

function readAtScrapes(metric: Observable, read: Read, series: Attributes, report: Report): void {
  meter.addBatchObservableCallback(
    async result => {
      const measurements = await withTimeout(readTimeoutMs, (async () => read())()).catch(() => undefined)
      result.observe(readable, measurements ? 1 : 0, series)
      report(result, measurements ?? [])
    },
    [readable, metric],
  )
}

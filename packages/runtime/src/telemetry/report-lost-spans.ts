import { AsyncLocalStorage } from 'node:async_hooks'
import { commonSettings } from '../config/config.ts'
import { createLogger } from '../observability/logger.ts'
import { meter } from '../observability/metrics.ts'
import type { OnLostSpans } from './lost-spans.ts'

const warnEveryMs = 60_000

/** Returns a listener that counts lost spans and warns at most once a minute: gaps do not show. */
export function reportLostSpans(service: string, env: NodeJS.ProcessEnv): OnLostSpans {
  const logger = createLogger(service, commonSettings.shape.LOG_LEVEL.catch('info').parse(env.LOG_LEVEL))
  const total = meter.createCounter('cobro_spans_lost_total', {
    description: 'Spans that could not be exported to the collector',
  })
  total.add(0)
  // A batch is exported in the context of the call that filled it. The warning is not about that call.
  const outsideOfCalls = AsyncLocalStorage.snapshot()
  let unreported = 0
  let nextWarningAt = 0
  return (spans, error) => {
    total.add(spans)
    unreported += spans
    if (performance.now() < nextWarningAt) return
    outsideOfCalls(() => logger.warn({ spans: unreported, err: error }, 'spans were lost'))
    unreported = 0
    nextWarningAt = performance.now() + warnEveryMs
  }
}

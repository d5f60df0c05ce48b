import { AsyncLocalStorage } from 'node:async_hooks'
import { commonSettings } from '../config.ts'
import { createLogger } from '../logger.ts'
import type { OnLostSpans } from './lost-spans.ts'
import { meter } from './metrics.ts'

const tellEveryMs = 60_000

/** Counts the spans that are lost, and warns of them once a minute at most: a trace with a hole looks as if nothing had happened there. */
export function reportLostSpans(service: string, env: NodeJS.ProcessEnv): OnLostSpans {
  const logger = createLogger(service, commonSettings.shape.LOG_LEVEL.safeParse(env.LOG_LEVEL).data ?? 'info')
  const total = meter.createCounter('cobro.spans.lost', { description: 'Spans that no collector has got' })
  total.add(0)
  // A batch is sent in the name of whichever call filled it, and the line is not about that one.
  const outsideOfCalls = AsyncLocalStorage.snapshot()
  let untold = 0
  let tellAgainAt = 0
  return (spans, error) => {
    total.add(spans)
    untold += spans
    if (performance.now() < tellAgainAt) return
    outsideOfCalls(() => logger.warn({ spans: untold, err: error }, 'spans were lost'))
    untold = 0
    tellAgainAt = performance.now() + tellEveryMs
  }
}

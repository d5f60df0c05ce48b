import { performance } from 'node:perf_hooks'
import { meter } from '@cobro/runtime'
import { UnreadableCard } from './acquirer-errors.ts'

const duration = meter.createHistogram('cobro_acquirer_request_duration_seconds', {
  description: 'How long requests to the acquirer took, by operation and outcome',
  unit: 's',
  advice: { explicitBucketBoundaries: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20] },
})

/**
 * Wraps an operation to record its duration and its outcome: the status of the result,
 * `error` if it throws, or `unreadable` for a card that cannot be read, which is not the acquirer's fault.
 */
export function withDurationMetric<Args extends unknown[], Result>(
  operation: string,
  run: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  return async (...args) => {
    const startedAt = performance.now()
    let outcome = 'error'
    try {
      const result = await run(...args)
      outcome = (result as { status?: string } | undefined)?.status ?? 'answered'
      return result
    } catch (error) {
      if (error instanceof UnreadableCard) outcome = 'unreadable'
      throw error
    } finally {
      duration.record((performance.now() - startedAt) / 1_000, { operation, outcome })
    }
  }
}

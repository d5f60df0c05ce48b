import { performance } from 'node:perf_hooks'
import { meter } from '@cobro/runtime'
import { UnreadableCard } from './acquirer.ts'

const duration = meter.createHistogram('cobro.acquirer.duration', {
  description: 'How long the acquirer took, by what was asked and what it came to',
  unit: 's',
  advice: { explicitBucketBoundaries: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20] },
})

/**
 * Measures what is asked of the acquirer: how long it took and what it came to, `error` where it came to nothing. A card that
 * cannot be read is no fault of the acquirer's: that is `unreadable`.
 */
export function measured<Args extends unknown[], Answer>(
  operation: string,
  ask: (...args: Args) => Promise<Answer>,
): (...args: Args) => Promise<Answer> {
  return async (...args) => {
    const began = performance.now()
    let outcome = 'error'
    try {
      const answer = await ask(...args)
      outcome = (answer as { status?: string } | undefined)?.status ?? 'answered'
      return answer
    } catch (error) {
      if (error instanceof UnreadableCard) outcome = 'unreadable'
      throw error
    } finally {
      duration.record((performance.now() - began) / 1_000, { operation, outcome })
    }
  }
}

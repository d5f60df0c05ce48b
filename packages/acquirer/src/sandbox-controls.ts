import type { Secret } from '@cobro/runtime'
import { z } from 'zod'
import { AcquirerUnavailable } from './acquirer-errors.ts'
import { describeResult, openAcquirerHttpClient } from './acquirer-http-client.ts'
import { chargeResponse } from './acquirer-wire.ts'
import { chargeOutcome } from './keyed-resources.ts'
import type { DisputeOutcome } from './notification-wire.ts'

type ControlResult = 'done' | 'not_found' | 'conflict'

const defaultTimeoutMs = 10_000
const results: Readonly<Record<number, ControlResult>> = { 200: 'done', 404: 'not_found', 409: 'conflict' }

/** A test card of the sandbox, and what becomes of its charges. */
const testCard = chargeResponse.pick({ status: true, response_code: true }).extend({
  number: z.string(),
  brand: z.string().nullable(),
  /** Whether the response is sent at once, late, or never, although the charge is made. */
  answer: z.enum(['prompt', 'slow', 'cut']),
  disputed: z.boolean(),
  refundable: z.boolean(),
})
const testCardList = z.object({ cards: z.array(testCard) })

export type SandboxTestCard = z.output<typeof testCard>

/**
 * Opens the sandbox acquirer's controls: its test cards, paying at the counter, deciding disputes as the network.
 * They throw `AcquirerUnavailable` if there is no usable response.
 */
export function sandboxControls(settings: { url: string; apiKey: Secret; timeoutMs?: number }) {
  const client = openAcquirerHttpClient(settings)
  const { timeoutMs = defaultTimeoutMs } = settings
  const post = async (path: `/v1/sandbox/${string}`, body: object) => {
    const response = await client.send({ method: 'POST', path, body, timeoutMs })
    const result = response.stage === 'after' ? results[response.status] : undefined
    if (!result) throw new AcquirerUnavailable(describeResult(response))
    return result
  }
  return {
    /** Lists the documented test cards, with the outcome that their charges have with us. */
    testCards: async () => {
      const response = await client.send({ method: 'GET', path: '/v1/sandbox/test-cards', timeoutMs })
      const list = response.stage === 'after' ? testCardList.safeParse(response.body).data : undefined
      if (!list) throw new AcquirerUnavailable(describeResult(response))
      return list.cards.map(({ number, brand, answer, disputed, refundable, ...charge }) => {
        const { status, decline_reason = null } = chargeOutcome({ key: '', reference: '', risk_score: null, ...charge })
        return { number, brand, status, decline_reason, answer, disputed, refundable }
      })
    },
    /** Pays a voucher, even an expired or withdrawn one. A second payment is a `conflict`. */
    payVoucher: (reference: string) => post(`/v1/sandbox/vouchers/${encodeURIComponent(reference)}/pay`, {}),
    /** Closes an open dispute. */
    closeDispute: (reference: string, outcome: DisputeOutcome) =>
      post(`/v1/sandbox/disputes/${encodeURIComponent(reference)}/close`, { outcome }),
    close: client.close,
  }
}

export type SandboxControls = ReturnType<typeof sandboxControls>

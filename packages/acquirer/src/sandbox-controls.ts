import type { Secret } from '@cobro/runtime'
import { AcquirerUnavailable } from './acquirer-errors.ts'
import { describeResult, openAcquirerHttpClient } from './acquirer-http-client.ts'
import type { DisputeOutcome } from './notification-wire.ts'

type ControlResult = 'done' | 'not_found' | 'conflict'

const defaultTimeoutMs = 10_000
const results: Readonly<Record<number, ControlResult>> = { 200: 'done', 404: 'not_found', 409: 'conflict' }

/**
 * Opens the sandbox acquirer's controls: paying at the counter, deciding disputes as the network.
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
    /** Pays a voucher, even an expired or withdrawn one. A second payment is a `conflict`. */
    payVoucher: (reference: string) => post(`/v1/sandbox/vouchers/${encodeURIComponent(reference)}/pay`, {}),
    /** Closes an open dispute. */
    closeDispute: (reference: string, outcome: DisputeOutcome) =>
      post(`/v1/sandbox/disputes/${encodeURIComponent(reference)}/close`, { outcome }),
    close: client.close,
  }
}

export type SandboxControls = ReturnType<typeof sandboxControls>

import type { Secret } from '@cobro/runtime'
import { AcquirerUnavailable } from './acquirer-errors.ts'
import { describeResult, openAcquirerHttpClient } from './acquirer-http-client.ts'

type ControlResult = 'done' | 'not_found' | 'conflict'

/** Actions that only a sandbox offers: paying as the payer at the counter, and deciding disputes as the card network. */
export interface SandboxControls {
  /** Pays a voucher, even an expired or withdrawn one. A second payment is a `conflict`. */
  payVoucher(reference: string): Promise<ControlResult>
  /** Closes an open dispute. */
  closeDispute(reference: string, outcome: 'won' | 'lost'): Promise<ControlResult>
  close(): Promise<void>
}

const defaultTimeoutMs = 10_000
const results: Readonly<Record<number, ControlResult>> = { 200: 'done', 404: 'not_found', 409: 'conflict' }

/** Opens the controls of the sandbox acquirer at `url`. They throw `AcquirerUnavailable` if there is no usable response. */
export function sandboxControls(settings: { url: string; apiKey: Secret; timeoutMs?: number }): SandboxControls {
  const client = openAcquirerHttpClient(settings)
  const { timeoutMs = defaultTimeoutMs } = settings
  const post = async (path: `/v1/sandbox/${string}`, body: object) => {
    const response = await client.send({ method: 'POST', path, body, timeoutMs })
    const result = response.stage === 'after' ? results[response.status] : undefined
    if (!result) throw new AcquirerUnavailable(describeResult(response))
    return result
  }
  return {
    payVoucher: reference => post(`/v1/sandbox/vouchers/${encodeURIComponent(reference)}/pay`, {}),
    closeDispute: (reference, outcome) =>
      post(`/v1/sandbox/disputes/${encodeURIComponent(reference)}/close`, { outcome }),
    close: client.close,
  }
}

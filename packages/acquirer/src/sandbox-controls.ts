import type { Secret } from '@cobro/runtime'
import { AcquirerAway } from './acquirer.ts'
import { openExchanges } from './acquirer-exchange.ts'
import { describeExchange } from './card-calls.ts'

/** What only a sandbox lets anybody do: be the payer at the counter, and the network that ends a dispute. */
export interface SandboxControls {
  /** Pays a voucher, also one that has expired or was withdrawn. A voucher is paid once: the second time is a `conflict`. */
  payVoucher(reference: string): Promise<'done' | 'not_found' | 'conflict'>
  /** Ends a dispute that is open. */
  closeDispute(reference: string, outcome: 'won' | 'lost'): Promise<'done' | 'not_found' | 'conflict'>
  close(): Promise<void>
}

const defaultTimeoutMs = 10_000
const answers: Readonly<Record<number, 'done' | 'not_found' | 'conflict'>> = {
  200: 'done',
  404: 'not_found',
  409: 'conflict',
}

/** The controls of the sandbox acquirer at `url`. They throw `AcquirerAway` where it gives no usable answer. */
export function sandboxControls(settings: { url: string; apiKey: Secret; timeoutMs?: number }): SandboxControls {
  const exchanges = openExchanges(settings)
  const { timeoutMs = defaultTimeoutMs } = settings
  const post = async (path: `/v1/sandbox/${string}`, body: object) => {
    const answer = await exchanges.ask({ method: 'POST', path, body, timeoutMs })
    const told = answer.stage === 'after' ? answers[answer.status] : undefined
    if (!told) throw new AcquirerAway(describeExchange(answer))
    return told
  }
  return {
    payVoucher: reference => post(`/v1/sandbox/vouchers/${encodeURIComponent(reference)}/pay`, {}),
    closeDispute: (reference, outcome) =>
      post(`/v1/sandbox/disputes/${encodeURIComponent(reference)}/close`, { outcome }),
    close: exchanges.close,
  }
}

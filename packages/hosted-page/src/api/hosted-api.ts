import type { DeclineReason, HostedPayable } from '@cobro/contracts'

/** A voucher for a cash payment. */
export type Voucher = NonNullable<HostedPayable['voucher']>

export type ReadAnswer =
  | { readonly kind: 'session'; readonly session: HostedPayable }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'unavailable' }

export type PayAnswer =
  | { readonly kind: 'approved'; readonly redirectUrl: string | undefined }
  | { readonly kind: 'declined'; readonly reason: DeclineReason }
  /** A technical failure at the acquirer: nothing was charged. */
  | { readonly kind: 'failed' }
  /** Pending: with a voucher the payment awaits cash, without one its outcome is not known yet. */
  | { readonly kind: 'pending'; readonly voucher?: Voucher }
  /** The service rejected the call; `status` says why. */
  | { readonly kind: 'refused'; readonly status: number }
  /** No answer, or one that does not show whether a payment was started. */
  | { readonly kind: 'unclear' }

/** The payment method: a card that only the acquirer can decrypt, or cash. */
export type PaidWith = { readonly method: 'card'; readonly card_jwe: string } | { readonly method: 'cash' }

export type PayBody = PaidWith & { readonly payer_email?: string; readonly amount_cents: number }

const readTimeoutMs = 10_000
/** The service waits up to 20 s for an attempt's outcome before it answers that it is pending. */
const payTimeoutMs = 35_000

/** Creates a client of the hosted page's API at `address`. Its promises never reject. */
export function hostedApi(deps: { fetch: typeof fetch }, address: string) {
  const call = async (path: string, init: RequestInit, timeoutMs: number): Promise<HostedResponse | undefined> => {
    try {
      const response = await deps.fetch(address + path, {
        ...init,
        credentials: 'omit',
        cache: 'no-store',
        signal: AbortSignal.timeout(timeoutMs),
      })
      return { status: response.status, body: await jsonOf(response) }
    } catch {
      return undefined
    }
  }
  const post = (path: string, body: unknown, key: string, timeoutMs: number) => {
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key }
    return call(path, { method: 'POST', headers, body: JSON.stringify(body) }, timeoutMs)
  }
  return {
    read: async (): Promise<ReadAnswer> => readAnswer(await call('', { method: 'GET' }, readTimeoutMs)),
    /** A repeated idempotency key marks a repetition of the same click. */
    pay: async (body: PayBody, key: string): Promise<PayAnswer> =>
      payAnswer(await post('/payments', body, key, payTimeoutMs)),
    cancel: async (key: string): Promise<ReadAnswer> => readAnswer(await post('/cancel', {}, key, readTimeoutMs)),
  }
}

export type HostedApi = ReturnType<typeof hostedApi>

interface HostedResponse {
  readonly status: number
  readonly body: { data?: HostedPayable; error?: string; status?: string; redirect_url?: string; voucher?: Voucher }
}

async function jsonOf(response: Response): Promise<HostedResponse['body']> {
  const body: unknown = await response.json().catch(() => undefined)
  return typeof body === 'object' && body !== null ? body : {}
}

function readAnswer(answer: HostedResponse | undefined): ReadAnswer {
  if (answer?.status === 200 && answer.body.data) return { kind: 'session', session: answer.body.data }
  return { kind: answer?.status === 404 ? 'not_found' : 'unavailable' }
}

function payAnswer(answer: HostedResponse | undefined): PayAnswer {
  if (!answer) return { kind: 'unclear' }
  const { status, body } = answer
  const code = body.error?.split(':')[0] ?? ''
  if (status === 200 && body.status === 'approved') return { kind: 'approved', redirectUrl: body.redirect_url }
  if (status === 202) return { kind: 'pending', ...(body.voucher && { voucher: body.voucher }) }
  if (status === 402) return { kind: 'declined', reason: code as DeclineReason }
  // A proxy's own 502 has another body and says nothing about the payment.
  if (status === 502 && code === 'processing_error') return { kind: 'failed' }
  if ((status >= 400 && status < 500) || status === 503) return { kind: 'refused', status }
  return { kind: 'unclear' }
}

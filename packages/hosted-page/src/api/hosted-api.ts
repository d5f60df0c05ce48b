import type { DeclineReason, HostedPayable } from '@cobro/contracts'

/** What is paid in cash with. */
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
  /** With a voucher, that is to be paid in cash; without one, the payment is still being worked on. */
  | { readonly kind: 'pending'; readonly voucher?: Voucher }
  /** The service took no payment from this call; `status` says why. */
  | { readonly kind: 'refused'; readonly status: number }
  /** No answer, or one that does not tell whether a payment was started. */
  | { readonly kind: 'unclear' }

/** How the payer pays: with a card that only the acquirer can read, or in cash. */
export type PaidWith = { readonly method: 'card'; readonly card_jwe: string } | { readonly method: 'cash' }

export type PayBody = PaidWith & { readonly payer_email?: string; readonly amount_cents: number }

/** The JSON behind a hosted page. None of its calls rejects. */
export interface HostedApi {
  read(): Promise<ReadAnswer>
  /** The same key tells the service that it is the same click, sent again. */
  pay(body: PayBody, idempotencyKey: string): Promise<PayAnswer>
  cancel(idempotencyKey: string): Promise<ReadAnswer>
}

const readTimeoutMs = 10_000
/** The service gives an attempt 20 s to settle before it answers that it is pending. */
const payTimeoutMs = 35_000

/** Speaks to the API whose read is at `address`. */
export function hostedApi(deps: { fetch: typeof fetch }, address: string): HostedApi {
  const call = async (path: string, init: RequestInit, timeoutMs: number): Promise<Answer | undefined> => {
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
    read: async () => readAnswer(await call('', { method: 'GET' }, readTimeoutMs)),
    pay: async (body, key) => payAnswer(await post('/payments', body, key, payTimeoutMs)),
    cancel: async key => readAnswer(await post('/cancel', {}, key, readTimeoutMs)),
  }
}

interface Answer {
  readonly status: number
  readonly body: { data?: HostedPayable; error?: string; status?: string; redirect_url?: string; voucher?: Voucher }
}

async function jsonOf(response: Response): Promise<Answer['body']> {
  const body: unknown = await response.json().catch(() => undefined)
  return typeof body === 'object' && body !== null ? body : {}
}

function readAnswer(answer: Answer | undefined): ReadAnswer {
  if (answer?.status === 200 && answer.body.data) return { kind: 'session', session: answer.body.data }
  return { kind: answer?.status === 404 ? 'not_found' : 'unavailable' }
}

function payAnswer(answer: Answer | undefined): PayAnswer {
  if (!answer) return { kind: 'unclear' }
  const { status, body } = answer
  const code = body.error?.split(':')[0] ?? ''
  if (status === 200 && body.status === 'approved') return { kind: 'approved', redirectUrl: body.redirect_url }
  if (status === 202) return { kind: 'pending', ...(body.voucher && { voucher: body.voucher }) }
  if (status === 402) return { kind: 'declined', reason: code as DeclineReason }
  // A proxy's own 502 has another body, and says nothing about the payment.
  if (status === 502 && code === 'processing_error') return { kind: 'failed' }
  if ((status >= 400 && status < 500) || status === 503) return { kind: 'refused', status }
  return { kind: 'unclear' }
}

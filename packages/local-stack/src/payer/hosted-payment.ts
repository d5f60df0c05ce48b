import { encryptCard } from '@cobro/hosted-page/encrypt-card'
import { userError } from '../machine/user-error.ts'

/** The response to a payment, as the hosted page gets it. */
export interface HostedPaymentResponse {
  status: number
  /** The request id of the payment in the audit log. Empty if no payment was sent. */
  request_id: string
  body: {
    status?: string
    redirect_url?: string
    voucher?: { reference: string; barcode: string; due_at: string }
    error?: string
    declined?: boolean
  }
}

const kinds = { cs: 'checkout', pl: 'links' } as const

/** Returns the hosted API URL of a session or payment link, from its id or hosted page's URL. */
export function hostedApiUrl(hostedUrl: string, idOrUrl: string): string {
  const id = idOrUrl.slice(idOrUrl.lastIndexOf('/') + 1)
  const kind = kinds[id.slice(0, id.indexOf('_')) as keyof typeof kinds]
  if (!kind) throw userError(`Expected the id of a checkout session (cs_…) or payment link (pl_…), got ${idOrUrl}.`)
  return new URL(`/hosted/v1/${kind}/${id}`, idOrUrl.startsWith('http') ? idOrUrl : hostedUrl).href
}

/** The part of a hosted session or link that a card is encrypted for. */
interface HostedPurpose {
  id: string
  amount_total: number
  currency: string
  /** The server's time in milliseconds since the epoch. */
  now: number
  card_encryption_key: Parameters<typeof encryptCard>[0]
}

/**
 * Encrypts a test card as the hosted page does, with a valid expiry, CVC and name, for a session or
 * link that was just read.
 */
export function encryptTestCard(hosted: HostedPurpose, cardNumber: string): Promise<string> {
  const card = {
    number: cardNumber.replaceAll(/[ -]/g, ''),
    exp_month: 12,
    exp_year: new Date().getFullYear() + 3,
    cvc: /^3[47]/.test(cardNumber) ? '1234' : '123',
    holder_name: 'Ana Ruiz',
  }
  const { id: payable_id, amount_total: amount_cents, currency, now, card_encryption_key } = hosted
  return encryptCard(card_encryption_key, card, { payable_id, amount_cents, currency, iat: Math.floor(now / 1000) })
}

/**
 * Pays a session or link by card as the hosted page does: encrypts the card with the session's key
 * and sends only the encrypted card. Aborting `signal` closes the connection, like a payer who closes the page.
 */
export async function payByCard(
  hostedUrl: string,
  idOrUrl: string,
  cardNumber: string,
  signal?: AbortSignal,
): Promise<HostedPaymentResponse> {
  const url = hostedApiUrl(hostedUrl, idOrUrl)
  const { data, error } = await fetchJson(url)
  if (error) throw userError(`The hosted API responded with: ${error}.`)
  if (!data.card_encryption_key)
    return { status: 409, request_id: '', body: { error: `conflict: it is ${data.status} and accepts no card now` } }
  const card_jwe = await encryptTestCard(data, cardNumber)
  return postPayment(url, { method: 'card', card_jwe }, signal)
}

/** Chooses cash for a session or link as the hosted page does. The response has the voucher. */
export function payInCash(hostedUrl: string, idOrUrl: string): Promise<HostedPaymentResponse> {
  return postPayment(hostedApiUrl(hostedUrl, idOrUrl), { method: 'cash' })
}

async function postPayment(url: string, payment: object, signal?: AbortSignal): Promise<HostedPaymentResponse> {
  const response = await fetchHosted(`${url}/payments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() },
    body: JSON.stringify(payment),
    ...(signal ? { signal } : {}),
  })
  const request_id = response.headers.get('x-request-id') ?? ''
  return { status: response.status, request_id, body: (await response.json()) as HostedPaymentResponse['body'] }
}

/** Waits up to two minutes for a pending payment to complete, and returns the session or link. */
export async function waitForPaymentResult(
  hostedUrl: string,
  idOrUrl: string,
): Promise<{ status: string; transaction_status?: string }> {
  const url = hostedApiUrl(hostedUrl, idOrUrl)
  for (const deadline = Date.now() + 120_000; ; ) {
    const { data } = await fetchJson(url)
    if (!data.in_progress || Date.now() > deadline) return data
    await new Promise(resolve => setTimeout(resolve, 1_000))
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the checkout service owns the response schema.
async function fetchJson(url: string): Promise<any> {
  return (await fetchHosted(url)).json()
}

async function fetchHosted(url: string, init: RequestInit = {}): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (cause) {
    throw userError(`Cannot connect to ${new URL(url).origin}: start the stack with npm start.`, cause)
  }
}

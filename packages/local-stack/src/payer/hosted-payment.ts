import { encryptCard } from '@cobro/hosted-page/encrypt-card'
import { userError } from '../machine/user-error.ts'

/** What a payment came to: the answer's status and body, as the payer's page gets them. */
export interface HostedPaymentResponse {
  status: number
  /** Under which the payment is in the audit log; empty where none was made. */
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

/** The address of the hosted JSON of a session or link, given as an id or as the hosted page's own URL. */
export function hostedApiUrl(hostedUrl: string, idOrUrl: string): string {
  const id = idOrUrl.slice(idOrUrl.lastIndexOf('/') + 1)
  const kind = kinds[id.slice(0, id.indexOf('_')) as keyof typeof kinds]
  if (!kind) throw userError(`Expected the id of a checkout session (cs_…) or payment link (pl_…), got ${idOrUrl}.`)
  return new URL(`/hosted/v1/${kind}/${id}`, idOrUrl.startsWith('http') ? idOrUrl : hostedUrl).href
}

/** Encrypts a test card as the payer's page does, with an expiry, CVC and name that every one of them takes. */
export function encryptTestCard(key: Parameters<typeof encryptCard>[0], cardNumber: string): Promise<string> {
  return encryptCard(key, {
    number: cardNumber.replaceAll(/[ -]/g, ''),
    exp_month: 12,
    exp_year: new Date().getFullYear() + 3,
    cvc: /^3[47]/.test(cardNumber) ? '1234' : '123',
    holder_name: 'Ana Ruiz',
  })
}

/**
 * Pays a session or link as the payer's page does: the card is encrypted here, to the key that the hosted read gives, and
 * leaves this process only so. `signal` is the payer who leaves.
 */
export async function payByCard(
  hostedUrl: string,
  idOrUrl: string,
  cardNumber: string,
  signal?: AbortSignal,
): Promise<HostedPaymentResponse> {
  const address = hostedApiUrl(hostedUrl, idOrUrl)
  const { data, error } = await askJson(address)
  if (error) throw userError(`The page answered: ${error}.`)
  if (!data.card_encryption_key)
    return { status: 409, request_id: '', body: { error: `conflict: it is ${data.status} and takes no card now` } }
  const card_jwe = await encryptTestCard(data.card_encryption_key, cardNumber)
  return postPayment(address, { method: 'card', card_jwe }, signal)
}

/** Chooses cash for a session or link as the payer's page does. The answer bears the voucher. */
export function payInCash(hostedUrl: string, idOrUrl: string): Promise<HostedPaymentResponse> {
  return postPayment(hostedApiUrl(hostedUrl, idOrUrl), { method: 'cash' })
}

async function postPayment(address: string, payment: object, signal?: AbortSignal): Promise<HostedPaymentResponse> {
  const response = await fetchHosted(`${address}/payments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() },
    body: JSON.stringify(payment),
    ...(signal ? { signal } : {}),
  })
  const request_id = response.headers.get('x-request-id') ?? ''
  return { status: response.status, request_id, body: (await response.json()) as HostedPaymentResponse['body'] }
}

/** Waits until a payment that was answered as pending has come to an end, for at most two minutes; gives the hosted read. */
export async function waitForPaymentResult(
  hostedUrl: string,
  idOrUrl: string,
): Promise<{ status: string; transaction_status?: string }> {
  const address = hostedApiUrl(hostedUrl, idOrUrl)
  for (const until = Date.now() + 120_000; ; ) {
    const { data } = await askJson(address)
    if (!data.in_progress || Date.now() > until) return data
    await new Promise(resolve => setTimeout(resolve, 1_000))
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the answer's own schema is the service's business.
async function askJson(address: string): Promise<any> {
  return (await fetchHosted(address)).json()
}

async function fetchHosted(address: string, init: RequestInit = {}): Promise<Response> {
  try {
    return await fetch(address, init)
  } catch (cause) {
    throw userError(`Nothing answers at ${new URL(address).origin}: start the stack with npm start.`, cause)
  }
}

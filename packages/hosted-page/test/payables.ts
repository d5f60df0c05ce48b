import { type HostedPayable, hostedPayable } from '@cobro/contracts'
import { exportJWK, generateKeyPair, type JWK } from 'jose'

const pair = await generateKeyPair('RSA-OAEP-256', { extractable: true })

/** What the acquirer alone holds: with it a test reads the card that the page sent. */
export const acquirerKey = pair.privateKey

const encryptionKey: JWK = { ...(await exportJWK(pair.publicKey)), alg: 'RSA-OAEP-256', kid: 'test-key' }

/** The moment at which every payable is read, so that no picture depends on when it was taken. */
export const readAt = Date.UTC(2026, 5, 15, 18)

/** Refuses what no service would send, so that the tests cannot go on about a page of the past. */
export function checked(payable: HostedPayable): HostedPayable {
  hostedPayable.parse(payable)
  return payable
}

/** A session that awaits its payment by card, with a quarter of an hour left. */
export function payable(changes: Partial<HostedPayable> = {}): HostedPayable {
  return {
    kind: 'session',
    id: 'cs_01jz0000000000000000000000',
    status: 'pending',
    transaction_status: 'Pending',
    amount_total: 125_000,
    currency: 'MXN',
    merchant_name: 'Café Azul',
    merchant_status: 'active',
    concepto: null,
    reference: null,
    line_items: [],
    adjustment_cents: 0,
    hide_line_items: false,
    locale: 'es',
    brand_color: null,
    logo_url: null,
    payer_email: null,
    payment_method_types: ['card'],
    expires_at: readAt + 15 * 60_000,
    now: readAt,
    attempts_left: 10,
    retry_at: null,
    in_progress: false,
    voucher: null,
    had_voucher: false,
    redirect_url: null,
    cancel_url: null,
    environment: 'sandbox',
    card_encryption_key: { ...encryptionKey },
    ...changes,
  }
}

/** A link that awaits its payment, for a month. */
export function linkPayable(changes: Partial<HostedPayable> = {}): HostedPayable {
  return payable({
    kind: 'link',
    id: 'pl_01jz0000000000000000000000',
    concepto: 'Anticipo de la mesa de nogal',
    reference: 'COT-2026-118',
    expires_at: readAt + 30 * 24 * 3_600_000,
    ...changes,
  })
}

export const sampleVoucher = {
  reference: '93000012345678',
  barcode: '93000012345678',
  due_at: '2026-06-19T05:59:00.000Z',
}

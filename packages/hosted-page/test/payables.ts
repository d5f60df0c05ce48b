import { type HostedPayable, hostedPayable } from '@cobro/contracts'
import { exportJWK, generateKeyPair, type JWK } from 'jose'

const pair = await generateKeyPair('RSA-OAEP-256', { extractable: true })

/** The acquirer's private key, with which a test decrypts the card that the page sent. */
export const acquirerKey = pair.privateKey

const encryptionKey: JWK = { ...(await exportJWK(pair.publicKey)), alg: 'RSA-OAEP-256', kid: 'test-key' }

/** The time at which every payable is read, so that screenshots do not depend on the clock. */
export const readAt = Date.UTC(2026, 5, 15, 18)

/** Rejects payables that no service would send, so that the tests follow the contract. */
export function checked(payable: HostedPayable): HostedPayable {
  hostedPayable.parse(payable)
  return payable
}

/** A session that awaits a card payment, with 15 minutes left. */
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

/** A link that awaits its payment, with a month left. */
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

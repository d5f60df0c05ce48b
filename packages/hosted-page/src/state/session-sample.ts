import type { HostedPayable } from '@cobro/contracts'

/** The time at which the tests read the session. */
export const sampleTime = Date.UTC(2026, 5, 15)

/** The tests' default session, with 15 minutes left. */
export function sampleSession(changes: Partial<HostedPayable> = {}): HostedPayable {
  return {
    kind: 'session',
    id: 'cs_01jz0000000000000000000000',
    status: 'pending',
    transaction_status: 'Pending',
    amount_total: 25000,
    currency: 'MXN',
    merchant_name: 'Café Azul',
    merchant_status: 'active',
    concepto: null,
    reference: null,
    line_items: [],
    adjustment_cents: 0,
    hide_line_items: false,
    locale: null,
    brand_color: null,
    logo_url: null,
    payer_email: null,
    payment_method_types: ['card'],
    expires_at: sampleTime + 900_000,
    now: sampleTime,
    attempts_left: 10,
    retry_at: null,
    in_progress: false,
    voucher: null,
    had_voucher: false,
    redirect_url: 'https://shop.example/back',
    cancel_url: null,
    environment: 'sandbox',
    card_encryption_key: { kty: 'RSA', kid: 'k1' },
    ...changes,
  }
}

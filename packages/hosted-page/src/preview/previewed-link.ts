import type { HostedPayable } from '@cobro/contracts'
import type { Locale } from '@cobro/look/locales'

/** A link that does not exist yet, as the dashboard describes it to its preview. */
export interface PreviewedLink {
  merchant_name: string
  /** Minor units; 0 while no amount is typed. */
  amount_cents: number
  currency: string
  concepto: string
  locale: Locale
}

const lifetimeMs = 86_400_000

/** Reads a message of the dashboard; undefined for any other message. */
export function readPreviewedLink(message: unknown): PreviewedLink | undefined {
  if (typeof message !== 'object' || message === null) return undefined
  const { merchant_name, amount_cents, currency, concepto, locale } = message as Partial<Record<string, unknown>>
  if (typeof merchant_name !== 'string' || typeof currency !== 'string' || typeof concepto !== 'string')
    return undefined
  if (!Number.isSafeInteger(amount_cents) || !/^[A-Z]{3}$/.test(currency)) return undefined
  return {
    merchant_name,
    amount_cents: amount_cents as number,
    currency,
    concepto,
    locale: locale === 'en' ? 'en' : 'es',
  }
}

/** Returns the link as the payer's page would read it, now. */
export function payableOf(link: PreviewedLink, now: number): HostedPayable {
  const { merchant_name, amount_cents, currency, concepto, locale } = link
  return {
    ...{ kind: 'link', id: 'pl_00000000000000000000000000', status: 'pending', transaction_status: 'Pending' },
    ...{ amount_total: amount_cents, currency, merchant_name, merchant_status: 'active', concepto, reference: null },
    ...{ line_items: [], adjustment_cents: 0, hide_line_items: false, locale, brand_color: null, logo_url: null },
    ...{ payer_email: null, payment_method_types: ['card'], expires_at: now + lifetimeMs, now, attempts_left: 10 },
    ...{ retry_at: null, in_progress: false, voucher: null, had_voucher: false, redirect_url: null, cancel_url: null },
    ...{ environment: 'sandbox', card_encryption_key: { kty: 'RSA', kid: 'preview' } },
  }
}

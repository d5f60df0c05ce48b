/** The languages of mails. */
export type MailLanguage = 'es' | 'en'

/** A payment as its payer sees it. */
interface PaymentReceipt {
  merchant_name: string
  timezone: string
  transaction_id: string
  reference: string | null
  amount_cents: number
  currency: string
  card: { brand: string; last4: string } | null
  at: string
}

/** What each kind of mail reports. It is stored until the mail is deleted, so it contains no secret. */
export interface MailData {
  payer_receipt: PaymentReceipt
  payer_refund: PaymentReceipt
  setup: Record<string, never>
  password_reset: Record<string, never>
  password_changed: { at: string; address: string | null }
  new_device: { at: string; address: string }
  factor_changed: { at: string; added: boolean }
  bank_changed: { at: string; merchant_name: string; clabe: string | null; effective_at: string | null }
  endpoint_disabled: { at: string; merchant_name: string; webhook_id: string; reason: string; cancelled: number }
  dispute_opened: {
    merchant_name: string
    timezone: string
    dispute_id: string
    transaction_id: string | null
    amount_cents: number | null
    currency: string | null
    due_by: string | null
  }
  approval_requested: {
    approval_id: string
    operation: string
    merchant_name: string
    timezone: string
    amount_cents: number | null
    currency: string | null
    lapses_at: string
  }
  key_created: { at: string; name: string; key_masked: string; merchant_name: string }
}

export type MailKind = keyof MailData

/** A mail to be sent, to a user or to another address. */
export type NewMail = { [K in MailKind]: { kind: K; data: MailData[K] } }[MailKind]

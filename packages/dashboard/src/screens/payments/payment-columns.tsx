import type { Transaction } from '@cobro/sdk/admin'
import { useAmountColumn, useMerchantColumn } from '../../parts/columns.tsx'
import type { Column } from '../../parts/list-table.tsx'
import { useTexts } from '../../text/locale.tsx'
import { paymentsTexts } from '../../text/payments-texts.ts'
import { statusTexts } from '../../text/status-texts.ts'

/** Returns the columns that lists of payments share. */
export function usePaymentColumns() {
  const texts = useTexts(paymentsTexts)
  const words = useTexts(statusTexts)
  const amount: Column<Transaction> = useAmountColumn(texts.amount, ({ amount_cents, currency }) => ({
    cents: amount_cents,
    currency,
  }))
  const method: Column<Transaction> = {
    title: texts.method,
    cell: ({ card, payment_method }) => (card ? `${card.brand} •••• ${card.last4}` : words.method[payment_method]),
  }
  const reference: Column<Transaction> = {
    title: texts.reference,
    cell: ({ reference, order_id }) => reference ?? order_id,
  }
  return { amount, method, reference, merchant: useMerchantColumn<Transaction>() }
}

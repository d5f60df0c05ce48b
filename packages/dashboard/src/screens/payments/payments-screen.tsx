import type { ReactNode } from 'react'
import { cobroOf } from '../../api/cobro.ts'
import { useMe } from '../../api/use-me.ts'
import { created, useDateColumn } from '../../parts/columns.tsx'
import { ListScreen } from '../../parts/list-screen.tsx'
import { useNamedChoices } from '../../parts/use-named-choices.ts'
import { declineTexts } from '../../text/decline-texts.ts'
import { useTexts } from '../../text/locale.tsx'
import { paymentsTexts } from '../../text/payments-texts.ts'
import { statusTexts } from '../../text/status-texts.ts'
import { ExportButton } from './export-button.tsx'
import { lookUp } from './payment-lookup.ts'
import { useChosenColumns } from './use-chosen-columns.tsx'

/** What brands call themselves, in every language. */
const brands = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
  carnet: 'Carnet',
  discover: 'Discover',
  diners: 'Diners Club',
  jcb: 'JCB',
  unionpay: 'UnionPay',
}

/** The payments of the scope. */
export function PaymentsScreen(): ReactNode {
  const texts = useTexts(paymentsTexts)
  const words = useTexts(statusTexts)
  const reasons = useTexts(declineTexts)
  const { scope } = useMe()
  const named = useNamedChoices(
    {
      terminal_id: texts.terminal,
      correlation_id: texts.lifecycle,
      amount_cents: texts.amount,
      currency: texts.currency,
    },
    (name, value) => (name === 'amount_cents' ? (Number(value) / 100).toFixed(2) : value),
  )
  const { columns, button } = useChosenColumns()
  const choices = [
    { name: 'status', label: texts.status, words: words.payment },
    { name: 'decline_reason', label: texts.reason, words: reasons },
    { name: 'refund_status', label: texts.refund, words: words.refund },
    { name: 'payment_method', label: texts.method, words: words.method },
    { name: 'card_brand', label: texts.brand, words: brands },
    { name: 'card_last4', label: texts.last4, digits: 4 },
    { name: 'time', label: texts.time, words: texts.times },
    ...named,
  ]
  return (
    <ListScreen
      name="payments"
      events="payment."
      texts={texts}
      choices={choices}
      // The date leads to the payment, so that it cannot be left out.
      columns={[useDateColumn('/$scope/payments/$id', created), ...columns]}
      read={(params, signal) => cobroOf(scope).transactions.list(lookUp(params), { signal })}
      actions={
        <>
          {button}
          <ExportButton names={choices.map(({ name }) => name)} />
        </>
      }
    />
  )
}

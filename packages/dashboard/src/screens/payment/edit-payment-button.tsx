import type { TransactionDetails } from '@cobro/sdk/admin'
import { cobroOf } from '../../api/cobro.ts'
import { EditButton } from '../../parts/edit-button.tsx'
import { useTexts } from '../../text/locale.tsx'
import { paymentTexts } from '../../text/payment-texts.ts'

const lengths = { reference: 64, order_id: 100, payer_email: 254, customer_ref: 100 } as const

/** Changes what the merchant has noted on a payment. */
export function EditPaymentButton({ payment, scope }: { payment: TransactionDetails; scope: string }) {
  const { names } = useTexts(paymentTexts)
  const labels = {
    reference: names.reference,
    order_id: names.order,
    payer_email: names.payer,
    customer_ref: names.customer,
  }
  return (
    <EditButton
      cached={[scope, 'payment']}
      merchantId={payment.merchant_id}
      lengths={lengths}
      labels={labels}
      stored={payment}
      metadata={payment.metadata}
      save={(changed, changes) => cobroOf(scope).transactions.update(payment.id, { ...changed, ...changes })}
    />
  )
}

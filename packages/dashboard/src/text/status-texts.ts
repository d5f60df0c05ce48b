import type { Transaction } from '@cobro/sdk/admin'
import type { Texts } from './locale.tsx'

type Status = Transaction['status']
type RefundStatus = NonNullable<Transaction['refund_status']>

interface StatusTexts {
  payment: Record<Status, string>
  refund: Record<RefundStatus, string>
  method: Record<Transaction['payment_method'], string>
}

const es: StatusTexts = {
  payment: {
    pending: 'Pendiente',
    approved: 'Aprobado',
    declined: 'Rechazado',
    failed: 'Fallido',
    expired: 'Vencido',
    cancelled: 'Cancelado',
    refunded: 'Reembolsado',
    chargeback: 'Contracargo',
  },
  refund: { processing: 'Reembolso en proceso', completed: 'Reembolsado', failed: 'Reembolso fallido' },
  method: { card: 'Tarjeta', cash: 'Efectivo' },
}

const en: StatusTexts = {
  payment: {
    pending: 'Pending',
    approved: 'Approved',
    declined: 'Declined',
    failed: 'Failed',
    expired: 'Expired',
    cancelled: 'Cancelled',
    refunded: 'Refunded',
    chargeback: 'Chargeback',
  },
  refund: { processing: 'Refund in progress', completed: 'Refunded', failed: 'Refund failed' },
  method: { card: 'Card', cash: 'Cash' },
}

export const statusTexts: Texts<StatusTexts> = { es, en }

import type { DeclineReason, Transaction } from '@cobro/sdk/admin'
import type { Texts } from './locale.tsx'

type Reason = DeclineReason | 'processing_error'

interface PaymentTexts {
  back: string
  facts: string
  timeline: string
  timelineEmpty: string
  names: Record<
    | 'id'
    | 'created'
    | 'captured'
    | 'refundRequested'
    | 'refundCompleted'
    | 'method'
    | 'fee'
    | 'reference'
    | 'order'
    | 'payer'
    | 'customer'
    | 'terminal'
    | 'merchant',
    string
  >
  /** What happened, in a sentence, by state. `declined` is completed by its reason. */
  sentences: Record<Transaction['status'], string>
  refundSentences: Record<NonNullable<Transaction['refund_status']> | 'manual', string>
  /** What a failed refund leaves to do, where the payment can still be refunded. */
  refundAgain: string
  reasons: Record<Reason, string>
  refund: string
  refundTitle: (amount: string) => string
  refundText: (to: string) => string
  refundConfirm: (amount: string) => string
  toCard: (card: string) => string
  toPayer: string
  refundFailed: string
  refundUnclear: string
  /** Why a captured payment cannot be refunded. */
  refundObstacles: Record<'refunded' | 'processing' | 'chargeback' | 'cash', string>
}

const es: PaymentTexts = {
  back: 'Pagos',
  facts: 'Datos',
  timeline: 'Qué pasó',
  timelineEmpty: 'No hay nada registrado.',
  names: {
    id: 'Id',
    created: 'Creado',
    captured: 'Cobrado',
    refundRequested: 'Reembolso pedido',
    refundCompleted: 'Reembolso confirmado',
    method: 'Método',
    fee: 'Comisión',
    reference: 'Referencia',
    order: 'Pedido',
    payer: 'Correo',
    customer: 'Cliente',
    terminal: 'Terminal',
    merchant: 'Comercio',
  },
  sentences: {
    pending: 'El pago está en curso.',
    approved: 'El pago se cobró.',
    declined: 'El banco rechazó el pago:',
    failed: 'El pago falló por un problema técnico. No se cobró nada.',
    expired: 'El pago venció sin cobrarse.',
    cancelled: 'El pago se canceló antes de cobrarse.',
    refunded: 'El pago se devolvió al pagador.',
    chargeback: 'El pagador disputó el pago con su banco.',
  },
  refundSentences: {
    processing: 'El reembolso está en proceso.',
    completed: 'El reembolso se confirmó.',
    failed: 'El reembolso falló.',
    manual: 'El reembolso se tiene que transferir a mano.',
  },
  refundAgain: 'Puedes pedirlo de nuevo.',
  reasons: {
    card_declined: 'no dio un motivo.',
    do_not_honor: 'no dio un motivo.',
    call_issuer: 'el pagador debe llamar a su banco.',
    insufficient_funds: 'no hay fondos suficientes.',
    expired_card: 'la tarjeta está vencida.',
    incorrect_number: 'el número de la tarjeta no es correcto.',
    incorrect_cvc: 'el código de seguridad no es correcto.',
    lost_card: 'la tarjeta se reportó como perdida.',
    stolen_card: 'la tarjeta se reportó como robada.',
    restricted_card: 'la tarjeta tiene restricciones.',
    transaction_not_allowed: 'la tarjeta no permite este tipo de compra.',
    card_not_supported: 'la tarjeta no se acepta.',
    limit_exceeded: 'se superó el límite de la tarjeta.',
    suspected_fraud: 'se sospecha un fraude.',
    issuer_not_available: 'el banco no respondió.',
    processing_error: 'hubo un problema técnico.',
  },
  refund: 'Reembolsar',
  refundTitle: amount => `Reembolsar ${amount}`,
  refundText: to => `Se devuelve el monto completo ${to}. No se puede deshacer.`,
  refundConfirm: amount => `Reembolsar ${amount}`,
  toCard: card => `a la tarjeta ${card}`,
  toPayer: 'al pagador',
  refundFailed: 'No se pudo pedir el reembolso.',
  refundUnclear: 'No se sabe si se pidió el reembolso. Puedes intentarlo de nuevo: se reembolsa una sola vez.',
  refundObstacles: {
    refunded: 'Ya se reembolsó.',
    processing: 'Ya hay un reembolso en proceso.',
    chargeback: 'Un pago disputado no se puede reembolsar.',
    cash: 'Aquí solo se reembolsan pagos con tarjeta. El efectivo se devuelve fuera de Cobro.',
  },
}

const en: PaymentTexts = {
  back: 'Payments',
  facts: 'Facts',
  timeline: 'What happened',
  timelineEmpty: 'Nothing is on record.',
  names: {
    id: 'Id',
    created: 'Created',
    captured: 'Captured',
    refundRequested: 'Refund requested',
    refundCompleted: 'Refund completed',
    method: 'Method',
    fee: 'Fee',
    reference: 'Reference',
    order: 'Order',
    payer: 'E-mail',
    customer: 'Customer',
    terminal: 'Terminal',
    merchant: 'Merchant',
  },
  sentences: {
    pending: 'The payment is under way.',
    approved: 'The payment was captured.',
    declined: 'The issuer declined the payment:',
    failed: 'The payment failed for a technical reason. Nothing was charged.',
    expired: 'The payment expired before it was captured.',
    cancelled: 'The payment was cancelled before it was captured.',
    refunded: 'The payment was returned to the payer.',
    chargeback: 'The payer disputed the payment with the issuer.',
  },
  refundSentences: {
    processing: 'The refund is in progress.',
    completed: 'The refund was confirmed.',
    failed: 'The refund failed.',
    manual: 'The refund has to be transferred by hand.',
  },
  refundAgain: 'You can ask for it again.',
  reasons: {
    card_declined: 'it gave no reason.',
    do_not_honor: 'it gave no reason.',
    call_issuer: 'the payer has to call the issuer.',
    insufficient_funds: 'there are insufficient funds.',
    expired_card: 'the card has expired.',
    incorrect_number: 'the number of the card is wrong.',
    incorrect_cvc: 'the security code is wrong.',
    lost_card: 'the card was reported as lost.',
    stolen_card: 'the card was reported as stolen.',
    restricted_card: 'the card is restricted.',
    transaction_not_allowed: 'the card does not allow this kind of purchase.',
    card_not_supported: 'the card is not accepted.',
    limit_exceeded: "the card's limit was exceeded.",
    suspected_fraud: 'it suspects fraud.',
    issuer_not_available: 'it did not respond.',
    processing_error: 'there was a technical problem.',
  },
  refund: 'Refund',
  refundTitle: amount => `Refund ${amount}`,
  refundText: to => `The whole amount is returned ${to}. This cannot be undone.`,
  refundConfirm: amount => `Refund ${amount}`,
  toCard: card => `to the card ${card}`,
  toPayer: 'to the payer',
  refundFailed: 'The refund could not be requested.',
  refundUnclear: 'It is not known whether the refund was requested. You can try again: it is refunded only once.',
  refundObstacles: {
    refunded: 'It has been refunded already.',
    processing: 'A refund is already in progress.',
    chargeback: 'A disputed payment cannot be refunded.',
    cash: 'Only card payments are refunded here. Cash is given back outside Cobro.',
  },
}

export const paymentTexts: Texts<PaymentTexts> = { es, en }

import type { Transaction } from '@cobro/sdk/admin'
import type { Texts } from './locale.tsx'

/** Why a payment was declined or failed, in a few words. */
type DeclineTexts = Record<NonNullable<Transaction['decline_reason']>, string>

const es: DeclineTexts = {
  card_declined: 'Rechazada',
  do_not_honor: 'Rechazada sin motivo',
  call_issuer: 'Llamar al banco',
  insufficient_funds: 'Fondos insuficientes',
  expired_card: 'Tarjeta vencida',
  incorrect_number: 'Número incorrecto',
  incorrect_cvc: 'Código de seguridad incorrecto',
  lost_card: 'Tarjeta perdida',
  stolen_card: 'Tarjeta robada',
  restricted_card: 'Tarjeta con restricciones',
  transaction_not_allowed: 'Compra no permitida',
  card_not_supported: 'Tarjeta no aceptada',
  limit_exceeded: 'Límite superado',
  suspected_fraud: 'Sospecha de fraude',
  issuer_not_available: 'Banco sin respuesta',
  processing_error: 'Problema técnico',
}

const en: DeclineTexts = {
  card_declined: 'Declined',
  do_not_honor: 'Declined without a reason',
  call_issuer: 'Call the issuer',
  insufficient_funds: 'Insufficient funds',
  expired_card: 'Expired card',
  incorrect_number: 'Wrong number',
  incorrect_cvc: 'Wrong security code',
  lost_card: 'Lost card',
  stolen_card: 'Stolen card',
  restricted_card: 'Restricted card',
  transaction_not_allowed: 'Purchase not allowed',
  card_not_supported: 'Card not accepted',
  limit_exceeded: 'Limit exceeded',
  suspected_fraud: 'Suspected fraud',
  issuer_not_available: 'Issuer did not respond',
  processing_error: 'Technical problem',
}

export const declineTexts: Texts<DeclineTexts> = { es, en }

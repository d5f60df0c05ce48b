import type { DeclineReason } from '@cobro/contracts'

/**
 * Decline reasons by ISO 8583 response code (data element 39, 1987 edition, with the networks'
 * additions). `technical` says nothing about the card: the payment failed, and another attempt may work. Approval codes
 * are not listed, because the status of a charge shows whether it was approved.
 */
const reasons: Readonly<Record<string, DeclineReason | 'technical'>> = {
  '01': 'call_issuer',
  '02': 'call_issuer',
  '03': 'technical', // invalid merchant
  '04': 'restricted_card', // pick up, no fraud
  '05': 'do_not_honor',
  '06': 'technical', // error
  '07': 'suspected_fraud', // pick up, special condition
  '12': 'transaction_not_allowed',
  '13': 'technical', // invalid amount
  '14': 'incorrect_number',
  '15': 'incorrect_number', // no such issuer
  '19': 'technical', // re-enter transaction
  '20': 'technical', // invalid response
  '21': 'card_declined', // no action taken
  '22': 'technical', // suspected malfunction
  '25': 'technical', // record not found
  '30': 'technical', // format error
  '31': 'card_not_supported', // bank not supported by the switch
  '33': 'expired_card',
  '34': 'suspected_fraud',
  '36': 'restricted_card',
  '37': 'call_issuer',
  '39': 'card_not_supported', // no credit account
  '41': 'lost_card',
  '43': 'stolen_card',
  '46': 'restricted_card', // closed account
  '51': 'insufficient_funds',
  '54': 'expired_card',
  '56': 'incorrect_number', // no card record
  '57': 'transaction_not_allowed', // to the cardholder
  '58': 'transaction_not_allowed', // to the terminal
  '59': 'suspected_fraud',
  '61': 'limit_exceeded', // amount
  '62': 'restricted_card',
  '65': 'limit_exceeded', // frequency
  '68': 'technical', // answer came too late
  '70': 'call_issuer',
  '78': 'restricted_card', // blocked
  '82': 'incorrect_cvc',
  '83': 'suspected_fraud',
  '90': 'technical', // cut-off in progress
  '91': 'issuer_not_available',
  '92': 'issuer_not_available', // no route to the issuer
  '93': 'transaction_not_allowed', // violation of law
  '94': 'technical', // duplicate transmission
  '96': 'technical', // system malfunction
  N7: 'incorrect_cvc',
  R0: 'transaction_not_allowed', // cardholder stopped this payment
  R1: 'transaction_not_allowed', // cardholder stopped all payments
  R3: 'transaction_not_allowed', // cardholder stopped all merchants
}

/** Returns the decline reason for a response code; an unknown code is a plain `card_declined`. */
export function declineReasonOf(code: string | null): DeclineReason | 'technical' {
  return (code !== null && Object.hasOwn(reasons, code) && reasons[code]) || 'card_declined'
}

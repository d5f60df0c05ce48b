import { fact, type MailTexts } from './mail-content.ts'
import { formatMoney, formatTime } from './mail-formats.ts'
import type { MailData } from './mail-kinds.ts'

const reasons: Record<string, string> = {
  gone: 'it answered 410',
  deliveries_exhausted: '20 deliveries in a row failed',
}

const paymentFacts = (payment: MailData['payer_receipt']): [string, string][] => [
  ['Amount', formatMoney('en', payment.amount_cents, payment.currency)],
  ['Time', formatTime('en', payment.at, payment.timezone)],
  ...fact('Card', payment.card && `${payment.card.brand} •••• ${payment.card.last4}`),
  ...fact('Reference', payment.reference),
  ['Transaction', payment.transaction_id],
]

/** The texts of mails in English. */
export const englishMails: MailTexts = {
  payer_receipt: payment => ({
    subject: `Your payment to ${payment.merchant_name}`,
    paragraphs: [`Your payment to ${payment.merchant_name} was approved. This receipt is not an invoice.`],
    facts: paymentFacts(payment),
  }),
  payer_refund: payment => ({
    subject: `Refund from ${payment.merchant_name}`,
    paragraphs: [`${payment.merchant_name} has refunded your payment. Your bank may take a few days to show it.`],
    facts: paymentFacts(payment),
  }),
  setup: (_data, url) => ({
    subject: 'Choose your Cobro password',
    paragraphs: [
      'An account was created for you at Cobro. Open the link to choose your password.',
      'The link works once, for 72 hours. If you did not expect this mail, ignore it.',
    ],
    link: { label: 'Choose a password', url },
  }),
  password_reset: (_data, url) => ({
    subject: 'Reset your Cobro password',
    paragraphs: [
      'Someone asked to reset the password of your account. Open the link to choose another.',
      'The link works once, for one hour. If it was not you, ignore this mail: your password stays the same.',
    ],
    link: { label: 'Choose another password', url },
  }),
  password_changed: ({ at, address }) => ({
    subject: 'Your Cobro password was changed',
    paragraphs: [
      'The password of your account was changed by a link or a token. All of your logins have ended.',
      'If it was not you, reset your password at once and tell who manages your account.',
    ],
    facts: [['Time (UTC)', formatTime('en', at)], ...fact('IP address', address)],
  }),
  new_device: ({ at, address }) => ({
    subject: 'New login to Cobro',
    paragraphs: [
      'Your account was logged in to from a device and an address that we did not know.',
      'If it was not you, reset your password at once: that ends all of your logins.',
    ],
    facts: [
      ['Time (UTC)', formatTime('en', at)],
      ['IP address', address],
    ],
  }),
  factor_changed: ({ at, added }) => ({
    subject: added ? 'A second factor was added to your account' : 'The second factor of your account was removed',
    paragraphs: [
      added
        ? 'From now on your Cobro account asks for a code at each login.'
        : 'From now on your Cobro account asks for no code at logins.',
      'If this was neither you nor who manages your account, reset your password at once.',
    ],
    facts: [['Time (UTC)', formatTime('en', at)]],
  }),
  bank_changed: ({ at, merchant_name, clabe, effective_at }) => ({
    subject: `Change of the bank account of ${merchant_name}`,
    paragraphs: [
      effective_at
        ? 'Someone asked to change the account that is paid out to. If you do not recognize it, cancel it before it takes effect.'
        : 'The account that is paid out to has changed. If you do not recognize it, contact who operates Cobro at once.',
    ],
    facts: [
      ['Merchant', merchant_name],
      ...fact('New account', clabe),
      ['Time (UTC)', formatTime('en', at)],
      ...fact('Takes effect (UTC)', effective_at && formatTime('en', effective_at)),
    ],
  }),
  endpoint_disabled: ({ at, merchant_name, webhook_id, reason, cancelled }) => ({
    subject: `A webhook of ${merchant_name} was disabled`,
    paragraphs: [
      'Cobro sends no more events to this address. Fix it and enable it again; the events are still in the list of events.',
    ],
    facts: [
      ['Webhook', webhook_id],
      ['Reason', reasons[reason] ?? reason],
      ['Cancelled deliveries', String(cancelled)],
      ['Time (UTC)', formatTime('en', at)],
    ],
  }),
  dispute_opened: ({ merchant_name, timezone, dispute_id, transaction_id, amount_cents, currency, due_by }) => ({
    subject: due_by
      ? `New dispute of ${merchant_name}: answer before ${formatTime('en', due_by, timezone)}`
      : `New dispute of ${merchant_name}`,
    paragraphs: ['A cardholder disputes a payment. Send your evidence, or accept the dispute.'],
    facts: [
      ...fact('Amount', amount_cents !== null && currency !== null && formatMoney('en', amount_cents, currency)),
      ...fact('Due date', due_by && formatTime('en', due_by, timezone)),
      ['Dispute', dispute_id],
      ...fact('Transaction', transaction_id),
    ],
  }),
  approval_requested: ({ approval_id, operation, merchant_name, timezone, amount_cents, currency, lapses_at }) => ({
    subject: `A call for ${merchant_name} waits for your approval`,
    paragraphs: ['Another operator made a call that a second one has to approve or reject. It has had no effect yet.'],
    facts: [
      ['Operation', operation],
      ['Merchant', merchant_name],
      ...fact('Amount', amount_cents !== null && currency !== null && formatMoney('en', amount_cents, currency)),
      ['Lapses', formatTime('en', lapses_at, timezone)],
      ['Approval', approval_id],
    ],
  }),
  key_created: ({ at, name, key_masked, merchant_name }) => ({
    subject: `New API key of ${merchant_name}`,
    paragraphs: ['An API key was created. If you do not recognize it, revoke it at once.'],
    facts: [
      ['Name', name],
      ['Key', key_masked],
      ['Merchant', merchant_name],
      ['Time (UTC)', formatTime('en', at)],
    ],
  }),
}

import { z } from 'zod'
import { event, recorded } from '../declarations/event.ts'
import { id } from '../fields/ids.ts'
import { approval } from '../resources/approvals.ts'
import { disputes } from '../resources/disputes.ts'
import { settlementConfigs } from '../resources/settlement-config.ts'
import { ofNewDispute } from './new-dispute.ts'

/** The changed fields of a row, by name. */
const changes = z.record(z.string(), z.object({ from: z.unknown(), to: z.unknown() })).optional()
/** A change of a merchant's terms: fees, reserves, settlement configuration. */
const ofTerms = <P extends 'fee' | 'rsv' | 'stc'>(prefix: P) =>
  recorded('transactions', 'admin', z.object({ id: id(prefix), changes }))
/** A change of a bank account that does not take effect at once. The account is masked. */
const ofBankChange = recorded('transactions', 'admin', settlementConfigs.row.pick({ id: true, bank_pending: true }))
/** A change of a settlement, dispute or balance snapshot. */
const ofMoney = <P extends 'stl' | 'dsp' | 'bal'>(prefix: P) =>
  recorded('transactions', 'payment', z.object({ id: id(prefix), changes }))

/** The end of a dispute. Its amount is absent in events of the release before. */
const ofDisputeEnd = recorded(
  'transactions',
  'payment',
  disputes.row
    .pick({ amount_cents: true, currency: true })
    .partial()
    .extend({ id: id('dsp'), changes }),
)

/** A step of a call that needs an approval. Its body stays in the approval, since it may name a payer. */
const heldCall = {
  id: true,
  merchant_id: true,
  operation: true,
  amount_cents: true,
  currency: true,
  requested_by: true,
  lapses_at: true,
} as const
const ofApproval = recorded('transactions', 'admin', approval.pick(heldCall))

/** The events of terms, payouts, disputes, balances and approvals. */
export const moneyEvents = {
  'fee_rule.created': ofTerms('fee'),
  'fee_rule.updated': ofTerms('fee'),
  'fee_rule.deleted': ofTerms('fee'),
  'rolling_reserve.created': ofTerms('rsv'),
  'rolling_reserve.updated': ofTerms('rsv'),
  'rolling_reserve.deleted': ofTerms('rsv'),
  'settlement_config.created': ofTerms('stc'),
  'settlement_config.updated': event({ ...ofTerms('stc'), consumers: ['gateway'] }),
  'settlement_config.bank_change_requested': event({ ...ofBankChange, consumers: ['gateway'] }),
  'settlement_config.bank_change_cancelled': ofBankChange,
  'settlement_config.deleted': ofTerms('stc'),
  'settlement.created': ofMoney('stl'),
  'settlement.updated': ofMoney('stl'),
  'settlement.paid': ofMoney('stl'),
  'settlement.failed': ofMoney('stl'),
  'settlement.deleted': ofMoney('stl'),
  'dispute.opened': ofNewDispute,
  'dispute.updated': ofMoney('dsp'),
  'dispute.under_review': ofMoney('dsp'),
  'dispute.won': ofDisputeEnd,
  'dispute.lost': ofDisputeEnd,
  'dispute.accepted': ofDisputeEnd,
  'dispute.expired': ofDisputeEnd,
  'dispute.withdrawn': ofDisputeEnd,
  'balance_snapshot.created': ofMoney('bal'),
  'balance_snapshot.updated': ofMoney('bal'),
  'balance_snapshot.deleted': ofMoney('bal'),
  'approval.requested': event({ ...ofApproval, consumers: ['gateway'] }),
  'approval.approved': recorded('transactions', 'admin', approval.pick({ ...heldCall, target_id: true })),
  'approval.rejected': recorded('transactions', 'admin', approval.pick({ ...heldCall, reason: true })),
  'approval.lapsed': ofApproval,
} as const

import type { ChargeOutcome } from '@cobro/acquirer'
import type { TransactionStatus } from '@cobro/contracts'

/** What the acquirer reports about a charge, or about the reversal of one. */
export type ChargeReport = ChargeOutcome | { status: 'not_found' } | { status: 'reversed' }

/**
 * What a report does to the transaction: one of its actions; `check_again` if the outcome is open;
 * `late_payment` if money arrived after its end; `none` for a repeated report; `contradiction` for a conflicting one.
 */
type ChargeEffect = 'approve' | 'decline' | 'fail' | 'check_again' | 'late_payment' | 'none' | 'contradiction'

type Effects = Readonly<Record<ChargeReport['status'], ChargeEffect>>

const unknown = { processing: 'none', not_found: 'none' } as const
const contradiction = 'contradiction' as const
const captured: Effects = {
  ...{ ...unknown, approved: 'none' },
  ...{ declined: contradiction, failed: contradiction, reversed: contradiction },
}
/** Without money, it makes no difference how the charge ended. */
const uncaptured: Effects = {
  ...{ ...unknown, approved: 'late_payment' },
  ...{ declined: 'none', failed: 'none', reversed: 'none' },
}

/** The effect of every report, by the status of the transaction. */
const effects: Readonly<Record<TransactionStatus, Effects>> = {
  pending: {
    ...{ approved: 'approve', declined: 'decline', failed: 'fail', reversed: 'fail' },
    ...{ processing: 'check_again', not_found: 'check_again' },
  },
  approved: captured,
  refunded: captured,
  chargeback: captured,
  declined: uncaptured,
  failed: uncaptured,
  expired: uncaptured,
  cancelled: uncaptured,
}

/** Returns what a report of the acquirer does to a transaction of that status. */
export function chargeEffect(status: TransactionStatus, report: ChargeReport['status']): ChargeEffect {
  return effects[status][report]
}

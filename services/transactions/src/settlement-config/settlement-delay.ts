import { defaultDelayDays } from '@cobro/contracts'
import type { Tx } from '@cobro/database'
import type { MerchantLedger } from '../ledger/merchant-ledgers.ts'
import { SettlementConfigEntity } from './settlement-config-entity.ts'

/**
 * Returns after how many days the captures of a ledger become available. An inactive configuration pauses payouts, which must not
 * make anything available earlier.
 */
export async function delayDaysOf(tx: Tx, ledger: MerchantLedger): Promise<number> {
  const newestFirst = { active: 'desc', created_at: 'desc' } as const
  const config = await tx.findOne(SettlementConfigEntity, ledger, { orderBy: newestFirst })
  return config?.delay_days ?? defaultDelayDays
}

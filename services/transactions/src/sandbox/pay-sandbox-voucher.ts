import { rejectUnavailable, type SandboxControls } from '@cobro/acquirer'
import { ApiError, type Caller } from '@cobro/contracts'
import { type Database, getRow } from '@cobro/database'
import { TransactionEntity } from '../transactions/transaction-entity.ts'

export interface SandboxVoucherDeps {
  db: Database
  /** Undefined in production, where only payers pay vouchers. */
  sandbox: SandboxControls | undefined
}

/** Pays a voucher in place of a payer. As with a real payment, the acquirer notifies us of it. */
export async function paySandboxVoucher({ db, sandbox }: SandboxVoucherDeps, caller: Caller, reference: string) {
  if (!sandbox) throw new ApiError('not_found')
  await db.read(async em => {
    const newest = { orderBy: { created_at: 'desc', id: 'desc' } } as const
    const [known] = await em.find(TransactionEntity, { voucher_reference: reference }, { ...newest, limit: 1 })
    if (!known) throw new ApiError('not_found')
    await getRow(em, TransactionEntity, caller, known.id)
  })
  const result = await sandbox.payVoucher(reference).catch(rejectUnavailable)
  if (result === 'not_found') throw new ApiError('not_found')
  if (result === 'conflict') throw new ApiError('conflict', 'the voucher is paid already')
}

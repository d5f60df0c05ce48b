import { AcquirerUnavailable, type SandboxControls } from '@cobro/acquirer'
import { ApiError, acquirerOperations, type Caller } from '@cobro/contracts'
import { type Database, getRow } from '@cobro/database'
import { type Route, route } from '@cobro/http'
import { TransactionEntity } from '../transactions/transaction-entity.ts'

interface SandboxVoucherDeps {
  db: Database
  /** Left out in production, where nobody but a payer pays. */
  sandbox: SandboxControls | undefined
}

export function sandboxVoucherRoutes(deps: SandboxVoucherDeps): Route[] {
  return [
    route(acquirerOperations.payVoucher, async ({ caller, params }) => {
      await payAtCounter(deps, caller, params.reference)
      return { data: { reference: params.reference, status: 'paid' as const } }
    }),
  ]
}

/** Is the payer at the counter: the acquirer tells of the money by a notice, as it would of any other. */
async function payAtCounter({ db, sandbox }: SandboxVoucherDeps, caller: Caller, reference: string): Promise<void> {
  if (!sandbox) throw new ApiError('not_found')
  await db.read(async em => {
    const newest = { orderBy: { created_at: 'desc', id: 'desc' } } as const
    const [known] = await em.find(TransactionEntity, { voucher_reference: reference }, { ...newest, limit: 1 })
    if (!known) throw new ApiError('not_found')
    await getRow(em, TransactionEntity, caller, known.id)
  })
  const answer = await sandbox.payVoucher(reference).catch(error => {
    if (error instanceof AcquirerUnavailable) throw new ApiError('unavailable', undefined, { cause: error })
    throw error
  })
  if (answer === 'not_found') throw new ApiError('not_found')
  if (answer === 'conflict') throw new ApiError('conflict', 'the voucher is paid already')
}

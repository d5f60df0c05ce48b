import { acquirerOperations } from '@cobro/contracts'
import { type Route, route } from '@cobro/http'
import { listTestCards } from './list-test-cards.ts'
import { paySandboxVoucher, type SandboxVoucherDeps } from './pay-sandbox-voucher.ts'

/** The operations that only the sandbox has. */
export function sandboxRoutes(deps: SandboxVoucherDeps): Route[] {
  return [
    route(acquirerOperations.testCards, async () => ({ data: await listTestCards(deps) })),
    route(acquirerOperations.payVoucher, async ({ caller, params }) => {
      await paySandboxVoucher(deps, caller, params.reference)
      return { data: { reference: params.reference, status: 'paid' as const } }
    }),
  ]
}
